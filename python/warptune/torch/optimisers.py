"""torch.ops.warptune.optimiser_step_: one step of AdamW, Adam or SGD with momentum, in place, on one flat buffer of
parameters."""
import torch

from ..errors import BadInput
from .operators import wants_gradient
from .ops import Kernels, define, unwatched

_kernels = Kernels("adam", "rule", "master", "state", "grads")
_increment_version = torch.autograd.graph.increment_version
_is_compiling = torch.compiler.is_compiling


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


def _stepped(params, grads, means, squares, master, rule, numbers):
    tensors, numbers = (params, grads, means, squares, master), [float(number) for number in numbers]
    if not _is_compiling():
        if unwatched(*tensors):
            return _step_kernel(*tensors, rule, numbers)
        if wants_gradient(*tensors):
            raise BadInput(f"{rule}: a step has no gradient; use torch.no_grad()")
    optimiser_step(*tensors, rule, numbers)


def _adam(rule, params, grads, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay, master, scale):
    if step < 1:
        raise BadInput(f"{rule}: step is {step}; the first step is 1")
    beta1, beta2 = betas
    _stepped(params, grads, exp_avg, exp_avg_sq, master, rule,
             (lr, weight_decay, scale, beta1, beta2, eps, 1 - beta1 ** step, 1 - beta2 ** step))


def adamw_(params, grads, exp_avg, exp_avg_sq, step, *, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, master=None,
           scale=1.0):
    """Makes one step of torch.optim.AdamW, in place, on tensors of equal shape. step: the number of this step; the
    first step is 1.

    master: the parameters in float32; the step updates them, and writes their rounded values to the 16-bit params. grads,
    exp_avg and exp_avg_sq have the dtype of params, or float32. scale: a factor by which the gradients are multiplied
    first.
    """
    _adam("adamw", params, grads, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay, master, scale)


def adam_(params, grads, exp_avg, exp_avg_sq, step, *, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, master=None,
          scale=1.0):
    """Makes one step of torch.optim.Adam, in place. step, master and scale: as in adamw_."""
    _adam("adam", params, grads, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay, master, scale)


def sgd_(params, grads, momentum_buffer, *, lr=1e-3, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, master=None,
         scale=1.0):
    """Makes one step of torch.optim.SGD, in place. master and scale: as in adamw_.

    In its first step, torch uses a dampening of 0; this function uses the given dampening, unless momentum is 0. Then
    dampening has no effect, as in torch.
    """
    if nesterov and (momentum <= 0 or dampening != 0):
        raise BadInput("sgd: nesterov needs a momentum above 0 and a dampening of 0")
    dampening = dampening if momentum else 0.0
    _stepped(params, grads, momentum_buffer, None, master, "nesterov" if nesterov else "sgd",
             (lr, weight_decay, scale, momentum) + (() if nesterov else (dampening,)))
