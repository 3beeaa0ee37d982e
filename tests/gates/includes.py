"""Gate: a file includes only what stands below it.

Usage: includes.py SRC FLOOR=MODULE,MODULE,... ...

The floors come lowest first, and so do the modules of each: they are the lists of the meson
files. FLOOR/MODULE is a .c, a .h or both. A file may include the modules of lower floors and
the earlier ones of its own; what a floor must not know at all stands in FLOORS below.
"""
import pathlib
import re
import sys

PLAIN = {"stdbool.h", "stddef.h", "stdint.h", "stdlib.h", "string.h"}
RULES = {"limits", "request", "effect", "stats", "machine"}  # how others see the core
ANY = None


class Floor:
    """What a floor may include: of the system, by name; of other floors, by module."""

    def __init__(self, system, floors, extra=None):
        self.system = system
        self.floors = floors
        self.extra = extra or {}  # MODULE: system headers for this module alone


FLOORS = {
    "base": Floor(PLAIN, {}, {"assert": {"stdio.h"}, "memory": {"stdio.h"},
                              "hash": {"endian.h", "unistd.h"}}),
    "core": Floor(PLAIN, {"base": ANY}),
    "wire": Floor(PLAIN | {"endian.h"}, {"base": ANY, "core": RULES}),
    "actor": Floor(ANY, {"base": ANY, "core": RULES, "wire": ANY}),
    "api": Floor(ANY, {"base": ANY, "core": RULES, "wire": ANY, "actor": ANY,
                       "admission": ANY}),
    "tool": Floor(ANY, {"base": ANY, "core": RULES, "admission": ANY}),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def check_file(path, floor, module, earlier):
    """Yields what is wrong with the includes of one file."""
    own = {module} | set(earlier)
    rules = FLOORS[floor]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        kind, name = match.groups()
        wrong = None
        if kind == "<":
            allowed = rules.system
            if allowed is not None and name not in allowed | rules.extra.get(module, set()):
                wrong = f"the floor {floor} knows nothing of <{name}>"
        else:
            other, _, rest = name.partition("/")
            included = rest.removesuffix(".h")
            if other == floor:
                if included not in own:
                    wrong = f"{name} does not stand before {floor}/{module}"
            elif other not in rules.floors:
                wrong = f"the floor {floor} does not stand on {name}"
            elif rules.floors[other] is not None and included not in rules.floors[other]:
                wrong = f"{name} is the {other}'s own business"
        if wrong:
            yield f"{path}:{number}: {wrong}"


def main():
    src = pathlib.Path(sys.argv[1])
    wrong, n = [], 0
    for argument in sys.argv[2:]:
        floor, listed = argument.split("=")
        modules = listed.split(",")
        files = {p for p in (src / floor).rglob("*") if p.suffix in {".c", ".h"}}
        for at, module in enumerate(modules):
            mine = files & {src / floor / (module + suffix) for suffix in (".c", ".h")}
            if module in modules[:at]:
                wrong.append(f"{src / floor / module}: listed twice")
            elif not mine:
                wrong.append(f"{src / floor / module}: listed, but there is no such file")
            for path in sorted(mine):
                wrong += check_file(path, floor, module, modules[:at])
                n += 1
            files -= mine
        wrong += [f"{path}: in no list of modules" for path in sorted(files)]
    known = {argument.split("=")[0] for argument in sys.argv[2:]}
    wrong += [f"{path}: no such floor" for path in sorted(src.iterdir())
              if path.is_dir() and path.name not in known]
    print("\n".join(wrong + [f"{n} files looked at"]))
    return 1 if wrong or n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
