"""torch.ops.warptune.expression: an expression of the caller for each element, in one launch.

The kernels are those of a copy of the kernel folder elementwise, in which the expression is a macro. The copy is made
when an expression is first used and the library in use has no kernel for it; its kernels are then compiled as for any
other kernel folder.
"""
import hashlib
import json
import os
import re
import secrets
import shutil
import tempfile
import time
from pathlib import Path

import torch

from ..errors import BadInput, InternalError
from ..tuning import _run
from . import ops
from .arguments import aligned, check_tensor
from .elementwise import _place
from .operators import no_gradient, operator
from .ops import FLOATS, Family, Kernels

_OPERANDS = "x", "bias", "other"  # in the order of the operator's arguments
_DRAFT_SECONDS = 3600  # a draft that is older was left by a process that was killed


def _name_of(template, macros):
    """Returns the name of the kernel of these macros. A database or pack may contain it."""
    return f"{template}_{hashlib.sha256(json.dumps(macros).encode()).hexdigest()[:12]}"


def _root():
    """Returns the folder of all copies, in the user's data folder."""
    data = os.environ.get("XDG_DATA_HOME", "")
    try:
        return (Path(data) if data.startswith("/") else Path.home() / ".local" / "share") / "warptune" / "expressions"
    except RuntimeError:
        raise BadInput("expression: the user has no home folder for the copy of the kernel folder; set XDG_DATA_HOME to a folder that "
                       "can be written") from None


def _files_of(template, name, macros):
    """Returns the files of the shipped kernel folder with these values of macros: a dict from names to bytes."""
    try:
        temporary = tempfile.TemporaryDirectory(prefix="warptune_")
    except OSError as error:
        raise BadInput(f"expression: no temporary folder can be made: {error.strerror}; set TMPDIR to a folder that can be written") from None
    with temporary:
        folder = Path(temporary.name) / name
        _run(["new", str(folder), "--template", template], None, is_json=False)
        files = {file.name: file.read_bytes() for file in sorted(folder.iterdir())}
    text = files["spec.json"].decode()
    for macro, value in macros.items():
        text, count = re.subn(rf'("{macro}": *{{"text": *)"(?:[^"\\]|\\.)*"', lambda found: found[1] + json.dumps(value), text)
        if count != 1:
            raise InternalError(f"{template}/spec.json: the macro {macro} is set {count} times, but must be set once; reinstall warptune")
    return {**files, "spec.json": text.encode()}


def _contents(folder):
    """Returns the files of a folder as _files_of does; None if they cannot be read."""
    try:
        return {file.name: file.read_bytes() for file in folder.iterdir()}
    except OSError:
        return None


def _remove_leftovers(root):
    """Removes the drafts of processes that were killed."""
    for draft in root.glob("draft_*"):
        try:
            is_old = time.time() - draft.stat().st_mtime > _DRAFT_SECONDS
        except OSError:  # another process has removed it
            continue
        if is_old:
            shutil.rmtree(draft, ignore_errors=True)


def _write(folder, files):
    """Writes the files into a draft, and renames the draft: other processes see all files or none. Replaces a folder with
    other files."""
    made = folder.parent
    made.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(made.parent)
    draft, damaged = (made.with_name(f"draft_{secrets.token_hex(8)}") for _ in range(2))
    try:
        (draft / folder.name).mkdir(parents=True)
        for name, content in files.items():
            (draft / folder.name / name).write_bytes(content)
        try:
            draft.rename(made)
        except OSError:
            if _contents(folder) != files:  # else another process has made the same folder
                made.rename(damaged)
                draft.rename(made)
    finally:
        for left in (draft, damaged):
            shutil.rmtree(left, ignore_errors=True)


def make_folder(template, macros):
    """Returns a copy of a shipped kernel folder with these values of macros, in the user's data folder. Equal copies are
    one folder. A copy that is there is only read; if its files were changed, it is replaced."""
    root, name = _root(), _name_of(template, macros)
    files, digest = _files_of(template, name, macros), hashlib.sha256()
    for file, content in files.items():
        digest.update(file.encode() + b"\0" + content + b"\0")
    folder = root / digest.hexdigest()[:16] / name
    if _contents(folder) != files:
        try:
            _write(folder, files)
        except OSError as error:
            if _contents(folder) != files:
                raise BadInput(f"expression: the copy of the kernel folder {template} cannot be written to {root}: {error.strerror}; set "
                               "XDG_DATA_HOME to a folder that can be written") from None
    return folder


class _ExpressionFamily(Family):
    """The kernels of an expression, from the library in use if it has them, else from a folder."""

    def __init__(self, made, **flags):
        self.template, self.macros = made
        super().__init__(_name_of(*made), **flags)

    def __missing__(self, dtype):
        with ops._lock:
            try:
                found = ops.kernel(self.name, dtype, **self.flags)
            except BadInput:
                if dtype not in FLOATS:
                    raise
                found = self._from_folder(dtype)
            self[dtype] = found
        return found

    def _from_folder(self, dtype):
        folder = make_folder(self.template, self.macros)
        try:
            return ops.kernel(str(folder), dtype, **self.flags)
        except BadInput as error:
            raise BadInput(f"expression: the library in use has no kernel for {self.macros}: {error}. Open a database instead of a "
                           f"pack, or tune {folder} and pack the results") from None


_kernels = {}  # keyed by the template and the macros


def _kernels_of(template, **macros):
    key = template, *macros.values()
    if key not in _kernels:
        _kernels[key] = Kernels((template, macros), "function", "bias", "other", family=_ExpressionFamily)
    return _kernels[key]


def _results(new, x, bias, other, expression, derivatives, alpha, beta):
    _place(x, bias, "expression")
    if other is not None and other.shape != x.shape:
        raise BadInput(f"expression: the other tensor has the shape {tuple(other.shape)} but must have the shape of the input, {tuple(x.shape)}; nothing is broadcast")
    return new(x, x.shape)


def _launch(y, x, bias, other, expression, derivatives, alpha, beta):
    if x.numel():
        dims, kind = _place(x, bias)
        kernels = _kernels_of("elementwise", EXPRESSION=expression)
        kernels.launch(("expression", kind, "none" if other is None else "read"), x.dtype, dims, x, bias, other, y, alpha, beta)


def _setup(ctx, inputs, output):
    *tensors, ctx.expression, ctx.derivatives, ctx.alpha, ctx.beta = inputs
    for name, needed, derivative in zip(_OPERANDS, ctx.needs_input_grad, ctx.derivatives):
        if needed and not derivative:
            raise BadInput(f"expression: {name} needs a gradient, which needs the derivative with respect to {name}; pass "
                           f"derivative={{'{name}': '...'}}, detach {name}, or use torch.no_grad()")
    ctx.save_for_backward(*tensors)


def _gradient(ctx, dy):
    """The gradients with respect to x, bias and other. All are computed for each element; that of bias is then summed."""
    dy, found = dy.contiguous(), []
    for tensor, needed, derivative in zip(ctx.saved_tensors, ctx.needs_input_grad, ctx.derivatives):
        each = expression_backward(dy, *ctx.saved_tensors, ctx.expression, derivative, ctx.alpha, ctx.beta) if needed else None
        found.append(each if each is None or each.shape == tensor.shape else each.sum_to_size(tensor.shape))
    return *found, None, None, None, None


expression_op = operator("expression", "(Tensor x, Tensor? bias, Tensor? other, str expression, str[] derivatives, float alpha, float beta) -> "
                         "Tensor", _results, _launch, _setup, _gradient)


def _backward_launch(dx, dy, x, bias, other, expression, derivative, alpha, beta):
    if x.numel():
        dims, kind = _place(x, bias)
        kernels = _kernels_of("elementwise_backward", EXPRESSION=expression, DERIVATIVE=derivative)
        kernels.launch(("expression", kind, "none" if other is None else "read"), x.dtype, dims, aligned(dy), x, bias,
                       other, dx, alpha, beta)


expression_backward = operator(
    "expression_backward", "(Tensor dy, Tensor x, Tensor? bias, Tensor? other, str expression, str derivative, float alpha, float beta) -> "
    "Tensor", lambda new, dy, x, *_: new(x, x.shape), _backward_launch, backward=no_gradient("expression has no second derivative"))


def expression(expression, input, other=None, bias=None, *, alpha=1.0, beta=1.0, derivative=None):
    """Returns the value of an expression for each element: expression("x * sigmoid(x)", input).

    The expression is CUDA C++ in one line. It may use x (an element of the input), other (an element of a tensor like the
    input), bias (of the shape (cols,) or (channels, 1, ...)), the numbers alpha and beta, sigmoid, and CUDA's functions
    without a type suffix, such as exp(x). All values have the type F, which is float; write constants as F(0.5).
    derivative: the derivative of the expression with respect to x, as another expression, or a dict of derivatives with
    respect to "x", "other" and "bias". A tensor has a gradient only if its derivative is given.

    The first call compiles the expression, unless the database or pack contains it. docs/elementwise.md describes tuning.
    """
    derivatives = dict(derivative) if isinstance(derivative, dict) else {} if derivative is None else {"x": derivative}
    if unknown := [name for name in derivatives if name not in _OPERANDS]:
        raise BadInput(f"expression: a derivative with respect to {unknown[0]!r} was given; only x, other and bias have derivatives")
    for what, text in (("expression", expression), *((f"derivative with respect to {name}", text) for name, text in derivatives.items())):
        if not isinstance(text, str) or not text.strip() or not text.isprintable():
            raise BadInput(f"expression: the {what} is {text!r}, but must be a text of one line of printable characters, such as "
                           "'x * sigmoid(x)'")
    for what, value in (("other", other), ("bias", bias)):
        if value is not None:
            check_tensor("expression", what, value)
        elif what in derivatives:
            raise BadInput(f"expression: a derivative with respect to {what} was given, but no {what}; pass {what}, or leave out its derivative")
    return expression_op(input, bias, other, expression.strip(), [derivatives.get(name, "").strip() for name in _OPERANDS], float(alpha), float(beta))
