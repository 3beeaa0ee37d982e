"""The gates can fail: each is shown something clean, then the same with one fault planted.

Usage: selftest.py
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class GateTest(unittest.TestCase):
    """A folder to plant in, and a way to run a gate over it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    def run_gate(self, name, *arguments):
        command = [str(HERE / name), *map(str, arguments)]
        if name.endswith(".py"):
            command.insert(0, sys.executable)
        return subprocess.run(command, text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)

    def passes(self, name, *arguments):
        run = self.run_gate(name, *arguments)
        self.assertEqual(run.returncode, 0, run.stdout)

    def fails(self, saying, name, *arguments):
        run = self.run_gate(name, *arguments)
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn(saying, run.stdout)


class Includes(GateTest):
    LISTS = ["base=low,high", "core=rules"]

    def setUp(self):
        super().setUp()
        self.write("base/low.h", "#include <stdint.h>\n")
        self.write("base/high.c", '#include "base/high.h"\n#include "base/low.h"\n')
        self.write("base/high.h", "")
        self.write("core/rules.c", '#include "base/high.h"\n')

    def fails_with(self, saying):
        self.fails(saying, "includes.py", self.root, *self.LISTS)

    def test_clean(self):
        self.passes("includes.py", self.root, *self.LISTS)

    def test_later_module(self):
        self.write("base/low.h", '#include "base/high.h"\n')
        self.fails_with("low.h:1: base/high.h does not stand before base/low")

    def test_higher_floor(self):
        self.write("base/high.c", '#include "core/rules.h"\n')
        self.fails_with("high.c:1: the floor base does not stand on core/rules.h")

    def test_forbidden_system_header(self):
        for header in ("czmq.h", "zmq.h", "pthread.h", "time.h", "stdio.h"):
            self.write("core/rules.c", f"#include <{header}>\n")
            self.fails_with(f"the floor core knows nothing of <{header}>")

    def test_quoted_system_header(self):
        self.write("core/rules.c", '#include "zmq.h"\n')
        self.fails_with("the floor core does not stand on zmq.h")

    def test_unlisted_file(self):
        self.write("core/other.c", "")
        self.fails_with("other.c: in no list")

    def test_unlisted_file_of_a_folder(self):
        self.write("core/deep/other.c", "")
        self.fails_with("other.c: in no list")
        lists = ["base=low,high", "core=deep/other,rules"]
        self.passes("includes.py", self.root, *lists)
        self.write("core/deep/other.c", '#include "core/rules.h"\n')
        self.fails("core/rules.h does not stand before core/deep/other",
                   "includes.py", self.root, *lists)

    def test_listed_but_missing(self):
        (self.root / "base/low.h").unlink()
        self.fails_with("no such file")

    def test_listed_twice(self):
        self.fails("base/low: listed twice",
                   "includes.py", self.root, "base=low,high,low", "core=rules")

    def test_unknown_floor(self):
        self.write("util/misc.c", "")
        self.fails_with("util: no such floor")

    def test_inside_of_the_core(self):
        self.write("wire/bytes.c", '#include "core/rules.h"\n')
        self.fails("the core's own business",
                   "includes.py", self.root, *self.LISTS, "wire=bytes")


class Archive(GateTest):
    """Gates over compiled code."""

    def compile(self, name, text, *options):
        source = self.write(f"{name}.c", text)
        subprocess.run(["cc", *options, source, "-o", str(self.root / name)], check=True)
        return self.root / name

    def archive(self, core):
        self.compile("base_memory.c.o", "#include <stdlib.h>\nvoid *adm_memory_new(void);\n"
                     "void *adm_memory_new(void) { return malloc(1); }\n", "-c")
        self.compile("core_machine.c.o", core, "-c")
        subprocess.run(["ar", "rcs", "all.a", "base_memory.c.o", "core_machine.c.o"],
                       cwd=self.root, check=True)
        return ["purity.py", "nm", self.root / "all.a", "base=", "core=base"]

    def test_pure_core(self):
        self.passes(*self.archive("void *adm_memory_new(void);\n"
                                  "void *f(void) { return adm_memory_new(); }\n"))

    def test_core_that_reads_the_clock(self):
        self.fails("core must not use time", *self.archive(
            "#include <time.h>\nlong f(void) { return (long)time(0); }\n"))

    def test_core_that_prints(self):
        self.fails("core must not use puts", *self.archive(
            '#include <stdio.h>\nint f(void) { return puts("x"); }\n'))

    def test_core_that_calls_a_higher_floor(self):
        self.fails("core must not use adm_loop_turn", *self.archive(
            "int adm_loop_turn(void);\nint f(void) { return adm_loop_turn(); }\n"))

    def symbols(self, source):
        header = self.write("a.h", "ADMISSION_EXPORT int\nadmission_one(int x) MUST;\n"
                            "/* ADMISSION_EXPORT int admission_comment(void); */\n")
        return ["symbols.py", "nm", self.compile("a.so", source, "-shared", "-fPIC"), header]

    def test_symbols_as_declared(self):
        self.passes(*self.symbols("int admission_one(int x) { return x; }\n"))

    def test_symbol_not_exported(self):
        self.fails("admission_one: declared, but not exported", *self.symbols(
            "int admission_two(int x) { return x; }\n"))

    def test_symbol_not_declared(self):
        self.fails("admission_two: exported, but not declared", *self.symbols(
            "int admission_one(int x) { return x; }\nint admission_two(void) { return 2; }\n"))


class Headers(GateTest):
    GOOD = "#ifndef A_H\n#define A_H\n#include <stdint.h>\nenum a { A };\n#endif\n"

    def check(self, saying, text):
        self.write("src/core/a.h", self.GOOD)
        self.write("include/a.h", text)
        self.fails(saying, "headers.py", self.root)

    def test_clean(self):
        self.write("src/core/a.h", self.GOOD)
        self.write("include/a.h", self.GOOD)
        self.passes("headers.py", self.root)

    def test_not_alone(self):
        self.check("int64_t", "int64_t f(void);\n")

    def test_not_twice(self):
        self.check("redefinition", "struct a { int b; };\n")

    def test_not_pedantic(self):
        self.check("pedantic", "enum a { A = 1,; };\nstruct b { };\n")

    def test_not_cpp(self):
        self.check("class", "#include <stdint.h>\nint f(int class);\n")


class Format(GateTest):
    def test_both(self):
        self.write(".clang-format", (HERE / "../../.clang-format").read_text())
        self.write("a.c", "int f(void)\n{\n    return 1;\n}\n")
        if self.run_gate("format.sh", self.root).returncode == 77:
            self.skipTest("no clang-format 14")
        self.passes("format.sh", self.root)
        self.write("a.c", "int f(void) { return 1; }\n")
        run = self.run_gate("format.sh", self.root)
        self.assertNotIn(run.returncode, (0, 77), run.stdout)

    def test_nothing_to_look_at(self):
        self.assertNotEqual(self.run_gate("format.sh", self.root).returncode, 0)


class Text(GateTest):
    FUNCTION = "static int f(int a,\n             int b)\n{\n%s}\n"

    def check(self, saying, name, text):
        self.write(name, text)
        self.fails(saying, "text.py", self.root)

    def test_clean(self):
        self.write("src/a.c", self.FUNCTION % ("    a++;\n" * 66) + "int x;\n" * 500)
        self.passes("text.py", self.root)

    def test_long_function(self):
        self.check("a.c:1: a function of 71 lines",
                   "src/a.c", self.FUNCTION % ("    a++;\n" * 67))

    def test_long_file(self):
        self.check("601 lines", "src/a.c", "int x;\n" * 601)

    def test_wide_line(self):
        self.check("a.c:1: 97 columns", "src/a.c", "/*" + "x" * 93 + "*/\n")

    def test_marks(self):
        self.check("unfinished", "docs/a.md", "TO" "DO: write\n")
        self.check("unfinished", "src/a.c", "/* FIX" "ME */\n")

    def test_machine_path(self):
        self.check("a path of one machine", "README.md", "cd /hom" "e/ann/x\n")
        self.check("a path of one machine", ".ci/run", "cd $HOM" "E\n")


class Docs(GateTest):
    README = ("# A house\n[law](docs/law.md#rule-one)\n\n<!-- run: main -->\n```sh\nx\n```\n"
              "<!-- run: test -->\n```sh\ny\n```\n\n"
              "<!-- docs/examples/a.c -->\n```c\nint y;\n```\n")

    def setUp(self):
        super().setUp()
        self.write("README.md", self.README)
        self.write("docs/law.md", "## Rule one\n[home](../README.md)\n")
        self.write("docs/examples/a.c", "int x;\n    int y;\n")
        self.write("docs/examples/meson.build", "executable('a', 'a.c')\n")

    def check(self, saying, old, new):
        self.assertIn(old, self.README)
        self.write("README.md", self.README.replace(old, new))
        self.fails(saying, "docs.py", self.root)

    def test_clean(self):
        self.passes("docs.py", self.root)

    def test_dead_link(self):
        self.check("leads nowhere", "docs/law.md#rule-one", "docs/gone.md")

    def test_dead_anchor(self):
        self.check("no such heading", "#rule-one", "#rule-two")

    def test_link_out_of_the_project(self):
        self.check("leads nowhere", "docs/law.md#rule-one", "../../etc")

    def test_block_differs(self):
        self.check("has other lines", "int y;", "int  y;")

    def test_block_without_a_file(self):
        self.check("no comment", "<!-- docs/examples/a.c -->\n", "")
        self.check("no such file", "examples/a.c", "examples/b.c")

    def test_block_that_is_not_built(self):
        self.write("docs/examples/meson.build", "")
        self.fails("is not built", "docs.py", self.root)

    def test_command_missing(self):
        self.check("run: test", "<!-- run: test -->\n", "")

    def test_readme_missing(self):
        (self.root / "README.md").unlink()
        self.fails("missing", "docs.py", self.root)


class Rules(GateTest):
    def setUp(self):
        super().setUp()
        self.write("docs/semantics.md", "- T1. **One.**\n- T10. Ten.\n- L2. Two.\n")
        self.write("tests/a.c", "Test(a, T1_holds)\n{\n}\n"
                   'Test(a, b, .description = "of L2: two")\n{\n}\n')
        self.write("tests/cases/a.trace", "# Ten (T10).\n0 a admit x\n")

    def test_clean(self):
        self.passes("rules.py", self.root)

    def test_rule_without_a_test(self):
        self.write("tests/a.c", "Test(a, T1_holds)\n{\n    /* L2 */\n}\n")
        self.fails("no test names L2", "rules.py", self.root)

    def test_rule_that_only_begins_like_one(self):
        self.write("tests/a.c", "Test(a, L2_and_T11)\n{\n}\n")
        self.fails("no test names T1", "rules.py", self.root)


def has_criterion():
    return subprocess.run(["pkg-config", "--exists", "criterion"]).returncode == 0


@unittest.skipUnless(has_criterion(), "Criterion is not installed")
class Criterion(GateTest):
    HEAD = ("#include <criterion/criterion.h>\n#include <stdlib.h>\n"
            "TestSuite(s, .timeout = 9);\n")

    def run_tests(self, body, *options):
        source = self.write("t.c", self.HEAD + body)
        program = str(self.root / "t")
        subprocess.run(["cc", "-g", *options, source, "-o", program, "-lcriterion"], check=True)
        return "criterion.sh", program

    def test_clean(self):
        self.passes(*self.run_tests("Test(s, t) { cr_assert(1); }\n", "-fsanitize=address"))

    def test_failure(self):
        self.fails("failed or crashed", *self.run_tests("Test(s, t) { cr_assert(0); }\n"))

    def test_no_test(self):
        self.fails("no test ran", *self.run_tests(""))

    def test_leak_in_a_worker(self):
        self.fails("sanitizer has reported", *self.run_tests(
            "Test(s, t) { volatile char *p = malloc(9); p = 0; cr_assert(!p); }\n",
            "-fsanitize=address"))

    def test_undefined_behaviour(self):
        self.fails("failed or crashed", *self.run_tests(
            "Test(s, t) { volatile int x = 2147483647; x++; }\n", "-fsanitize=undefined"))

    def test_not_wrapped_and_not_timed(self):
        program = self.run_tests("Test(s, t) { cr_assert(1); }\n")[1]
        self.write("tests/a/t.c", "Test(s, t)\n{\n}\n")
        self.write("meson-info/intro-tests.json", f'[{{"name": "t", "cmd": ["{program}"]}}]')
        self.fails("does not run through criterion.sh", "wrapped.py", self.root, self.root)
        self.fails("no TestSuite(s, .timeout", "wrapped.py", self.root, self.root)


if __name__ == "__main__":
    unittest.main()
