"""Gate: the lower floors call nothing of the system but memory and strings.

Usage: purity.py NM ARCHIVE FLOOR=FLOOR,FLOOR,... ...

The archive holds the whole library; its members are called FLOOR_MODULE.c.o. Each FLOOR may
use what it defines itself, what the floors behind the `=` define, and what PURE allows.
"""
import re
import subprocess
import sys

PURE = re.compile(r"(mem|str)[a-z]+|abort"
                  r"|malloc|calloc|realloc|reallocarray|aligned_alloc|free")
EXTRA = {
    # The one line before an abort, and the key of the hashes.
    "base": re.compile(r"stderr|fprintf|fputs|(__)?fprintf_chk|getentropy"),
}
# What compilers add by themselves: sanitizers, coverage, the stack protector, checked copies; and
# clang's word for a memcmp() of which only equality is asked.
COMPILER = re.compile(r"__(asan|ubsan|tsan|sanitizer|gcov|llvm|stack_chk|sanitizer_cov)_\w+"
                      r"|__(mem|str)[a-z]+_chk|bcmp|_GLOBAL_OFFSET_TABLE_|__tls_get_addr")


def read_symbols(nm, archive):
    """{FLOOR: (defined, [(member, undefined)])} of an archive."""
    lines = subprocess.run([nm, "-A", archive], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    floors = {}
    for line in lines:
        match = re.search(r"(\w+?)_(\w+\.c)\.o:\s*[0-9a-f]*\s+(\w)\s+(\S+)", line)
        if match:
            floor, module, kind, symbol = match.groups()
            defined, undefined = floors.setdefault(floor, (set(), []))
            if kind == "U":
                undefined.append((f"{floor}/{module}", symbol))
            elif kind.isupper():
                defined.add(symbol)
    return floors


def main():
    floors = read_symbols(sys.argv[1], sys.argv[2])
    wrong, n = [], 0
    for argument in sys.argv[3:]:
        floor, below = argument.split("=")
        if floor not in floors:
            wrong.append(f"{floor}: no such floor in {sys.argv[2]}")
            continue
        known = set(floors[floor][0])
        for other in filter(None, below.split(",")):
            known |= floors[other][0]
        for member, symbol in floors[floor][1]:
            n += 1
            extra = EXTRA.get(floor)
            if not (symbol in known or PURE.fullmatch(symbol) or COMPILER.fullmatch(symbol)
                    or (extra and extra.fullmatch(symbol))):
                wrong.append(f"{member}: {floor} must not use {symbol}")
    print("\n".join(wrong + [f"{n} uses looked at"]))
    return 1 if wrong or n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
