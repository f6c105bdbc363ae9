"""As much of torch as importing and calling warptune.torch takes, where torch is too large to be installed: tensors that
are shapes, and a library that writes down what is registered. What torch itself makes of it, the GPU tests show."""
import enum
import math
import sys
import types


class Tensor:
    is_cuda, is_negated, device = True, False, "cuda:0"
    address = 0x6000000

    def __init__(self, shape, dtype, is_dense=True, requires_grad=False):
        self.shape, self.dtype, self.is_dense, self.requires_grad = tuple(shape), dtype, is_dense, requires_grad
        self.version = 0

    def data_ptr(self):
        return self.address

    def is_neg(self):
        return self.is_negated

    def stride(self):
        return tuple(math.prod(self.shape[i + 1:]) for i in range(len(self.shape)))

    def get_device(self):
        return 0 if self.is_cuda else -1

    def dim(self):
        return len(self.shape)

    def numel(self):
        return math.prod(self.shape)

    def is_contiguous(self):
        return self.is_dense

    def contiguous(self):
        return Tensor(self.shape, self.dtype)

    clone = contiguous

    def t(self):
        return Tensor(self.shape[::-1], self.dtype, not self.is_dense)

    def view(self, *shape):
        known = math.prod(size for size in shape if size != -1)
        return Tensor([self.numel() // known if size == -1 else size for size in shape], self.dtype, self.is_dense)

    def new_empty(self, shape, dtype=None):
        return Tensor(shape, dtype or self.dtype)

    new_zeros = new_empty

    def zero_(self):
        return self


class Library:
    def __init__(self, namespace, kind):
        self.namespace, self.schemas, self.cuda, self.autograd = namespace, {}, {}, {}
        registered.append(self)

    def define(self, schema, tags=()):
        self.schemas[schema.partition("(")[0]] = schema

    def impl(self, name, function, key, with_keyset=False):
        if key == "Autograd":
            assert with_keyset
            self.autograd[name] = function
            return
        assert key == "CUDA"
        self.cuda[name] = function
        setattr(torch.ops.warptune, name, types.SimpleNamespace(default=lambda *args: dispatched(name, function, args)))


def dispatched(name, function, args):
    seen.append(name)
    return function(*args)


def register_autograd(name, backward, setup_context, lib):
    """As torch's: the function that torch makes of it, which here writes down that it was reached."""
    gradients[name] = setup_context, backward
    lib.impl(name.partition("::")[2], lambda keyset, *args: seen.append((keyset, *args)), "Autograd", with_keyset=True)


registered, fakes, gradients, seen = [], {}, {}, []
torch = types.ModuleType("torch")
torch.Tensor, torch.nn = Tensor, types.SimpleNamespace(Parameter=type("Parameter", (Tensor,), {}))
torch.bfloat16, torch.float16, torch.float32, torch.float64 = "torch.bfloat16", "torch.float16", "torch.float32", "torch.float64"
torch.uint8 = "torch.uint8"
torch.Tag = enum.Enum("Tag", ["pt2_compliant_tag", "needs_fixed_stride_order"])
torch.compiler = types.SimpleNamespace(is_compiling=lambda: torch.compiling)
torch.compiling = False
torch.is_grad_enabled = lambda: True
torch.empty_like = lambda x: Tensor(x.shape, x.dtype, x.is_dense)
torch.empty_strided = lambda shape, stride, dtype, device: Tensor(shape, dtype)
torch.ops = types.SimpleNamespace(warptune=types.SimpleNamespace())
torch.autograd = types.SimpleNamespace(graph=types.SimpleNamespace(
    increment_version=lambda x: setattr(x, "version", x.version + 1)))
torch.library = types.SimpleNamespace(
    Library=Library, register_fake=lambda name, function, lib: fakes.setdefault(name, function),
    register_autograd=register_autograd)
torch._C = types.SimpleNamespace(
    _cuda_getCurrentRawStream=lambda device: 0x31,
    _len_torch_dispatch_stack=lambda: torch.modes, _len_torch_function_stack=lambda: 0, _is_tracing=lambda: torch.tracing,
    _are_functorch_transforms_active=lambda: False)
torch.modes, torch.tracing = 0, False


def install():
    sys.modules["torch"] = torch
    return torch
