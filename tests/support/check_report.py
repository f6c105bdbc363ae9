#!/usr/bin/env python3
"""Reads the output of `warptune report` with independent parsers: HTML, SVG, CSV and JSON with Python's library.

Usage: check_report.py FILE...; prints one line per file: its kind and content. Exits with 1 if one cannot be read.
"""
import csv
import html.parser
import json
import sys
import xml.etree.ElementTree


class Page(html.parser.HTMLParser):
    """Collects the data of the page, its tags, and everything that would load from another place."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.data, self.tags, self.loads, self.inside = "", {}, [], None

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.inside = found.get("id") if tag == "script" else self.inside
        self.loads += [f"{tag} {name}={value}" for name, value in found.items()
                       if name in ("src", "href", "srcset", "action") and not (value or "").startswith(("#", "data:"))]
        self.loads += [f"{tag} {name}" for name in found if name.startswith("on")]

    def handle_endtag(self, tag):
        if tag == "script":
            self.inside = None

    def handle_data(self, data):
        if self.inside == "wt-data":
            self.data += data


def length(column, n):
    """The values of a column, which may be packed as in a page (src/report/packed_column.h)."""
    if isinstance(column, list):
        return len(column)
    return n if "all" in column else len(column["at"] if "at" in column else column["by"])


def check_columns(view):
    trials = view["trials"]
    columns = [v for k, v in trials.items() if k not in ("n", "config", "counters", "levels")]
    columns += trials["config"] + trials["counters"] + [c for level in trials["levels"].values() for c in level.values()]
    assert all(length(column, trials["n"]) == trials["n"] for column in columns), "columns of unequal length"
    return trials["n"]


def check_data(text):
    data = json.loads(text)
    counts = [check_columns(view) for view in data["views"]]
    return f"views={len(counts)} trials={sum(counts)}"


def check(name):
    with open(name, encoding="utf-8", newline="") as file:
        text = file.read()
    if name.endswith(".svg"):
        root = xml.etree.ElementTree.fromstring(text)
        return f"svg {root.tag.split('}')[1]} texts={len(root.findall('.//{*}text'))}"
    if name.endswith(".csv"):
        rows = list(csv.reader(text.splitlines(keepends=True)))
        assert all(len(row) == len(rows[0]) for row in rows), "rows of unequal length"
        return f"csv rows={len(rows) - 1}"
    if name.endswith(".json"):
        return "json " + check_data(text)
    page = Page()
    page.feed(text)
    assert not page.loads, f"the page would load or run: {page.loads}"
    return f"html {check_data(page.data)} tables={page.tags.get('table', 0)} pictures={page.tags.get('svg', 0)}"


def main():
    for name in sys.argv[1:]:
        try:
            print(check(name))
        except (AssertionError, ValueError, KeyError, xml.etree.ElementTree.ParseError, csv.Error) as error:
            print(f"{name}: {error}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
