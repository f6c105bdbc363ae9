#!/usr/bin/env python3
"""Checks of the tree that a compiler does not do: lint.py <check> [--root DIR] [--build DIR] [--binary FILE]...

Prints one line for each finding. Exits with 1 if there is one, and with 77 if the check cannot run here.
"""
import argparse
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import definitions
import early
import links
import named_tests
import rules
import words

SKIPPED = 77
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


class Skip(Exception):
    pass


class Tree:
    """The files of a checkout, without build outputs."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        self.files = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(f for f in folders if f == ".ci" or not (
                f.startswith((".", "build")) or f in ("dist", "node_modules", "__pycache__")))
            self.files += [(Path(folder) / n).relative_to(self.root).as_posix() for n in sorted(names)]
        self.known = set(self.files)

    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8", errors="replace")

    def below(self, folders, suffixes):
        prefixes = tuple(f + "/" for f in folders)
        return [f for f in self.files if f.startswith(prefixes) and f.endswith(suffixes)]


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def cmake_text(tree, name):
    return re.sub(r"#.*", "", tree.text(name))


# --- layers ---------------------------------------------------------------------------------------------------------

def reader_stems(tree):
    stems = {Path(h).with_suffix("").as_posix() for h in rules.READER_HEADERS}
    if "db/CMakeLists.txt" in tree.known:
        call = re.search(r"wt_library\(wt_db_reader\b([^)]*)\)", cmake_text(tree, "db/CMakeLists.txt"))
        for word in re.findall(r"\S+\.(?:cpp|h)\b", call.group(1) if call else ""):
            stems.add("db/" + word.rsplit(".", 1)[0])
    return stems


def unit_of(name, stems):
    for unit, folder in rules.UNITS.items():
        if name.startswith(folder + "/"):
            return "db_reader" if unit == "db" and name.rsplit(".", 1)[0] in stems else unit
    return None


def find_included(tree, includer, included):
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), included))
    for candidate in ("src/" + included, included, "src/runtime/include/" + included, "tests/" + included, beside):
        if candidate in tree.known:
            return candidate
    return None


def check_layers(tree, _):
    stems = reader_stems(tree)
    for name in tree.below(rules.SOURCE_FOLDERS, (".cpp", ".h", ".hpp", ".c")):
        text = tree.text(name)
        unit = unit_of(name, stems)
        for match in INCLUDE.finditer(text):
            kind, included = match.groups()
            where = f"{name}:{line_of(text, match.start())}"
            for pattern, folders in rules.THIRD_PARTY.items():
                if names_header(pattern, included) and not name.startswith((*folders, "tests/")):
                    yield f"{where}: {included} belongs to {', '.join(folders) or 'nobody'}"
            if name.startswith(rules.PUBLIC_HEADERS) and re.match(rules.NOT_IN_PUBLIC_HEADERS, included):
                yield f"{where}: a public header must not need {included}"
            if kind == "<" or unit is None:
                continue
            if included.startswith("embedded/") or included == "warptune/build_config.h":
                continue
            target = find_included(tree, name, included)
            if target is None:
                yield f"{where}: \"{included}\" is not a file of this tree"
                continue
            other = unit_of(target, stems)
            if other != unit and other not in rules.MAY_INCLUDE[unit]:
                yield f"{where}: {unit} must not include {other or target} (\"{included}\")"
        for pattern, files in rules.CALLED_IN.items():
            for match in re.finditer(pattern, text):
                if not name.startswith((*files, "tests/")):
                    yield f"{name}:{line_of(text, match.start())}: {match.group()} is called in {', '.join(files)} only"
    yield from check_tiers(tree)
    yield from check_cycles(tree)


def room_files(tree, folder):
    return tree.below([folder], (".cpp", ".h", ".hpp", ".c"))


def stem_of(name):
    return name.rsplit(".", 1)[0]


def includes_within(tree, name, folder):
    """(line, file) of each include of a file of the same folder."""
    text = tree.text(name)
    for match in INCLUDE.finditer(text):
        target = find_included(tree, name, match.group(2)) if match.group(1) == '"' else None
        if target and target.startswith(folder + "/"):
            yield line_of(text, match.start()), target


def tier_of(stem, tiers):
    """An exact name takes precedence over a pattern, so that one file can be in another tier than the rest."""
    for i, tier in enumerate(tiers):
        if stem in tier:
            return i
    return next((i for i, tier in enumerate(tiers) if any(fnmatch.fnmatchcase(stem, p) for p in tier)), None)


def check_tiers(tree):
    for room, tiers in rules.TIERS.items():
        folder = rules.UNITS[room]
        tier = {name: tier_of(stem_of(name)[len(folder) + 1:], tiers) for name in room_files(tree, folder)}
        for name in tier:
            if tier[name] is None:
                yield f"{name}: no tier of {room} in tests/lint/rules.py lists it"
                continue
            for line, target in includes_within(tree, name, folder):
                if tier.get(target) is not None and tier[target] > tier[name]:
                    yield f"{name}:{line}: includes {target}, which is of a higher tier of {room}"


def check_cycles(tree):
    """Include cycles among the things of each room; a thing is a file, the header of its name, and the files that
    ONE_THING joins."""
    thing = {stem: together[0] for together in rules.ONE_THING for stem in together}
    for folder in rules.UNITS.values():
        graph = {}
        for name in room_files(tree, folder):
            here = thing.get(stem_of(name), stem_of(name))
            there = {thing.get(stem_of(target), stem_of(target)) for _, target in includes_within(tree, name, folder)}
            graph.setdefault(here, set()).update(there - {here})
        for cycle in cycles_of(graph):
            yield f"{cycle[0]}: include cycle: {' -> '.join([*cycle, cycle[0]])}"


def cycles_of(graph):
    """One cycle for each place where the walk returns to a node on its path."""
    done, path = set(), []

    def walk(node):
        if node in path:
            yield path[path.index(node):]
        elif node not in done:
            path.append(node)
            for following in sorted(graph.get(node, ())):
                yield from walk(following)
            path.pop()
            done.add(node)

    for node in sorted(graph):
        yield from walk(node)


def names_header(pattern, included):
    """An alternative that ends in / names a folder of headers; any other names a whole header."""
    return any(re.match(p, included) if p.endswith("/") else re.fullmatch(p, included) for p in pattern.split("|"))


# --- sources, length, device code ---------------------------------------------------------------------------------

def check_sources(tree, _):
    for name in tree.below(rules.SOURCE_FOLDERS, rules.LISTED_SUFFIXES):
        if name.startswith(tuple(rules.NOT_LISTED)):
            continue
        folder = Path(name).parent
        while folder.as_posix() != "." and (folder / "CMakeLists.txt").as_posix() not in tree.known:
            folder = folder.parent
        listing = (folder / "CMakeLists.txt").as_posix()
        relative = Path(name).relative_to(folder).as_posix()
        if listing not in tree.known or not re.search(
                rf"(?<![\w/.-]){re.escape(relative)}(?![\w.-])", cmake_text(tree, listing)):
            yield f"{name}: not listed in {listing}"


def check_length(tree, _):
    for name in tree.files:
        if name.endswith(rules.COUNTED_SUFFIXES) and not name.startswith("tests/data/"):
            lines = tree.text(name).count("\n")
            if lines > rules.MAX_LINES:
                yield f"{name}: {lines} lines, the limit is {rules.MAX_LINES}; is it one concept?"


def median(numbers):
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def report_sizes(tree):
    """Prints for each room the number of C++ files and the median of their lines. A report, not a check."""
    lines = {unit: [tree.text(f).count("\n") for f in room_files(tree, folder)] for unit, folder in rules.UNITS.items()}
    lines["all"] = [n for of_room in lines.values() for n in of_room]
    for unit, of_room in lines.items():
        if of_room:
            print(f"{unit:12} {len(of_room):4} files, median {median(of_room):5g} lines, longest {max(of_room)}")


def check_device_code(tree, args):
    for name in tree.files:
        if name.endswith(("CMakeLists.txt", ".cmake")) and re.search(
                r"enable_language\(\s*CUDA|LANGUAGES[^)]*\bCUDA\b", cmake_text(tree, name)):
            yield f"{name}: asks for the CUDA language; device code is compiled by NVRTC at run time"
    commands = Path(args.build or "") / "compile_commands.json"
    if not commands.is_file():
        raise Skip("no compile_commands.json; name the build folder with --build")
    for entry in json.loads(commands.read_text()):
        if entry["file"].endswith((".cu", ".cuh")) or "-x cuda" in entry.get("command", ""):
            yield f"{entry['file']}: device code compiled by the host compiler"


# --- libraries that binaries need, symbols that they export ---------------------------------------------------------

def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported_symbols(binary):
    """Symbols with their versions; the name of a version itself ("A") is not a symbol."""
    lines = run("nm", "-D", "--defined-only", binary).splitlines()
    return sorted({line.split()[-1] for line in lines if " A " not in line})


def abi_of(binary):
    soname = re.findall(r"\(SONAME\).*\[(.*)\]", run("readelf", "-d", binary))
    return [f"soname {' '.join(soname)}", *exported_symbols(binary)]


ABI_TITLE = "# What libwarptune.so exports; lint.py binaries compares, --accept-abi writes it."


def is_runtime(binary):
    return Path(binary).name.startswith("libwarptune.so")


def check_abi(tree, binary):
    if rules.ABI_FILE not in tree.known:
        return
    promised, found = tree.text(rules.ABI_FILE).split("\n"), abi_of(binary)
    promised = [line for line in promised if line and not line.startswith("#")]
    for line in sorted(set(promised) - set(found)):
        yield f"{binary}: {line} is in {rules.ABI_FILE} and not in the library: programs that were built with it break"
    for line in sorted(set(found) - set(promised)):
        yield f"{binary}: {line} is not in {rules.ABI_FILE}; what is once there is kept until the SONAME changes"
    for name in [line for line in found[1:] if "@@" not in line]:
        yield f"{binary}: {name} has no version; src/runtime/exports.map gives it one"


def check_binaries(tree, args):
    if not args.binary:
        raise Skip("no --binary")
    for binary in args.binary:
        allowed = rules.INTERCEPT_NEEDED if Path(binary).name == "libwarptune_capture.so" else rules.NEEDED
        for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", binary)):
            if not re.fullmatch(allowed, needed):
                yield f"{binary}: needs {needed}; link it statically, or open it at run time"
        for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", run("readelf", "-d", binary)):
            yield f"{binary}: looks for libraries in '{path}'; what is installed finds them where the system does"
        if not is_runtime(binary):
            continue
        yield from check_abi(tree, binary)
        with tempfile.NamedTemporaryFile() as stripped:
            run("strip", "-o", stripped.name, binary)
            size = Path(stripped.name).stat().st_size
        if size > rules.MAX_RUNTIME_BYTES:
            yield f"{binary}: {size} bytes, the limit is {rules.MAX_RUNTIME_BYTES}; nm --size-sort says what is large"
        exported = {symbol.split("@")[0] for symbol in exported_symbols(binary)}
        for symbol in sorted(exported):
            if not re.fullmatch(rules.RUNTIME_EXPORTS, symbol):
                yield f"{binary}: exports {symbol}"
        declared = set()
        for header in tree.below([rules.PUBLIC_HEADERS.rstrip("/")], (".h",)):
            declared |= set(re.findall(r"\bWT_API\b[^;()]*?\b(wt_\w+)\s*\(", tree.text(header)))
        if exported:  # before the first exported function there is nothing to compare
            for symbol in sorted(declared - exported):
                yield f"{binary}: {symbol} is declared in the public header, but not exported"
            for symbol in sorted(s for s in exported - declared if re.fullmatch(rules.RUNTIME_EXPORTS, s)):
                yield f"{binary}: {symbol} is exported, but no public header declares it"
        content = Path(binary).read_bytes()
        for text in rules.NOT_IN_RUNTIME:
            if text in content:
                yield f"{binary}: contains {text.decode()}"


# --- style, paths, documents ----------------------------------------------------------------------------------------

def check_format(tree, _):
    tool = shutil.which(f"clang-format-{rules.CLANG_FORMAT_MAJOR}") or shutil.which("clang-format")
    if not tool or f"version {rules.CLANG_FORMAT_MAJOR}." not in run(tool, "--version"):
        raise Skip(f"needs clang-format {rules.CLANG_FORMAT_MAJOR}")
    files = [f for f in tree.files if f.endswith(rules.FORMATTED_SUFFIXES)]
    done = subprocess.run([tool, "--dry-run", "-Werror", *files], cwd=tree.root, capture_output=True, text=True)
    wrong = sorted(set(re.findall(r"^(.+?):\d+:\d+: error:", done.stderr, re.MULTILINE)))
    yield from (f"{name}: not formatted; `make format` does it" for name in wrong)
    if done.returncode and not wrong:
        yield done.stderr.strip()


def check_paths(tree, _):
    places = {str(tree.root)}
    if len(tree.root.parent.parts) > 1 and tree.root.parent.as_posix() not in ("/tmp", "/home", "/opt", "/usr/src"):
        places.add(str(tree.root.parent) + "/")
    pattern = re.compile("|".join([re.escape(p) for p in sorted(places)] + [r"/(?:home|Users)/\w+/", r"(?<!\w)/root/"]))
    for name in tree.files:
        path = tree.root / name
        if path.is_symlink() or path.stat().st_size > 5_000_000 or name.startswith("tests/lint/"):
            continue
        content = path.read_bytes()
        if b"\0" in content[:4096]:
            continue
        text = content.decode("utf-8", "replace")
        for match in pattern.finditer(text):
            yield f"{name}:{line_of(text, match.start())}: path of one machine: {match.group()}"


def check_documents(tree, _):
    for name, line, sentence in links.broken_links(tree):
        yield f"{name}:{line}: {sentence}"
    for name in [f for f in tree.files if f.endswith(".md")]:
        text = links.without_code_blocks(tree.text(name))
        # Tables in the data-flow document name a function and its file: "| step | in -> out | `function` | file |".
        for match in re.finditer(r"^\|(.+)\|\s*`([\w:]+)`\s*\|\s*`?([\w./<>]+\.(?:cpp|h))`?\s*\|", text, re.MULTILINE):
            function, file = match.group(2), match.group(3)
            where = f"{name}:{line_of(text, match.start())}"
            if "<" in file:
                continue
            if file not in tree.known:
                yield f"{where}: {file} does not exist"
            elif not has_function(tree.text(file), file, function):
                yield f"{where}: {file} has no {function}"
    for name, at, sentence in named_tests.unknown_tests(tree):
        yield f"{name}:{line_of(tree.text(name), at)}: {sentence}"


def has_function(text, file, function):
    """A source defines the function under the name in the table; a header declares it, a method inside its class."""
    text = re.sub(r"//[^\n]*", "", text)
    owner, _, name = function.rpartition("::")
    is_in_class = re.search(rf"\b(?:class|struct)\s+{owner}\b[^;{{]*\{{", text) is not None
    if file.endswith(".h"):
        return (not owner or is_in_class) and re.search(rf"[\w>*&]\s+[*&]?{name}\(", text) is not None
    # The name follows its type: at the beginning of a line, or indented inside a class of this file. A declaration has
    # no body.
    body = r"\([^;{}]*\)[^;{}()]*\{"
    if re.search(rf"^[\w<][^\n;={{}}()]*[ *&]{function}{body}", text, re.MULTILINE):
        return True
    return bool(owner) and is_in_class and re.search(rf"^ +\w[^\n;={{}}()]*[ *&]{name}{body}", text, re.MULTILINE) is not None


LITERAL = re.compile(r'R"(\w*)\((.*?)\)\1"|"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"', re.DOTALL)
SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|coalesce)\b|.*\b(AND|WHERE|FROM) ", re.DOTALL)


def texts_for_users(name, text):
    """(offset, text): a document without its code; for a source, the literals that are sentences."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    if name.endswith(".md"):
        text = re.sub(r"^```.*?^```|`[^`\n]*`|\]\([^)]*\)", blank, text, flags=re.DOTALL | re.MULTILINE)
        return [(0, text)]
    text = re.sub(r"'\\?\"'", blank, text)  # a quote as a character literal
    comment = r"^[ \t]*#[^\n]*" if name.endswith(".py") else r"^[ \t]*//[^\n]*|^[ \t]*#[ \t]*include[^\n]*|(?<=[ ;])// [^\n]*"
    text = re.sub(comment, blank, text, flags=re.MULTILINE)
    found = [(m.start(), next(g for g in m.groups()[1:] if g is not None)) for m in LITERAL.finditer(text)]
    return [(at, literal) for at, literal in found if " " in literal and not SQL.match(literal)]


COMMENT = re.compile(r"(?:^[ \t]*//[^\n]*\n?)+|//[^\n]*|/\*.*?\*/", re.DOTALL | re.MULTILINE)


def comments_for_users(text):
    """(offset, text) of each comment, without the code in it."""
    return [(m.start(), re.sub(r"`[^`\n]*`|\"[^\"\n]*\"|\b\w+\([^)]*\)", lambda c: " " * len(c.group(0)), m.group(0)))
            for m in COMMENT.finditer(text)]


def check_words(tree, _):
    patterns = [(re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE), instead, why)
                for pattern, instead, why in words.BANNED]
    for name in tree.files:
        if not any(fnmatch.fnmatch(name, p) for p in words.DOCUMENTS + words.SOURCES) or name.startswith("docs/notes/"):
            continue
        is_public = any(fnmatch.fnmatch(name, p) for p in words.PUBLIC_HEADERS)
        for at, text in texts_for_users(name, tree.text(name)) + (comments_for_users(tree.text(name)) if is_public else []):
            for stable in words.STABLE_NAMES:
                text = re.sub(stable, lambda match: " " * len(match.group(0)), text)
            for pattern, instead, why in patterns:
                for match in pattern.finditer(text):
                    line = line_of(tree.text(name), at) + line_of(text, match.start()) - 1
                    yield f"{name}:{line}: '{match.group(0)}': write '{instead}' ({why}; tests/lint/words.py)"
    for name in [f for f in tree.files if f.endswith((".cpp", ".h", ".hpp"))]:
        for pattern, instead in words.BANNED_NAMES:
            for match in re.finditer(pattern, tree.text(name)):
                yield f"{name}:{line_of(tree.text(name), match.start())}: {match.group(0)}: name it {instead} (tests/lint/words.py)"


CHECKS = {
    "layers": check_layers,
    "definitions": lambda tree, _: definitions.twice_defined(tree),
    "early": lambda tree, _: early.late_waits(tree),
    "sources": check_sources,
    "length": check_length,
    "device_code": check_device_code,
    "binaries": check_binaries,
    "format": check_format,
    "paths": check_paths,
    "documents": check_documents,
    "words": check_words,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=[*CHECKS, "all", "sizes"], help="sizes: prints how long the files are")
    parser.add_argument("--root", default=Path(__file__).resolve().parents[2])
    parser.add_argument("--build", help="build folder, for its compile_commands.json")
    parser.add_argument("--binary", action="append", help="program or library to look into")
    parser.add_argument("--accept-abi", action="store_true", help="take the runtime library's ABI as what is promised")
    args = parser.parse_args()
    tree = Tree(args.root)
    if args.check == "sizes":
        report_sizes(tree)
        return 0
    for binary in args.binary or [] if args.accept_abi else []:
        if is_runtime(binary):
            (tree.root / rules.ABI_FILE).write_text("\n".join([ABI_TITLE, *abi_of(binary)]) + "\n")
    findings = 0
    for name in CHECKS if args.check == "all" else [args.check]:
        try:
            for finding in CHECKS[name](tree, args):
                print(f"{name}: {finding}")
                findings += 1
        except Skip as reason:
            print(f"{name}: skipped, {reason}")
            if args.check != "all":
                return SKIPPED
    print(f"{findings} findings in {len(tree.files)} files")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
