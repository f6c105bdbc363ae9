#!/usr/bin/env python3
"""Plants small bugs one at a time and says whether the tests catch them.

    plant.py check                      does every bug still apply: its text is found exactly once
    plant.py list [WORD...]             ids, files and what is wrong
    plant.py run [WORD...]              plant, build, test, revert; a WORD is an id or the beginning of one
        --build DIR     a configured build tree of this source tree (build/release)
        --tree DIR      plant there instead: another checkout, with a build tree of its own
        --results FILE  append a line of JSON for each bug; bugs that are in it already are left out
        --timeout S     the most that a test program may take, beyond which a bug counts as caught (120)
    plant.py table --results FILE       the results as a table in Markdown

The bugs are in bugs/*.txt (bugs/README.md). The file is restored after each, also on Ctrl-C; a bug is refused where git
knows of changes in its file. Exit codes: 0 all caught (or known to survive), 1 something survived, does not apply or does
not compile, 2 bad input."""
import argparse
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUGS = Path(__file__).resolve().parent / "bugs"
HEAD = re.compile(r"\[([a-z0-9_-]+)\] (\S+)$")


class Bug:
    def __init__(self, name, path, where):
        self.name, self.path, self.where = name, path, where
        self.what, self.tests, self.survives = "", [], ""
        self.before, self.after = [], []


def parse(text, source):
    bugs = []
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{source}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if head := HEAD.match(line):
            bugs.append(Bug(head[1], head[2], where))
        elif not bugs:
            raise ValueError(f"{where}: a bug begins with [id] file")
        elif line[:2] in ("- ", "+ ") or line in ("-", "+"):
            (bugs[-1].before if line[0] == "-" else bugs[-1].after).append(line[2:])
        elif line.startswith(("what: ", "survives: ")):
            key, value = line.split(": ", 1)
            setattr(bugs[-1], key, value)
        elif line.startswith("tests: "):
            bugs[-1].tests = line[len("tests: "):].split()
        else:
            raise ValueError(f"{where}: what:, tests:, survives:, '- ' or '+ ' expected, not {line!r}")
    for bug in bugs:
        if not (bug.what and bug.tests and bug.before):
            raise ValueError(f"{bug.where}: {bug.name} lacks what:, tests: or the text before")
        if bug.before == bug.after:
            raise ValueError(f"{bug.where}: {bug.name} changes nothing")
    return bugs


def load():
    bugs = [b for path in sorted(BUGS.glob("*.txt")) for b in parse(path.read_text(), path.name)]
    names = [bug.name for bug in bugs]
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise ValueError("ids are not unique: " + ", ".join(twice))
    return bugs


def chosen(bugs, words):
    found = [b for b in bugs if not words or any(b.name.startswith(word) for word in words)]
    if not found:
        raise ValueError("no bug begins with " + " or ".join(words))
    return found


def planted(bug, tree):
    """The file's text with the bug in it; an error if its text is not found exactly once."""
    file = tree / bug.path
    if not file.is_file():
        raise LookupError(f"{bug.path} does not exist")
    text, before = file.read_text(), "\n".join(bug.before)
    if text.count(before) != 1:
        raise LookupError(f"its text is found {text.count(before)} times in {bug.path}")
    return text.replace(before, "\n".join(bug.after))


def check(bugs):
    wrong = 0
    for bug in bugs:
        try:
            planted(bug, ROOT)
        except LookupError as error:
            wrong += 1
            print(f"tests/plant/bugs/{bug.where}: {bug.name}: {error}")
    print(f"{len(bugs)} bugs, {wrong} no longer apply")
    return 1 if wrong else 0


def run_one(command, cwd, timeout=None):
    try:
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=timeout)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return 124, f"still running after {timeout} s"


def suites_in(folders):
    """The GoogleTest filter for all suites in these folders of tests/unit."""
    names = set()
    for folder in folders:
        for file in (ROOT / "tests" / "unit" / folder).glob("*.cpp"):
            names |= set(re.findall(r"^TEST(?:_F|_P)?\((\w+),", file.read_text(), re.M))
    return ":".join(f"{name}.*:*/{name}.*" for name in sorted(names))


def split_test(test):
    """program, program:filter (of GoogleTest), unit_tests@folder,folder or ctest:regex@target,target."""
    program, _, rest = test.partition(":")
    if program.startswith("unit_tests@"):
        program, _, folders = program.partition("@")
        rest = suites_in(folders.split(","))
    if program == "ctest":
        regex, _, targets = rest.partition("@")
        return ["ctest", "-R", regex, "--output-on-failure"], targets.split(",") if targets else []
    return ["tests/" + program] + (["--gtest_filter=" + rest] if rest else []), [program]


def failed_tests(output):
    names = re.findall(r"^\[  FAILED  \] ([A-Za-z_][\w./]+)", output, re.M)
    names += re.findall(r"^(?:FAIL|ERROR): (\w+) \(", output, re.M)  # Python's unittest
    # Node's test runner
    names += [f'"{name}"' for name in re.findall(r"^\s*not ok \d+ - (?!\S+\.mjs$)(.+)$", output, re.M)]
    names += re.findall(r"^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted)\)", output, re.M)
    return list(dict.fromkeys(names))


def judge(bug, tree, build, timeout_s):
    """('caught' | 'survived' | 'does not compile' | 'no test was run', details)"""
    commands = [split_test(test) for test in bug.tests]
    targets = sorted({target for _, needed in commands for target in needed})
    if targets:
        code, output = run_one(["cmake", "--build", str(build), "--target", *targets], tree)
        if code != 0:
            errors = [line for line in output.splitlines() if "error:" in line]
            return "does not compile", (errors or output.splitlines()[-1:])[0][:200]
    for command, _ in commands:
        code, output = run_one(command if command[0] == "ctest" else [str(build / command[0]), *command[1:]], build,
                               timeout_s)
        if "[==========] Running 0 tests" in output or "No tests were found" in output:
            return "no test was run", " ".join(command)
        if code != 0:
            return "caught", ", ".join(failed_tests(output)[:3]) or f"{command[0]} ends with {code}"
    return "survived", ""


def plant(bug, tree, build, timeout_s):
    try:
        text = planted(bug, tree)
    except LookupError as error:
        return "no longer applies", str(error)
    file = tree / bug.path
    changed, _ = run_one(["git", "diff", "--quiet", "--", bug.path], tree)
    if changed not in (0, 129):  # 129: not a git repository
        return "no longer applies", f"{bug.path} has changes that are not committed"
    whole = file.read_bytes()
    try:
        file.write_text(text)
        return judge(bug, tree, build, timeout_s)
    finally:
        file.write_bytes(whole)


def run(bugs, options):
    tree = options.tree.resolve()
    build = options.build if options.build.is_absolute() else tree / options.build
    if not (build / "CMakeCache.txt").is_file():
        raise ValueError(f"{build} is not a configured build tree; `cmake --preset release` makes build/release")
    known = set()
    if options.results and options.results.is_file():
        known = {json.loads(line)["id"] for line in options.results.read_text().splitlines()}
    counts = {}
    for bug in bugs:
        if bug.name in known:
            continue
        begun = time.monotonic()
        verdict, detail = plant(bug, tree, build, options.timeout)
        if verdict == "survived" and bug.survives:
            verdict, detail = "known to survive", bug.survives
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{verdict:18} {bug.name}: {bug.what}{'; ' + detail if detail else ''}", flush=True)
        if options.results:
            entry = {"id": bug.name, "file": bug.path, "what": bug.what, "verdict": verdict, "detail": detail,
                     "seconds": round(time.monotonic() - begun, 1)}
            with options.results.open("a") as out:
                out.write(json.dumps(entry) + "\n")
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) or "nothing left to do")
    return 0 if set(counts) <= {"caught", "known to survive"} else 1


def table(bugs, results):
    found = {entry["id"]: entry for entry in map(json.loads, results.read_text().splitlines())}
    for bug in bugs:
        entry = found.get(bug.name)
        by = "not run" if entry is None else entry["detail"] if entry["verdict"] == "caught" else entry["verdict"]
        print(f"| `{bug.name}` | {bug.path} | {bug.what} | {by} |")
    return 0


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["check", "list", "run", "table"])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--tree", type=Path, default=ROOT)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--timeout", type=float, default=120)
    options = parser.parse_intermixed_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the file is restored
    try:
        bugs = chosen(load(), options.words)
        if options.verb == "check":
            return check(bugs)
        if options.verb == "list":
            for bug in bugs:
                print(f"{bug.name:40} {bug.path}: {bug.what}")
            return 0
        if options.verb == "run":
            return run(bugs, options)
        if not options.results or not options.results.is_file():
            raise ValueError("table needs --results FILE, which run wrote")
        return table(bugs, options.results)
    except ValueError as error:
        print(f"plant.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the file is as it was", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
