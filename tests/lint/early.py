"""Finds kernels whose launch may start early (docs/spec.md, "Early starts") but that do not wait first. Each such kernel must
wait in its first statement: a test cannot show that a kernel reads what earlier work is still writing."""
import json
import re

DEFINITION = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\((?:[^()]|\([^()]*\))*\)\s+)?(\w+)\([^;{]*?\{")
FIRST = re.compile(r"(?:\s*static_assert\([^;]*;(?:\s*//[^\n]*)?)*\s*wt::wait_for_earlier_work\(\);")
WAIT = "wait_for_earlier_work();"


def without_comments(text):
    return "\n".join("" if line.lstrip().startswith("//") else line for line in text.splitlines())


def early_kernels(tree, name):
    """The kernels of a specification or an implementation that may start early."""
    launches = json.loads(without_comments(tree.text(name))).get("launches", [])
    return {launch["kernel"] for launch in launches if launch.get("early")}


def definitions_in(tree, name):
    """(kernel, line, whether it waits first) of each kernel that a file defines."""
    text = tree.text(name)
    for found in DEFINITION.finditer(text):
        yield found[1], text.count("\n", 0, found.start(1)) + 1, bool(FIRST.match(text, found.end()))


def folder_of(name):
    return name.rsplit("/", 1)[0]


def late_waits(tree):
    files = tree.below(["kernel_templates"], (".cu", ".cuh"))
    early = {}  # keyed by folder
    for name in tree.below(["kernel_templates"], ("/spec.json", "/implementation.json")):
        if kernels := early_kernels(tree, name):
            early[folder_of(name)] = kernels
    for folder, kernels in sorted(early.items()):
        near = [f for f in files if folder_of(f) in (folder, folder_of(folder))]  # an implementation may use its operator's headers
        defined = {kernel: (f, line, waits) for f in near for kernel, line, waits in definitions_in(tree, f)}
        for kernel in sorted(kernels):
            file, line, waits = defined.get(kernel, (folder, 0, False))
            if not line:
                yield f"{folder}: {kernel} may start early, but no file of the folder defines it"
            elif not waits:
                yield f"{file}:{line}: {kernel} may start early, so its first statement must be wt::{WAIT}"
    for file in files:
        own = early.get(folder_of(file), set()).union(*(kernels for folder, kernels in early.items() if folder_of(folder) == folder_of(file)))
        for kernel, line, waits in definitions_in(tree, file):
            if waits and kernel not in own:
                yield f'{file}:{line}: {kernel} waits for earlier work, but no launch of it has "early"'
