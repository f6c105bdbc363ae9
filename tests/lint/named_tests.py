"""Tests that documents name: `Suite.Name` and `Suite.Part*` of C++, and `page.test.mjs`, "part of a title"."""

import re

DOCUMENTS = ("docs/notes/first-hour.md", "docs/reliability.md")

IN_SOURCE = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)|^TYPED_TEST(?:_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)
IN_DOCUMENT = re.compile(r"`([A-Z]\w*\.(?:\*|\w+\*?))`")
IN_BROWSER = re.compile(r"`(\w+\.test\.mjs)`((?:, \"[^\"]+\")+)")
NOT_A_TEST = re.compile(r"\.(?:md|txt|h|hpp|cpp|py|json|cmake|sh)$")


def unknown_tests(tree):
    """Yields (document, offset, sentence) for each named test that does not exist."""
    documents = [name for name in DOCUMENTS if name in tree.known]
    if not documents:
        return
    known = set()
    for name in tree.files:
        if name.startswith(("tests/", "python/tests/")) and name.endswith((".cpp", ".h")):
            known |= {".".join(g for g in match.groups() if g) for match in IN_SOURCE.finditer(tree.text(name))}
    for document in documents:
        text = tree.text(document)
        for match in IN_DOCUMENT.finditer(text):
            test = match.group(1)
            exists = any(k.startswith(test[:-1]) for k in known) if test.endswith("*") else test in known
            if not exists and not NOT_A_TEST.search(test):
                yield document, match.start(), f"test {test}, which does not exist"
        for match in IN_BROWSER.finditer(text):
            file = "tests/browser/" + match.group(1)
            titles = re.findall(r"^test\('([^']*)'", tree.text(file), re.MULTILINE) if file in tree.known else []
            for part in re.findall(r'"([^"]+)"', match.group(2)):
                if not any(part in title for title in titles):
                    yield document, match.start(), f'test "{part}" of {match.group(1)}, which does not exist'
