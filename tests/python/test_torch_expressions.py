"""expression of warptune.torch: launches, gradients, kernel folders, and refusals. Without torch (fake_torch.py)."""
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import fake_torch
from glue import OperatorCase, Recorder, torch, wt

import warptune
from warptune.torch import expressions

X = "x * sigmoid(F(2) * x)"


class Unknown(Recorder):
    """A library that has no kernel with a name; `why` refuses kernel folders too."""
    why = None

    def kernel(self, name, dtype, **flags):
        if "/" not in name or self.why:
            raise warptune.BadInput(self.why or f"unknown kernel {name!r}")
        return super().kernel(name, dtype, **flags)


class ExpressionTest(OperatorCase):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        patch = mock.patch.dict(os.environ, {"XDG_DATA_HOME": folder.name})
        patch.start()
        self.addCleanup(patch.stop)
        self.made = Path(folder.name) / "warptune" / "expressions"

    def test_launches(self):
        x, other, row, channel = self.half(2, 3, 8), self.half(2, 3, 8), self.half(8), self.half(3, 1)
        name = expressions._name_of("elementwise", {"EXPRESSION": X})
        y = wt.expression(X, x)
        self.check(name, {"function": "expression", "bias": "none", "other": "none"}, (6, 8, 1), x, y, 1.0, 1.0)
        self.assertEqual((y.shape, y.dtype), (x.shape, x.dtype))
        y = wt.expression(f" {X} ", x, other, row, alpha=2, beta=3)
        self.check(name, {"function": "expression", "bias": "columns", "other": "read"}, (6, 8, 1), x, row, other, y, 2.0, 3.0)
        wt.expression(X, x, bias=channel)
        self.check(name, {"function": "expression", "bias": "rows", "other": "none"}, (3, 8, 2), x, channel, None, 1.0, 1.0)
        wt.expression("x + 1", x)
        self.assertNotEqual(self.launched()[0], name)
        wt.expression(X, self.half(0, 8))
        self.assertEqual((self.kernels.launches, self.made.exists()), ([], False))

    def gradients(self, inputs, needed, dy):
        """Returns the gradients with respect to x, bias and other, computed as torch would."""
        setup, backward = fake_torch.gradients["warptune::expression"]
        context = mock.Mock(needs_input_grad=(*needed, False, False, False, False))
        context.save_for_backward = lambda *saved: setattr(context, "saved_tensors", saved)
        setup(ctx=context, inputs=inputs, output=dy)
        found = backward(context, dy)
        self.assertEqual(found[3:], (None,) * 4)
        return found[:3]

    def test_gradients(self):
        x, dy, other, row = self.half(6, 8), self.half(6, 8), self.half(6, 8), self.half(8)
        chain, texts = "x * x * other + bias * x", ["F(2) * x * other + bias", "x", "x * x"]
        for i, text in enumerate(texts):
            found = self.gradients((x, row, other, chain, texts, 1.0, 2.0), [k == i for k in range(3)], dy)
            each = found[i] if i != 1 else None  # that of bias is summed
            self.check(expressions._name_of("elementwise_backward", {"EXPRESSION": chain, "DERIVATIVE": text}),
                       {"function": "expression", "bias": "columns", "other": "read"}, (6, 8, 1), None, x, row, other, each, 1.0, 2.0)
            self.assertEqual([one is None for one in found], [k != i for k in range(3)])
        found = self.gradients((x, row, other, chain, texts, 1.0, 1.0), (True, True, True), dy)
        self.assertEqual([one.shape for one in found], [x.shape, row.shape, other.shape])
        self.assertEqual(len(self.kernels.launches), 3)
        self.kernels.launches.clear()
        for name, needed in (("x", (True, False, False)), ("bias", (False, True, False)), ("other", (False, False, True))):
            texts = ["" if one == name else "F(1)" for one in ("x", "bias", "other")]
            self.refused((f"{name} needs a gradient, which needs the derivative with respect to {name}; pass derivative={{'{name}'",
                          lambda needed=needed, texts=texts: self.gradients((x, row, other, chain, texts, 1.0, 1.0), needed, dy)))
        self.once_only("expression_backward")

    def test_derivatives_are_given_by_name(self):
        x, other, row = self.half(6, 8), self.half(6, 8), self.half(8)
        with mock.patch.object(expressions, "expression_op") as called:
            for derivative, texts in ((None, ["", "", ""]), (" F(1) ", ["F(1)", "", ""]), ({"other": "x", "bias": " F(2)"}, ["", "F(2)", "x"])):
                wt.expression("x * other + bias", x, other, row, derivative=derivative)
                self.assertEqual(called.call_args.args[4], texts)
        self.refused(("a derivative with respect to 'y' was given; only x, other and bias", lambda: wt.expression("x", x, derivative={"y": "x"})),
                     ("a derivative with respect to bias was given, but no bias", lambda: wt.expression("x", x, other, derivative={"bias": "x"})),
                     ("the derivative with respect to other is ''", lambda: wt.expression("x", x, other, derivative={"other": ""})))

    def test_shape_rules_agree_with_the_kernels(self):
        x = self.half(6, 8)
        self.shapes_agree("expression", x, None, x, X, ["", "", ""], 1.0, 1.0)
        self.shapes_agree("expression_backward", x, x, None, x, X, "x", 1.0, 1.0)

    def test_unknown_expressions_are_compiled_from_a_folder(self):
        self.kernels = Unknown()
        self.use(self.kernels)
        x = self.half(6, 8)
        for text in ("x * x", 'x > 0 ? x : F("ab"[0])', "x \\ 2"):  # quotes and backslashes stay as they are
            wt.expression(text, x)
            folder = Path(self.launched()[0])
            self.assertEqual(folder.name, expressions._name_of("elementwise", {"EXPRESSION": text}))
            self.assertEqual(expressions.make_folder("elementwise", {"EXPRESSION": text}), folder)
            self.assertIn(f'"EXPRESSION": {{"text": {json.dumps(text)}}}', (folder / "spec.json").read_text(encoding="utf-8"))
        self.assertEqual(len(list(self.made.iterdir())), 3)

    def test_a_copy_is_only_read(self):
        folder = expressions.make_folder("elementwise", {"EXPRESSION": X})
        before = [(path, path.stat().st_mtime_ns) for path in sorted(self.made.rglob("*"))]
        read_only = PermissionError(errno.EACCES, "Permission denied")
        with mock.patch.object(Path, "mkdir", side_effect=read_only), mock.patch.object(Path, "rename", side_effect=read_only), \
                mock.patch.object(Path, "write_bytes", side_effect=read_only):
            self.assertEqual(expressions.make_folder("elementwise", {"EXPRESSION": X}), folder)
            self.refused((f"cannot be written to {self.made}: Permission denied; set XDG_DATA_HOME",
                          lambda: expressions.make_folder("elementwise", {"EXPRESSION": "x + 8"})))
        self.assertEqual([(path, path.stat().st_mtime_ns) for path in sorted(self.made.rglob("*"))], before)

    def test_a_changed_copy_is_replaced(self):
        def contents():
            return {path.relative_to(self.made): path.read_bytes() for path in self.made.rglob("*") if path.is_file()}

        folder = expressions.make_folder("elementwise", {"EXPRESSION": X})
        expected = contents()
        for change in (lambda: (folder / "spec.json").write_text("{}"), lambda: (folder / "kernel.cu").unlink(),
                       lambda: (folder / "cuda_fp16.h").write_text("#error\n"), lambda: (folder / "more").mkdir(),
                       lambda: (folder / "kernel.cu").write_bytes((folder / "kernel.cu").read_bytes()[:-1]),
                       lambda: shutil.rmtree(folder)):
            change()
            self.assertEqual(expressions.make_folder("elementwise", {"EXPRESSION": X}), folder)
            self.assertEqual(contents(), expected)
            self.assertEqual(len(list(self.made.iterdir())), 1)

    def test_another_process_makes_the_same_copy(self):
        rename = Path.rename

        def later(draft, made):
            shutil.copytree(draft, made)
            return rename(draft, made)

        with mock.patch.object(Path, "rename", later):
            folder = expressions.make_folder("elementwise", {"EXPRESSION": X})
        self.assertEqual(sorted(self.made.iterdir()), [folder.parent])

    def test_old_drafts_are_removed(self):
        for name in ("draft_old", "draft_new"):
            (self.made / name / "inside").mkdir(parents=True)
        os.utime(self.made / "draft_old", (1e9, 1e9))
        folder = expressions.make_folder("elementwise", {"EXPRESSION": X})
        self.assertEqual(sorted(self.made.iterdir()), sorted([self.made / "draft_new", folder.parent]))

    def test_folders_that_cannot_be_written(self):
        self.kernels = Unknown()
        self.use(self.kernels)
        with mock.patch.dict(os.environ, {"XDG_DATA_HOME": "/dev/null"}):
            self.refused(("kernel folder elementwise cannot be written to /dev/null/warptune/expressions: Not a directory; set XDG_DATA_HOME",
                          lambda: wt.expression("x - 9", self.half(6, 8))))
        with mock.patch.object(expressions.tempfile, "TemporaryDirectory", side_effect=FileNotFoundError(errno.ENOENT, "No usable folder")):
            self.refused(("no temporary folder can be made: No usable folder; set TMPDIR", lambda: wt.expression("x - 9", self.half(6, 8))))
        with mock.patch.dict(os.environ, {"XDG_DATA_HOME": ""}), mock.patch.object(Path, "home", side_effect=RuntimeError):
            self.refused(("the user has no home folder", lambda: wt.expression("x - 9", self.half(6, 8))))

    def test_folders_compile(self):
        """With NVRTC and the fake driver."""
        macros = {"EXPRESSION": "x * x", "DERIVATIVE": "F(2) * x"}
        folders = [expressions.make_folder("elementwise", {"EXPRESSION": "x * bias + other"}),
                   expressions.make_folder("elementwise_backward", macros), expressions.make_folder("elementwise", {"EXPRESSION": "x * nothing"})]
        code = "import warptune\nlibrary = warptune.open(misses='off')\n" + "".join(
            f"try:\n    library.kernel({str(folder)!r}, dtype='bf16', function='expression', bias='columns', other='read').prefetch((6, 8, 1))\n"
            "    print('compiled')\nexcept warptune.NoCandidate as error:\n    print(error)\n" for folder in folders)
        root = Path(__file__).resolve().parents[2]
        ended = subprocess.run([sys.executable, "-c", code], env={**os.environ, "WARPTUNE_TEMPLATES": str(root / "kernel_templates")},
                               text=True, capture_output=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stdout, "^compiled\ncompiled\n(.|\n)*identifier \"nothing\" is undefined")
        self.assertIn('"DERIVATIVE": {"text": "F(2) * x"}', (folders[1] / "spec.json").read_text(encoding="utf-8"))

    def test_what_does_not_fit_is_refused(self):
        x = self.half(2, 3, 8)
        self.refused(("must be a text of one line", lambda: wt.expression("x\n+ 1", x)), ("the expression is ' '", lambda: wt.expression(" ", x)),
                     *((f"the {what} is .*, but must be a text of one line of printable characters", call)
                       for text in ("x\0", "x\t+ 1", "x\r", "x + \x1b", "x\x7f", "x\x85", "x\u2028", "x\ud800")
                       for what, call in (("expression", lambda text=text: wt.expression(text, x)),
                                          ("derivative with respect to x", lambda text=text: wt.expression("x", x, derivative=text)))),
                     ("the expression is 3", lambda: wt.expression(3, x)), ("the derivative with respect to x is ''", lambda: wt.expression("x", x, derivative="")),
                     ("other is 2", lambda: wt.expression("x + other", x, 2)), ("the other tensor has the shape \\(3, 8\\)", lambda: wt.expression("x", x, self.half(3, 8))),
                     ("the bias has the shape \\(3,\\)", lambda: wt.expression("x", x, bias=self.half(3))),
                     ("there is no kernel for torch.float64", lambda: wt.expression("x", self.tensor(3, dtype=torch.float64))))
        self.kernels = Unknown()
        self.kernels.why = "unknown kernel; the pack contains no kernels"
        self.use(self.kernels)
        self.refused(("has no kernel for {'EXPRESSION': 'x - 7'}: unknown kernel; the pack contains no kernels. Open a database instead",
                      lambda: wt.expression("x - 7", x)))


if __name__ == "__main__":
    unittest.main()
