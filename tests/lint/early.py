"""Finds kernels that may start before earlier work has ended but do not wait for it: those whose launch is "early" in
spec.json (docs/spec.md, "Early starts") must wait before they access memory or return, and those whose launch is "programmatic"
must wait somewhere. A test cannot show that a kernel reads what earlier work is still writing."""
import json
import re

DEFINITION = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\((?:[^()]|\([^()]*\))*\)\s+)?(\w+)\([^;{]*?\{")
WAIT = re.compile(r"\n  wt::wait_for_earlier_work(?:_after\([^;]*)?\(?\);")  # not within an inner block
# What may not come before the wait: accesses, calls that could hide one, and what a thread may leave the kernel by or skip the wait.
UNSAFE = re.compile(r"\[|->|\bload|\bstore|\batomic|\bcopy|=\s*\*|\bif\b|\bfor\b|\bwhile\b|\breturn\b|\bexit|asm\b")
LATER = "wait_for_predecessor()"
FUNCTION = re.compile(r"__(?:device|global)__[^;{]*?\b(?!__launch_bounds__)(\w+)\((?:[^;{]*)\{")


def without_comments(text):
    return "\n".join("" if line.lstrip().startswith("//") else line for line in text.splitlines())


def kernels_of(tree, name, key):
    """The kernels of a specification or an implementation whose launches have a key that is true."""
    launches = json.loads(without_comments(tree.text(name))).get("launches", [])
    return {launch["kernel"] for launch in launches if launch.get(key)}


def definitions_in(tree, name):
    """(kernel, line, whether it waits, whether it does so first) of each kernel that a file defines."""
    text = tree.text(name)
    for found in DEFINITION.finditer(text):
        body = text[found.end():].partition("\n}")[0]
        wait = WAIT.search(body)
        before = re.sub(r'"[^"\n]*"', "", without_comments(body[:wait.start()])) if wait else ""
        yield found[1], text.count("\n", 0, found.start(1)) + 1, bool(wait), bool(wait) and not UNSAFE.search(before)


def folder_of(name):
    return name.rsplit("/", 1)[0]


def late_waits(tree):
    files = tree.below(["kernel_templates"], (".cu", ".cuh"))
    early = {}  # keyed by folder
    for name in tree.below(["kernel_templates"], ("/spec.json", "/implementation.json")):
        if kernels := kernels_of(tree, name, "early"):
            early[folder_of(name)] = kernels
    for folder, kernels in sorted(early.items()):
        near = [f for f in files if folder_of(f) in (folder, folder_of(folder))]  # an implementation may use its operator's headers
        defined = {kernel: (f, line, first) for f in near for kernel, line, _, first in definitions_in(tree, f)}
        for kernel in sorted(kernels):
            file, line, waits_first = defined.get(kernel, (folder, 0, False))
            if not line:
                yield f"{folder}: {kernel} may start early, but no file of the folder defines it"
            elif not waits_first:
                yield f"{file}:{line}: {kernel} may start early, so it must wait for earlier work before it accesses memory, branches or returns"
    for file in files:
        own = early.get(folder_of(file), set()).union(*(kernels for folder, kernels in early.items() if folder_of(folder) == folder_of(file)))
        for kernel, line, waits, _ in definitions_in(tree, file):
            if waits and kernel not in own:
                yield f'{file}:{line}: {kernel} waits for earlier work, but no launch of it has "early"'
    yield from missing_waits(tree, files)


def functions_of(text):
    """(name, text until the next function) of each function of the device in a file."""
    found = list(FUNCTION.finditer(text))
    for one, following in zip(found, [*(f.start() for f in found[1:]), len(text)]):
        yield one[1], text[one.start():following]


def missing_waits(tree, files):
    """Programmatic launches of kernels that neither wait nor call a function that does."""
    functions = [(file, name, body) for file in files for name, body in functions_of(tree.text(file))]
    waiting = {name for _, name, body in functions if LATER in body and name != "wait_for_predecessor"}
    calls = re.compile(r"\b(?:" + "|".join(sorted(waiting | {"wait_for_predecessor"})) + r")\b[<(]")
    for name in tree.below(["kernel_templates"], ("/spec.json", "/implementation.json")):
        folder = folder_of(name)
        for kernel in sorted(kernels_of(tree, name, "programmatic")):
            bodies = [body for file, found, body in functions if found == kernel and folder_of(file) in (folder, folder_of(folder), "kernel_templates/common")]
            if not any(calls.search(body.partition("{")[2]) for body in bodies):
                yield f"{folder}: {kernel} may start before the previous launch has ended, but does not wait for it"
