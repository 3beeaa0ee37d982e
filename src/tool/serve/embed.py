"""Writes the files of the page as C: embed.py OUT FILE..."""
import pathlib
import sys

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}


def main():
    out, *names = sys.argv[1:]
    lines = ['#include "tool/serve/assets.h"', ""]
    rows = []
    for number, name in enumerate(names):
        path = pathlib.Path(name)
        data = path.read_bytes()
        lines.append(f"static const char asset_{number}[] = {{")
        for at in range(0, len(data), 16):
            values = (byte - 256 if byte > 127 else byte for byte in data[at:at + 16])
            lines.append("    " + " ".join(f"{value}," for value in values))
        lines += ["};", ""]
        target = "/" if path.name == "index.html" else "/" + path.name
        rows.append(f'    {{"{target}", "{TYPES[path.suffix]}", asset_{number}, '
                    f"sizeof asset_{number}}},")
    lines += ["const struct adm_asset adm_assets[] = {", *rows, "    {NULL, NULL, NULL, 0},",
              "};", ""]
    pathlib.Path(out).write_text("\n".join(lines))


if __name__ == "__main__":
    main()
