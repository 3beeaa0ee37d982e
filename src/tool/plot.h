/* A picture of a few panels, drawn by gnuplot as SVG, readable in light and in dark. */
#ifndef ADM_TOOL_PLOT_H
#define ADM_TOOL_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/command.h"
#include "tool/series.h"

enum {
    ADM_PLOT_LABEL = 96,
    ADM_PLOT_PANELS = 3
};

struct adm_curve {
    char title[ADM_PLOT_LABEL];
    size_t colour;  /* from 0; equal ones in all panels; 0 is grey */
    bool is_mark;   /* a dot with a line down to the axis, not a course */
    double *points; /* x and y in turn */
    size_t n;       /* numbers, so twice the points */
    size_t room;
};

struct adm_panel {
    const char *title;
    const char *y_label;
    char x_label[ADM_PLOT_LABEL];
    bool is_log_x;
    bool is_log_y;
    struct adm_curve *curves;
    size_t n_curves;
    size_t room;
};

/* Zeroed, it is an empty plot. */
struct adm_plot {
    char title[2 * ADM_PLOT_LABEL];
    struct adm_panel panels[ADM_PLOT_PANELS];
    size_t n_panels;
};

/* Adds an empty panel, of which there are ADM_PLOT_PANELS at most. */
struct adm_panel *adm_plot_panel(struct adm_plot *plot, const char *title, const char *y_label);

/* Adds an empty curve; valid until the next one of its panel is added. */
struct adm_curve *adm_panel_curve(struct adm_panel *panel, size_t colour, const char *title);

void adm_curve_add(struct adm_curve *curve, double x, double y);

/* A unit of time in which `span_us` is a handy number: how many microseconds it has. */
double adm_plot_unit(double span_us, const char **name);

/* Adds a series, its time in `unit_us` from `origin_us` on. */
void adm_curve_add_series(struct adm_curve *curve, const struct adm_series *series,
                          int64_t origin_us, double unit_us);

/* Writes the picture to `path`. */
enum adm_exit adm_plot_draw(const struct adm_plot *plot, const char *path);

void adm_plot_deinit(struct adm_plot *plot);

#endif
