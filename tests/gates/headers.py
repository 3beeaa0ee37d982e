"""Gate: each header compiles alone, and twice; the public ones also as strict C11 and as C++.

Usage: headers.py ROOT

Public headers are compiled by every compiler there is, with nothing but the include directory
of the project: what a user has. The private ones, as the project's own C, by `cc`.
"""
import pathlib
import shutil
import subprocess
import sys

STRICT = ["-fsyntax-only", "-pedantic", "-Wall", "-Wextra", "-Werror"]
LANGUAGES = [("gcc", "c", "c11"), ("clang", "c", "c11"), ("g++", "c++", "c++17"),
             ("clang++", "c++", "c++17")]


def compile_twice(command, name):
    """Compiles a file that includes `name` twice: what the compiler says, empty if it will."""
    source = f'#include "{name}"\n' * 2 + "extern int something; /* a unit is not empty */\n"
    run = subprocess.run(command + ["-"], input=source, text=True, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return run.stdout if run.returncode else ""


def headers_of(folder):
    return [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.h"))]


def main():
    root = pathlib.Path(sys.argv[1])
    include, src = root / "include", root / "src"
    wrong, n = [], 0
    for compiler, language, standard in LANGUAGES:
        if shutil.which(compiler) is None:
            print(f"{compiler} is not there: not tried")
            continue
        for name in headers_of(include):
            wrong.append(compile_twice([compiler, "-x", language, f"-std={standard}", *STRICT,
                                        f"-I{include}"], name))
            n += 1
    for name in headers_of(src):
        wrong.append(compile_twice(["cc", "-x", "c", "-std=c11", "-D_GNU_SOURCE", *STRICT,
                                    f"-I{include}", f"-I{src}"], name))
        n += 1
    print("".join(wrong) + f"{n} compilations")
    return 1 if any(wrong) or n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
