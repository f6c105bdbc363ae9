"""The GPU tests cover each function of warptune.torch: a gradient has a gradcheck, an operator an opcheck, and a function a
test under torch.compile. Without torch and without a GPU: the sources of the tests are read."""
import ast
import unittest
from pathlib import Path

import fake_torch
from glue import wt

TESTS = Path(__file__).resolve().parents[2] / "python" / "tests" / "gpu"
NOT_LAUNCHED = {"use", "library", "kernel"}
NO_GRADIENT = {"argmax", "argmin", "quantise", "dequantise", "layer_norm_quantised", "rms_norm_quantised", "axpy_", "adam_", "adamw_", "sgd_",
               "slice_scatter_"}
# Another name of a function that is covered.
ALIASES = {"concat": "cat"}


def free_names(node):
    """Returns the names that a node reads, without the parameters of functions in it and the lists of loops in it."""
    if isinstance(node, (ast.Lambda, ast.FunctionDef)):
        args = node.args
        own = {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg) if arg}
        defaults = [name for value in (*args.defaults, *args.kw_defaults) if value for name in free_names(value)]
        body = node.body if isinstance(node.body, list) else [node.body]
        return defaults + [name for part in body for name in free_names(part) if name.id not in own]
    if isinstance(node, ast.Name):
        return [node] if isinstance(node.ctx, ast.Load) else []
    if isinstance(node, ast.comprehension):  # the names that it makes stand for the elements of node.iter
        return [name for condition in node.ifs for name in free_names(condition)]
    return [name for child in ast.iter_child_nodes(node) for name in free_names(child)]


class Module:
    """A module of tests: what the names in it stand for. A value is a pair: a node, and the function in which it is."""

    def __init__(self, tree):
        self.tree = tree

    def parts(self, target, value, name):
        """Returns the values that an assignment of a value to a target gives to a name."""
        if isinstance(target, (ast.Tuple, ast.List)):
            found = []
            for node, scope in self.values(value):
                parallel = isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == len(target.elts) and \
                    not any(isinstance(one, ast.Starred) for one in (*node.elts, *target.elts))
                for i, part in enumerate(target.elts):
                    found += self.parts(part, (node.elts[i] if parallel else node, scope), name)
            return found
        return [value] if isinstance(target, ast.Name) and target.id == name else []

    def values(self, value):
        """Returns the values themselves for a name, else the value."""
        node, scope = value
        return [one for found in self.bound(node, scope) for one in self.values(found)] if isinstance(node, ast.Name) else [value]

    def elements(self, value):
        """Returns the values over which a loop runs; the whole value if they are not written as a list."""
        found = []
        for node, scope in self.values(value):
            if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
                for one in node.elts:
                    found += self.elements((one.value, scope)) if isinstance(one, ast.Starred) else [(one, scope)]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "items":
                for whole, where in self.values((node.func.value, scope)):
                    found += [(ast.Tuple(list(pair), ast.Load()), where) for pair in zip(whole.keys, whole.values)]
            elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
                found.append((node.elt, scope))
            else:
                found.append((node, scope))
        return found

    def bound(self, name, scope):
        """Returns the values of a name: of the innermost loop around it, else of the last assignment before it, else of the
        module."""
        loops, made = [], []
        for one in ast.walk(scope):
            if isinstance(one, ast.For):
                loops += [(one.target, one.iter)] if any(node is name for part in one.body for node in ast.walk(part)) else []
            elif isinstance(one, (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)) and any(node is name for node in ast.walk(one)):
                loops += [(each.target, each.iter) for each in one.generators if not any(node is name for node in ast.walk(each.iter))]
            elif isinstance(one, ast.FunctionDef) and one is not scope and one.name == name.id:
                made.append((one.lineno, [(one, scope)]))
            elif isinstance(one, ast.Assign) and (scope is self.tree or one.lineno < name.lineno):
                found = [part for target in one.targets for part in self.parts(target, (one.value, scope), name.id)]
                made += [(one.lineno, found)] if found else []
        for target, values in reversed(loops):
            found = [part for one in self.elements((values, scope)) for part in self.parts(target, one, name.id)]
            if found:
                return found
        if made:
            return max(made, key=lambda one: one[0])[1]
        return [] if scope is self.tree else self.bound(name, self.tree)

    def reached(self, node, scope):
        """Returns the values that a node uses, directly or indirectly, and the node."""
        found, waiting = [], [(node, scope)]
        while waiting:
            found.append(waiting.pop())
            for name in free_names(found[-1][0]):
                inside = found[-1][0] if isinstance(found[-1][0], ast.FunctionDef) and found[-1][1] is self.tree else found[-1][1]
                waiting += [one for one in self.bound(name, inside) if one not in found + waiting]
        return found

    def texts(self, node, scope):
        """Returns the texts that a node may have as its value."""
        return {one.value for one, _ in self.values((node, scope)) if isinstance(one, ast.Constant)}


def covered(checks, *owners):
    """Returns the names that the first argument of one of these checks uses from an owner, in a test: for "wt", softmax in
    gradcheck(lambda x: wt.softmax(x), y), and in gradcheck(lambda x: getattr(wt, name)(x), y) the values of name."""
    names = set()
    for path in sorted(TESTS.glob("test_torch*.py")):
        names |= covered_in(path.read_text(encoding="utf-8"), checks, *owners)
    return names


def covered_in(source, checks, *owners):
    def last(node):
        return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None

    module, names = Module(ast.parse(source)), set()
    tests = [one for one in ast.walk(module.tree) if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")]
    for test, call in ((test, one) for test in tests for one in ast.walk(test) if isinstance(one, ast.Call)):
        for value, scope in module.reached(call.args[0], test) if last(call.func) in checks and call.args else ():
            for one in ast.walk(value):
                if isinstance(one, ast.Attribute) and last(one.value) in owners:
                    names.add(one.attr)
                elif isinstance(one, ast.Call) and last(one.func) == "getattr" and last(one.args[0]) in owners:
                    names |= module.texts(one.args[1], scope)
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

    def test_only_the_first_argument_of_a_check_counts(self):
        for source, expected in (
                ("gradcheck(lambda x: wt.softmax(x) + wt.add(x, 1), wt.relu(y))\n    wt.tanh(y)\n    near(wt.gelu(y), y)", {"softmax", "add"}),
                ("for name, options in ((\"mse_loss\", {\"reduction\": \"sum\"}),):\n        gradcheck(lambda x: getattr(wt, name)(x, **options), x)",
                 {"mse_loss"}),
                ("for name in (\"sum\", \"mean\"):\n        gradcheck(lambda x: wt.relu(x), getattr(wt, name)(y))", {"relu"}),
                ("for call, other in ((wt.relu, wt.tanh), CALLS):\n        agrees(other, y)\n        gradcheck(lambda x: call(x), y)", {"relu", "silu"}),
                ("for call in (wt.relu, wt.tanh):\n        near(call(y), y)\n    call = wt.add\n    gradcheck(call, y)", {"add"}),
                ("calls = [call for call, _ in (CALLS,)]\n    gradcheck(lambda x: [call(x) for call in calls], y)", {"silu"}),
                ("f = wt.add\n    x = wt.relu(y)\n    gradcheck(lambda x: f(x), x)", {"add"}), ("gradcheck(helper, y)", {"prod"}),
                ("def helper(x):\n        return wt.norm(x)\n    gradcheck(helper, y)", {"norm"})):
            module = f"CALLS = wt.silu, wt.elu\ndef helper(x):\n    return wt.prod(x)\ndef test_one():\n    {source}\n"
            self.assertEqual(covered_in(module, {"gradcheck"}, "wt"), expected, source)

    def test_functions_without_a_gradient_exist(self):
        self.assertLessEqual(NOT_LAUNCHED | NO_GRADIENT | set(ALIASES), set(wt.__all__))


if __name__ == "__main__":
    unittest.main()
