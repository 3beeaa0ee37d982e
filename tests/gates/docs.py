"""Gate: the documents say what is there.

Usage: docs.py ROOT

Of README.md and docs/**/*.md: every relative link names a file of the project, and its anchor a
heading of that file. Every block of C or C++ is a run of whole lines of the file that the
comment before it names, `<!-- docs/examples/NAME.c -->`; that file is one of docs/examples or
tests, and the meson.build beside it names it, so it is built and run. The README has the two
commands, `<!-- run: main -->` and `<!-- run: test -->`, each before a block of sh.
"""
import pathlib
import re
import sys
import textwrap

FENCE = re.compile(r"^(```+)\s*(\S*)")
COMMENT = re.compile(r"^<!--\s*(.*?)\s*-->$")
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
CODE = re.compile(r"`[^`]*`")
C_LIKE = {"c", "cpp", "c++", "cc", "cxx"}


class Document:
    """The parts of a document: prose by line, blocks with the comment before them."""

    def __init__(self, path):
        self.path = path
        self.prose = []   # (line number, text)
        self.blocks = []  # (line number, language, comment or None, lines)
        fence, said = None, None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            mark = FENCE.match(line)
            if fence is None and mark:
                fence = mark.group(1)
                block = (number, mark.group(2).lower(), said, [])
            elif fence is not None and line.startswith(fence):
                self.blocks.append(block)
                fence, said = None, None
            elif fence is not None:
                block[3].append(line)
            else:
                self.prose.append((number, line))
                comment = COMMENT.match(line.strip())
                if comment:
                    said = comment.group(1)
                elif line.strip():
                    said = None
        self.is_open = fence is not None

    def anchors(self):
        """The names by which a forge links to the headings."""
        for _, line in self.prose:
            heading = re.match(r"#+\s+(.*)", line)
            if heading:
                text = re.sub(r"[^\w\- ]", "", heading.group(1).strip().lower())
                yield text.replace(" ", "-")


def check_links(root, document):
    for number, line in document.prose:
        for target in LINK.findall(CODE.sub("", line)):
            if re.match(r"[a-z][a-z+.-]*:", target):
                continue
            name, _, anchor = target.partition("#")
            path = (document.path.parent / name).resolve() if name else document.path
            if not path.exists() or root not in path.parents:
                yield number, f"the link {target} leads nowhere"
            elif anchor and path.suffix == ".md" and anchor not in Document(path).anchors():
                yield number, f"{target}: no such heading"


def has_run_of_lines(lines, block):
    wanted = "\n".join(block)
    return any(textwrap.dedent("\n".join(lines[at:at + len(block)])) == wanted
               for at in range(len(lines) - len(block) + 1))


def check_blocks(root, document):
    for number, language, comment, block in document.blocks:
        if language not in C_LIKE:
            continue
        path = root / (comment or "")
        if comment is None or not re.match(r"(docs/examples|tests)/", comment):
            yield number, "no comment before this block names its file"
        elif not path.is_file():
            yield number, f"{comment}: no such file"
        elif not block or not has_run_of_lines(path.read_text().splitlines(), block):
            yield number, f"{comment} has other lines"
        elif not re.search(rf"\b{re.escape(path.stem)}\b",
                           (path.parent / "meson.build").read_text()):
            yield number, f"{comment} is not built"


def check_commands(document):
    said = [comment for _, language, comment, _ in document.blocks if language == "sh"]
    for name in ("run: main", "run: test"):
        if said.count(name) != 1:
            yield 1, f"{said.count(name)} blocks of sh are <!-- {name} -->; it takes one"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    wrong = []
    readme = root / "README.md"
    paths = [readme] + sorted((root / "docs").rglob("*.md"))
    for path in paths:
        if not path.exists():
            wrong.append(f"{path}: missing")
            continue
        document = Document(path)
        found = list(check_links(root, document)) + list(check_blocks(root, document))
        if document.is_open:
            found.append((1, "a block has no end"))
        if path == readme:
            found += check_commands(document)
        wrong += [f"{path}:{number}: {what}" for number, what in found]
    print("\n".join(wrong + [f"{len(paths)} documents looked at"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
