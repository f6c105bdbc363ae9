"""Links of documents to files, and to headings (`file.md#anchor`, `#anchor`), that do not exist."""

import re
from unicodedata import category
from urllib.parse import unquote

LINK = re.compile(r"\]\(([^)\s]+)[^)]*\)")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$", re.MULTILINE)
IMAGE_OR_TAG, LINKED = r"!\[[^]]*\]\([^)]*\)|<[^>]+>", r"\[([^]]*)\]\([^)]*\)"
EMPHASIS = r"(?<!\w)(_+)(\S(?:.*?\S)?)\1(?!\w)"
KEPT_CATEGORIES = ("L", "M", "Nd", "Pc")  # of Unicode: letters, marks, digits, and connectors such as the underscore


def without_code_blocks(text):
    """The text with an empty line for each line of a code block."""
    lines, fence = [], ""
    for line in text.split("\n"):
        found = FENCE.match(line)
        lines.append("" if fence or found else line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and line.strip() == found[1]:
            fence = ""
    return "\n".join(lines)


def shown(heading):
    """A heading as a browser shows it. Markup has no meaning in code."""
    codes = []
    text = re.sub(r"(`+)(.+?)\1(?!`)", lambda code: codes.append(code[2].strip()) or "\0", heading)
    text = re.sub(EMPHASIS, r"\2", re.sub(LINKED, r"\1", re.sub(IMAGE_OR_TAG, "", text)))
    return re.sub("\0", lambda _: codes.pop(0), text).strip()


def anchors_of(text):
    """The anchors of the headings of a document, by GitHub's rule: lower case, no punctuation, and hyphens instead of
    spaces. A repeated anchor gets a number."""
    anchors = set()
    for heading in HEADING.findall(without_code_blocks(text)):
        kept = [c for c in shown(heading).lower() if c in " -" or category(c).startswith(KEPT_CATEGORIES)]
        name = anchor = "".join(kept).replace(" ", "-")
        repeats = 0
        while anchor in anchors:
            repeats += 1
            anchor = f"{name}-{repeats}"
        anchors.add(anchor)
    return anchors


def broken_links(tree):
    """Yields (document, line, sentence) for each link without a target."""
    anchors = {}
    for name in [f for f in tree.files if f.endswith(".md")]:
        text = without_code_blocks(tree.text(name))
        for match in LINK.finditer(text):
            file, _, anchor = match[1].partition("#")
            if re.match(r"\w+:", file):
                continue
            line = text.count("\n", 0, match.start()) + 1
            target = (tree.root / name).parent / file if file else tree.root / name
            if not target.exists():
                yield name, line, f"link to {file}, which does not exist"
                continue
            if target.is_dir():
                target /= "README.md"  # GitHub shows it below the list of files
            if not anchor or target.suffix != ".md":
                continue
            if target not in anchors:
                anchors[target] = anchors_of(target.read_text(encoding="utf-8")) if target.is_file() else set()
            if unquote(anchor) not in anchors[target]:
                yield name, line, f"link to {match[1]}, but {file or 'this document'} has no such heading"
