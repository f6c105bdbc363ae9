"""The GPU tests cover each function of warptune.torch: a gradient has a gradcheck, an operator an opcheck, and a function a
test under torch.compile. Without torch and without a GPU: the sources of the tests are read."""
import ast
import unittest
from pathlib import Path

import fake_torch
from glue import wt

TESTS = Path(__file__).resolve().parents[2] / "python" / "tests" / "gpu"
NOT_LAUNCHED = {"use", "library", "kernel"}
NO_GRADIENT = {"argmax", "argmin", "quantise", "dequantise", "axpy_", "adam_", "adamw_", "sgd_", "slice_scatter_"}
# Another name of a function that is covered.
ALIASES = {"concat": "cat"}


def called(node):
    """Returns the last part of the name of each function that is called in this node: gradcheck, opcheck."""
    calls = (one.func for one in ast.walk(node) if isinstance(one, ast.Call))
    return {func.attr if isinstance(func, ast.Attribute) else func.id for func in calls if isinstance(func, (ast.Attribute, ast.Name))}


def attributes(node, *owners):
    """Returns the names that are read from one of these: for "wt", softmax in wt.softmax."""
    return {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute) and
            (one.value.id if isinstance(one.value, ast.Name) else one.value.attr if isinstance(one.value, ast.Attribute) else None) in owners}


def definitions_of(tree):
    """Returns the functions and constants of a module by name."""
    made = {}
    for node in tree.body:
        for target in node.targets if isinstance(node, ast.Assign) else [node]:
            for name in ast.walk(target) if isinstance(node, ast.Assign) else ():
                if isinstance(name, ast.Name):
                    made[name.id] = node
        if isinstance(node, ast.FunctionDef):
            made[node.name] = node
    return made


def with_definitions(node, definitions):
    """Returns this node and the functions and constants of its module that it uses, directly or indirectly."""
    found, waiting = [], [node]
    while waiting:
        found.append(waiting.pop())
        names = {one.id for one in ast.walk(found[-1]) if isinstance(one, ast.Name)}
        waiting += [definitions[name] for name in sorted(names & set(definitions)) if definitions[name] not in found + waiting]
    return found


def reads_by_name(node, owners):
    return any(isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "getattr" and
               isinstance(one.args[0], ast.Name) and one.args[0].id in owners for one in ast.walk(node))


def texts(node):
    return {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def covered(checks, *owners):
    """Returns the names that are read from an owner in test methods that call one of these checks. In a method with
    getattr(owner, name), all texts count as names."""
    names = set()
    for path in sorted(TESTS.glob("test_torch*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        definitions = definitions_of(tree)
        for test in (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")):
            if called(test) & checks:
                nodes = with_definitions(test, definitions)
                names.update(*(attributes(node, *owners) for node in nodes))
                if reads_by_name(test, owners):
                    names.update(*map(texts, nodes))
    return names


class CoverageTest(unittest.TestCase):
    def complete(self, wanted, found):
        self.assertEqual(set(wanted) - found - {other for other, name in ALIASES.items() if name in found}, set())

    def test_each_gradient_has_a_gradcheck(self):
        self.complete(set(wt.__all__) - NOT_LAUNCHED - NO_GRADIENT, covered({"gradcheck"}, "wt"))

    def test_each_operator_has_an_opcheck(self):
        self.complete(fake_torch.registered[0].schemas, covered({"opcheck"}, "ops", "warptune"))

    def test_each_function_is_compiled(self):
        self.complete(set(wt.__all__) - NOT_LAUNCHED, covered({"compiled_agrees", "compile"}, "wt"))

    def test_functions_without_a_gradient_exist(self):
        self.assertLessEqual(NOT_LAUNCHED | NO_GRADIENT | set(ALIASES), set(wt.__all__))


if __name__ == "__main__":
    unittest.main()
