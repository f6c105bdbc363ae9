"""Finds types of one name in one namespace that two files define: each file compiles, and the linker takes the inline
members of one definition for both (the one-definition rule). Relies on clang-format's layout; types in an unnamed
namespace are local to their file."""
import collections
import re

FOLDERS = ["src", "db", "search", "profiler", "cli"]
BEGIN = re.compile(r"(?:inline )?namespace ?([\w:]*) ?\{")
END = re.compile(r"\} // (?:inline )?namespace")
TYPE = re.compile(r"(?:template <.*> )?(?:class|struct|union|enum(?: class)?) (\w+)(?: final)?(?: : [^;]*)? \{")


def types_of(text):
    """(name with its namespaces, line) of each type at namespace scope that other files could define, too."""
    spaces = []
    for number, line in enumerate(text.splitlines(), 1):
        if begin := BEGIN.match(line):
            spaces.append(begin[1])
        elif END.match(line) and spaces:
            spaces.pop()
        elif (found := TYPE.match(line)) and "" not in spaces:
            yield "::".join([*spaces, found[1]]), number


def twice_defined(tree):
    places = collections.defaultdict(list)
    for name in tree.below(FOLDERS, (".h", ".hpp", ".cpp")):
        for type_name, line in types_of(tree.text(name)):
            places[type_name].append((name, line))
    for type_name, found in sorted(places.items()):
        for name, line in found[1:]:
            if name != found[0][0]:
                yield f"{name}:{line}: {type_name} is defined in {found[0][0]} too; rename one of them"
