/* See tool/plot.h. gnuplot gets its script on standard input and answers on standard output;
 * its colours are then made to follow the reader's preference by a style sheet, which it cannot
 * write itself. */
#include "tool/plot.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/memory.h"

extern char **environ;

/* Each stands once in gnuplot's output for one thing, and has a twin for dark pages. */
static const struct tone {
    const char *light;
    const char *dark;
} background = {"#ffffff", "#14171c"}, ink = {"#3c4043", "#c9ccd1"},
  grid = {"#dfe1e5", "#31353b"};

/* Told apart by people who do not see red and green too, and readable on both backgrounds. */
static const char *const colours[] = {"#8a8f98", "#d1495b", "#e08e2b", "#3a9e6f",
                                      "#3b82c4", "#9467bd", "#b0762f", "#17a2b0"};

enum {
    N_COLOURS = sizeof colours / sizeof *colours
};

struct adm_panel *adm_plot_panel(struct adm_plot *plot, const char *title, const char *y_label)
{
    ADM_ASSERT(plot->n_panels < ADM_PLOT_PANELS);
    struct adm_panel *panel = &plot->panels[plot->n_panels++];
    *panel = (struct adm_panel){.title = title, .y_label = y_label};
    return panel;
}

struct adm_curve *adm_panel_curve(struct adm_panel *panel, size_t colour, const char *title)
{
    panel->curves = adm_memory_reserve(panel->curves, &panel->room, panel->n_curves + 1,
                                       sizeof *panel->curves);
    struct adm_curve *curve = &panel->curves[panel->n_curves++];
    *curve = (struct adm_curve){.colour = colour};
    snprintf(curve->title, sizeof curve->title, "%s", title);
    return curve;
}

void adm_curve_add(struct adm_curve *curve, double x, double y)
{
    curve->points =
        adm_memory_reserve(curve->points, &curve->room, curve->n + 2, sizeof *curve->points);
    curve->points[curve->n++] = x;
    curve->points[curve->n++] = y;
}

double adm_plot_unit(double span_us, const char **name)
{
    static const struct {
        double us;
        const char *name;
    } units[] = {{86400e6, "days"}, {3600e6, "hours"}, {60e6, "minutes"}, {1e6, "seconds"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (span_us >= 5 * units[i].us) {
            *name = units[i].name;
            return units[i].us;
        }
    }
    *name = "milliseconds";
    return 1e3;
}

void adm_curve_add_series(struct adm_curve *curve, const struct adm_series *series,
                          int64_t origin_us, double unit_us)
{
    for (size_t i = 0; i < series->n; i++) {
        if (i > 0 && i + 1 < series->n && series->highest[i] == series->highest[i - 1]) {
            continue;
        }
        const int64_t at = series->start_at - origin_us + (int64_t)i * series->step_us;
        adm_curve_add(curve, (double)at / unit_us, series->highest[i]);
    }
}

void adm_plot_deinit(struct adm_plot *plot)
{
    for (size_t p = 0; p < plot->n_panels; p++) {
        for (size_t c = 0; c < plot->panels[p].n_curves; c++) {
            free(plot->panels[p].curves[c].points);
        }
        free(plot->panels[p].curves);
    }
}

/* An empty curve gets a point that no panel shows, so that it has its place in the legend. */
static void write_points(FILE *script, const struct adm_plot *plot)
{
    static const char outside[] = "1e30 1e30\n";
    for (size_t p = 0; p < plot->n_panels; p++) {
        for (size_t c = 0; c < plot->panels[p].n_curves; c++) {
            const struct adm_curve *curve = &plot->panels[p].curves[c];
            fprintf(script, "$curve_%zu_%zu << EOD\n", p, c);
            if (curve->n == 0) {
                fputs(outside, script);
            }
            for (size_t i = 0; i < curve->n; i += 2) {
                fprintf(script, "%.9g %.9g\n", curve->points[i], curve->points[i + 1]);
            }
            fputs("EOD\n", script);
        }
    }
}

static void write_look(FILE *script, const struct adm_plot *plot)
{
    fprintf(script,
            "set terminal svg size 960,%zu noenhanced font 'Helvetica,Arial,sans-serif,13' "
            "linewidth 1.2 background '%s'\n",
            60 + 300 * plot->n_panels, background.light);
    fprintf(script, "set border 3 linecolor rgb '%s'\n", ink.light);
    fprintf(script, "set grid xtics ytics linecolor rgb '%s' dashtype solid\n", grid.light);
    fprintf(script, "set xtics nomirror textcolor rgb '%s'\n", ink.light);
    fprintf(script, "set ytics nomirror textcolor rgb '%s'\n", ink.light);
    fprintf(script, "set key outside right top vertical textcolor rgb '%s'\n", ink.light);
}

/* The ranges say where a logarithm or an empty curve would leave gnuplot at a loss. */
static void write_axes(FILE *script, const struct adm_panel *panel)
{
    fprintf(script, "set title '%s' textcolor rgb '%s'\n", panel->title, ink.light);
    fprintf(script, "set xlabel '%s' textcolor rgb '%s'\n", panel->x_label, ink.light);
    fprintf(script, "set ylabel '%s' textcolor rgb '%s'\n", panel->y_label, ink.light);
    fputs(panel->is_log_x ? "set logscale x 10\n" : "unset logscale x\n", script);
    fputs(panel->is_log_y ? "set logscale y 10\n" : "unset logscale y\n", script);
    double highest_x = 0;
    double highest_y = 0;
    for (size_t c = 0; c < panel->n_curves; c++) {
        const struct adm_curve *curve = &panel->curves[c];
        for (size_t i = 0; i < curve->n; i += 2) {
            highest_x = curve->points[i] > highest_x ? curve->points[i] : highest_x;
            highest_y = curve->points[i + 1] > highest_y ? curve->points[i + 1] : highest_y;
        }
    }
    const double least_x = panel->is_log_x ? 0.8 : 0;
    const double least_y = panel->is_log_y ? 0.8 : 0;
    fprintf(script, "set xrange [%g:%g]\n", least_x,
            highest_x > least_x ? highest_x * (panel->is_log_x ? 1.2 : 1) : 1);
    fprintf(script, "set yrange [%g:%g]\n", least_y,
            highest_y > least_y ? highest_y * 1.05 : 1);
}

static void write_curve(FILE *script, const struct adm_curve *curve, size_t p, size_t c)
{
    const char *colour = colours[curve->colour % N_COLOURS];
    if (curve->is_mark) {
        fprintf(
            script,
            "$curve_%zu_%zu using 1:2 with impulses linewidth 1.4 linecolor rgb '%s' notitle, "
            "$curve_%zu_%zu using 1:2 with points pointtype 7 pointsize 0.7",
            p, c, colour, p, c);
    } else {
        fprintf(script, "$curve_%zu_%zu using 1:2 with steps linewidth 1.4", p, c);
    }
    fprintf(script, " linecolor rgb '%s' title '%s'", colour, curve->title);
}

static void write_script(FILE *script, const struct adm_plot *plot)
{
    write_look(script, plot);
    write_points(script, plot);
    fprintf(script, "set multiplot layout %zu,1 title '%s' textcolor rgb '%s'\n",
            plot->n_panels, plot->title, ink.light);
    for (size_t p = 0; p < plot->n_panels; p++) {
        write_axes(script, &plot->panels[p]);
        for (size_t c = 0; c < plot->panels[p].n_curves; c++) {
            fputs(c == 0 ? "plot " : ", ", script);
            write_curve(script, &plot->panels[p].curves[c], p, c);
        }
        fputc('\n', script);
    }
    fputs("unset multiplot\n", script);
}

/* gnuplot writes a colour as rgb(1, 2, 3), padded or not, or as it got it. */
static void write_tone(FILE *svg, const struct tone *tone)
{
    unsigned red = 0;
    unsigned green = 0;
    unsigned blue = 0;
    sscanf(tone->light, "#%2x%2x%2x", &red, &green, &blue);
    fprintf(svg,
            "[stroke=\"rgb(%3u, %3u, %3u)\"] { stroke: %s }\n"
            "[fill=\"rgb(%u,%u,%u)\"], [fill=\"%s\"] { fill: %s }\n",
            red, green, blue, tone->dark, red, green, blue, tone->light, tone->dark);
}

static void write_style(FILE *svg)
{
    fputs("<style>@media (prefers-color-scheme: dark) {\n", svg);
    write_tone(svg, &background);
    write_tone(svg, &ink);
    write_tone(svg, &grid);
    fputs("}</style>\n", svg);
}

/* Copies what gnuplot wrote, with the style sheet where its title begins. */
static void write_svg(FILE *svg, const char *drawn, size_t length)
{
    static const char title[] = "<title>";
    const char *at = memmem(drawn, length, title, sizeof title - 1);
    const size_t before = at != NULL ? (size_t)(at - drawn) : 0;
    fwrite(drawn, 1, before, svg);
    write_style(svg);
    fwrite(drawn + before, 1, length - before, svg);
}

/* Runs gnuplot with `script` as standard input and `drawn` as standard output. */
static int run_gnuplot(FILE *script, FILE *drawn)
{
    char *const arguments[] = {(char[]){"gnuplot"}, (char[]){"--default-settings"},
                               (char[]){"-"}, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(drawn), STDOUT_FILENO);
    pid_t child;
    const int error = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        errno = error;
        return -1;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Reads all of `file`; free the result. */
static char *read_all(FILE *file, size_t *length)
{
    char *bytes = NULL;
    size_t room = 0;
    size_t n = 0;
    rewind(file);
    do {
        bytes = adm_memory_reserve(bytes, &room, n + 65536, 1);
        *length = fread(bytes + n, 1, room - n, file);
        n += *length;
    } while (*length > 0);
    *length = n;
    return bytes;
}

static enum adm_exit save(const char *path, FILE *drawn)
{
    size_t length;
    char *bytes = read_all(drawn, &length);
    FILE *svg = fopen(path, "we");
    if (svg == NULL) {
        free(bytes);
        return adm_command_fail(ADM_EXIT_FAILED, "%s: %s", path, strerror(errno));
    }
    write_svg(svg, bytes, length);
    free(bytes);
    const enum adm_exit status = adm_command_flush(svg, path, ADM_EXIT_DONE);
    fclose(svg);
    return status;
}

enum adm_exit adm_plot_draw(const struct adm_plot *plot, const char *path)
{
    FILE *script = tmpfile();
    FILE *drawn = tmpfile();
    enum adm_exit status = ADM_EXIT_DONE;
    if (script == NULL || drawn == NULL) {
        status = adm_command_fail(ADM_EXIT_FAILED, "a temporary file: %s", strerror(errno));
    } else {
        write_script(script, plot);
        fflush(script);
        rewind(script);
        const int gnuplot = run_gnuplot(script, drawn);
        if (gnuplot < 0) {
            status = adm_command_fail(ADM_EXIT_FAILED, "gnuplot, which draws --plot: %s",
                                      strerror(errno));
        } else if (gnuplot > 0) {
            status =
                adm_command_fail(ADM_EXIT_FAILED, "gnuplot failed with status %d", gnuplot);
        } else {
            status = save(path, drawn);
        }
    }
    if (script != NULL) {
        fclose(script);
    }
    if (drawn != NULL) {
        fclose(drawn);
    }
    return status;
}
