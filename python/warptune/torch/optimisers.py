"""torch.ops.warptune.optimiser_step_ and optimiser_steps_: one step of AdamW, Adam or SGD with momentum, in place, on one
flat buffer of parameters, or on a list of tensors."""
import threading
from itertools import accumulate, count, cycle

import torch

from .._core import Address
from ..errors import BadInput, NotReady
from .operators import wants_gradient
from .ops import Kernels, define, unwatched

_kernels = Kernels("adam", "rule", "master", "state", "grads")
_list_kernels = Kernels("adam_list", "rule", "master", "state", "grads", "misaligned")
_increment_version = torch.autograd.graph.increment_version
_is_compiling = torch.compiler.is_compiling


# --- One tensor -------------------------------------------------------------------------------------------------------

def _step_kernel(params, grads, means, squares, master, rule, numbers):
    count = params.numel()
    for what, x in (("grads", grads), ("state", means), ("state", squares), ("master", master)):
        if x is not None and x.shape != params.shape:
            raise BadInput(f"{rule}: {what} has the shape {tuple(x.shape)} and params {tuple(params.shape)}; the shapes must be equal")
    if count:
        state = "fp32" if means.dtype == torch.float32 else "same"
        gradient = "same" if grads.dtype == params.dtype else "fp32"
        exact, rounded = (params, None) if master is None else (master, params)
        _kernels.launch((rule, master is not None, state, gradient), params.dtype, (count,), grads, exact, means, squares,
                        rounded, *numbers)
        for changed in (params, means, squares, master):
            if changed is not None:
                _increment_version(changed)  # so that autograd detects the change of a saved tensor


optimiser_step = define("optimiser_step_", "(Tensor(a!) params, Tensor grads, Tensor(b!) means, Tensor(c!)? squares, "
                        "Tensor(d!)? master, str rule, float[] numbers) -> ()", _step_kernel, lambda *args: None)


# --- A list of tensors ------------------------------------------------------------------------------------------------

class _Table:
    """The places of the tensors of a list in device memory: adam_list's arguments `offsets` and `starts`, and an address
    for each of its buffers, from which the starts count."""

    def __init__(self, rule, rows, pointers, sizes):
        bases = [pointer // 16 * 16 for pointer in pointers[:len(rows[0])]]
        buffers = [(base, x.element_size()) for base, x in zip(bases, rows[0])]
        if any(pointer % size for pointer, (_, size) in zip(pointers, cycle(buffers))):
            raise BadInput(f"{rule}: a tensor does not begin at a multiple of its element size")
        starts = [(pointer - base) // size for pointer, (base, size) in zip(pointers, cycle(buffers))]
        offsets = [0, *accumulate(sizes)]
        begin = (len(offsets) + 1) // 2 * 2  # so that starts, too, begin at a multiple of 16 bytes
        numbers = offsets + [0] * (begin - len(offsets)) + starts
        on_device = torch.tensor(numbers, dtype=torch.int64, device="cpu", pin_memory=True).to(rows[0][0].device, non_blocking=True)
        self.offsets, self.starts = on_device[:len(offsets)], on_device[begin:]
        self.buffers = [Address(base) for base in bases]
        self.misaligned = any(pointer % 16 for pointer in pointers)
        self.stream = torch.cuda.current_stream(rows[0][0].get_device())
        self.uploaded = self.stream.record_event()


class _Tables:
    """Keeps the tables of earlier steps, because the tensors of a model seldom move."""
    LIMIT = 256  # tables of a device

    def __init__(self):
        self.lock, self.tables, self.captured, self.uses = threading.Lock(), {}, {}, count()

    def find(self, rule, rows):
        device = rows[0][0].get_device()
        pointers, sizes = [x.data_ptr() for row in rows for x in row], tuple(row[0].numel() for row in rows)
        key = device, *(x.dtype for x in rows[0]), sizes, *pointers
        is_capturing = torch.cuda.is_current_stream_capturing()
        with self.lock:
            table = self.tables.get(key) or self.captured.get(key)
            if is_capturing:
                if table is None:
                    raise NotReady(f"{rule}: the capture of a list of tensors needs an earlier step with the same tensors, at the "
                                   "same addresses; make a step before the capture, and keep the gradients (set_to_none=False)")
                self.captured[key] = table  # for ever, because the graph reads it
            elif table is None:
                table = _Table(rule, rows, pointers, sizes)
                kept = [other for other in self.tables if other[0] == device]
                if len(kept) >= self.LIMIT:
                    del self.tables[min(kept, key=lambda other: self.tables[other].last_use)]
                self.tables[key] = table
            else:
                stream = torch.cuda.current_stream(device)
                if stream != table.stream:
                    stream.wait_event(table.uploaded)
                    table.offsets.record_stream(stream)  # its memory is not reused before the kernel has read it
            table.last_use = next(self.uses)
        return table, sizes


_tables = _Tables()


def _rows(rule, lists):
    """Returns a row for each tensor that has elements, with its tensor of each list."""
    rows, (_, params) = [], lists[0]
    for what, tensors in lists:
        if len(tensors) != len(params):
            raise BadInput(f"{rule}: {what} has {len(tensors)} tensors and params {len(params)}; the numbers must be equal")
    for index, row in enumerate(zip(*(tensors for _, tensors in lists))):
        shape, device = row[0].shape, params[0].get_device()
        for x, (what, tensors) in zip(row, lists):
            if x.shape != shape:
                raise BadInput(f"{rule}: {what}[{index}] has the shape {tuple(x.shape)} and params[{index}] {tuple(shape)}; the "
                               "shapes must be equal")
            if x.dtype != tensors[0].dtype:
                raise BadInput(f"{rule}: {what}[{index}] has the dtype {x.dtype} and {what}[0] {tensors[0].dtype}; step the tensors "
                               "of each dtype separately")
            if not x.is_contiguous():
                raise BadInput(f"{rule}: {what}[{index}] is not contiguous")
            if x.get_device() != device or device < 0:
                raise BadInput(f"{rule}: {what}[{index}] is on {x.device}; all tensors must be on one CUDA device")
        if row[0].numel():
            rows.append(row)
    return rows


def _check_dtypes(rule, params, grads, means, squares, master):
    dtype = params[0].dtype
    for what, tensors in (("grads", grads), ("state", means)):
        if tensors[0].dtype not in (dtype, torch.float32):
            raise BadInput(f"{rule}: {what} is {tensors[0].dtype}, but must be {dtype} or torch.float32")
    if squares and squares[0].dtype != means[0].dtype:
        raise BadInput(f"{rule}: the two states are {means[0].dtype} and {squares[0].dtype}, but must have one dtype")
    if master and master[0].dtype != torch.float32:
        raise BadInput(f"{rule}: master is {master[0].dtype}, but must be torch.float32")


def _steps_kernel(params, grads, means, squares, master, rule, numbers):
    lists = [("params", params), ("grads", grads), ("state", means)]
    lists += [("state", squares)] * bool(squares) + [("master", master)] * bool(master)
    rows = _rows(rule, lists)
    if not rows:
        return
    _check_dtypes(rule, params, grads, means, squares, master)
    # In the order of the kernel's buffers: grads, exact parameters, states, rounded parameters.
    rows = [(row[1], row[-1], *row[2:-1], row[0]) if master else (row[1], row[0], *row[2:]) for row in rows]
    table, sizes = _tables.find(rule, rows)
    state = "fp32" if means[0].dtype == torch.float32 else "same"
    gradient = "same" if grads[0].dtype == params[0].dtype else "fp32"
    _list_kernels.launch((rule, bool(master), state, gradient, table.misaligned), params[0].dtype, (sizes,), *table.buffers,
                         table.offsets, table.starts, *numbers)
    for row in rows:
        for changed in row[1:]:
            _increment_version(changed)


optimiser_steps = define("optimiser_steps_", "(Tensor(a!)[] params, Tensor[] grads, Tensor(b!)[] means, Tensor(c!)[] squares, "
                         "Tensor(d!)[] master, str rule, float[] numbers) -> ()", _steps_kernel, lambda *args: None)


# --- The functions ----------------------------------------------------------------------------------------------------

def _refuse_gradient(rule, *tensors):
    if wants_gradient(*tensors):
        raise BadInput(f"{rule}: a step has no gradient; use torch.no_grad()")


def _stepped(params, grads, means, squares, master, rule, numbers):
    tensors, numbers = (params, grads, means, squares, master), [float(number) for number in numbers]
    if isinstance(params, (list, tuple)):
        return _list_stepped([[] if given is None else list(given) for given in tensors], rule, numbers)
    if not _is_compiling() and unwatched(*tensors):
        return _step_kernel(*tensors, rule, numbers)
    _refuse_gradient(rule, *tensors)
    optimiser_step(*tensors, rule, numbers)


def _list_stepped(lists, rule, numbers):
    if not lists[0]:
        return
    tensors = [x for given in lists for x in given]
    if not _is_compiling() and unwatched(*tensors):
        return _steps_kernel(*lists, rule, numbers)
    _refuse_gradient(rule, *tensors)
    optimiser_steps(*lists, rule, numbers)


def _adam(rule, params, grads, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay, master, scale):
    if step < 1:
        raise BadInput(f"{rule}: step is {step}; the first step is 1")
    beta1, beta2 = betas
    _stepped(params, grads, exp_avg, exp_avg_sq, master, rule,
             (lr, weight_decay, scale, beta1, beta2, eps, 1 - beta1 ** step, 1 - beta2 ** step))


def adamw_(params, grads, exp_avg, exp_avg_sq, step, *, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, master=None,
           scale=1.0):
    """Makes one step of torch.optim.AdamW, in place, on tensors of equal shape, or on lists of such tensors in one launch.
    step: the number of this step; the first step is 1.

    master: the parameters in float32; the step updates them, and writes their rounded values to the 16-bit params. grads,
    exp_avg and exp_avg_sq have the dtype of params, or float32. scale: a factor by which the gradients are multiplied
    first.
    """
    _adam("adamw", params, grads, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay, master, scale)


def adam_(params, grads, exp_avg, exp_avg_sq, step, *, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, master=None,
          scale=1.0):
    """Makes one step of torch.optim.Adam, in place. Lists, step, master and scale: as in adamw_."""
    _adam("adam", params, grads, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay, master, scale)


def sgd_(params, grads, momentum_buffer, *, lr=1e-3, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, master=None,
         scale=1.0):
    """Makes one step of torch.optim.SGD, in place. Lists, master and scale: as in adamw_.

    In its first step, torch uses a dampening of 0; this function uses the given dampening, unless momentum is 0. Then
    dampening has no effect, as in torch.
    """
    if nesterov and (momentum <= 0 or dampening != 0):
        raise BadInput("sgd: nesterov needs a momentum above 0 and a dampening of 0")
    dampening = dampening if momentum else 0.0
    _stepped(params, grads, momentum_buffer, None, master, "nesterov" if nesterov else "sgd",
             (lr, weight_decay, scale, momentum) + (() if nesterov else (dampening,)))
