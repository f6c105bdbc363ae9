"""The part of torch that importing and calling warptune.torch needs, because torch is too large to install: tensors
that are only shapes, and a library that records registrations. The GPU tests use the real torch."""
import enum
import itertools
import math
import sys
import types


def compact(shape):
    return tuple(math.prod(max(size, 1) for size in shape[i + 1:]) for i in range(len(shape)))


class Tensor:
    is_cuda, is_negated, device = True, False, "cuda:0"
    addresses = itertools.count(0x600000000, 1 << 32)  # of the memory of each tensor

    def __init__(self, shape, dtype, strides=None, is_dense=True, requires_grad=False):
        self.shape, self.dtype, self.is_dense, self.requires_grad = tuple(shape), dtype, is_dense, requires_grad
        self.strides = compact(self.shape) if strides is None else tuple(strides)
        self.version, self.offset, self.address = 0, 0, next(self.addresses)

    def data_ptr(self):
        return self.address

    def is_neg(self):
        return self.is_negated

    def stride(self):
        return self.strides

    def get_device(self):
        return 0 if self.is_cuda else -1

    def dim(self):
        return len(self.shape)

    def numel(self):
        return math.prod(self.shape)

    def is_contiguous(self):
        dense = zip(self.shape, self.strides, compact(self.shape))
        return self.is_dense and all(size == 1 or stride == expected for size, stride, expected in dense)

    def as_strided(self, shape, strides, offset=0):
        view = Tensor(shape, self.dtype, strides)
        view.offset, view.address = offset, self.address
        return view

    def storage_offset(self):
        return self.offset

    def element_size(self):
        return {torch.float32: 4, torch.float64: 8}.get(self.dtype, 2)

    def scatter(self, dim, indices, source):
        seen.append(("scatter", dim, indices, source))
        return self

    def contiguous(self):
        return self if self.is_contiguous() else self.clone()

    def clone(self):
        return Tensor(self.shape, self.dtype)

    @property
    def mT(self):
        order = (*range(self.dim() - 2), self.dim() - 1, self.dim() - 2)
        return self.as_strided([self.shape[i] for i in order], [self.strides[i] for i in order])

    def t(self):
        return self.mT

    def permute(self, *dims):
        return self.as_strided([self.shape[i] for i in dims], [self.strides[i] for i in dims])

    def unsqueeze(self, dim):
        at = dim % (self.dim() + 1)
        return self.as_strided((*self.shape[:at], 1, *self.shape[at:]), (*self.strides[:at], 1, *self.strides[at:]))

    def select(self, dim, index):
        seen.append(("select", dim, index))
        return self.squeeze(dim)

    def squeeze(self, dim):
        at = dim % self.dim()
        return self.as_strided((*self.shape[:at], *self.shape[at + 1:]), (*self.strides[:at], *self.strides[at + 1:]))

    def view(self, *shape):
        known = math.prod(size for size in shape if size != -1)
        return Tensor([self.numel() // known if size == -1 else size for size in shape], self.dtype)

    def flatten(self, first, last):
        assert (first, last) == (0, -2)
        return self if self.dim() == 2 else Tensor((math.prod(self.shape[:-1]), self.shape[-1]), self.dtype)

    def sum(self, dim=None):
        return Tensor(() if dim is None else self.shape[:dim] + self.shape[dim + 1:], self.dtype)

    def expand(self, shape):
        return Tensor(shape, self.dtype)

    def reshape(self, shape):
        return Tensor(shape, self.dtype)

    def copy_(self, other):
        seen.append("copy")
        return self

    def fill_(self, value):
        seen.append(("fill", value))
        return self

    def sum_to_size(self, shape):
        return Tensor(shape, self.dtype)

    def chunk(self, count, dim):
        assert dim == -1
        part = self.as_strided((*self.shape[:-1], self.shape[-1] // count), self.strides)
        return [part] * count

    def __add__(self, other):
        seen.append("add")
        return Tensor(self.shape, self.dtype)

    def __mul__(self, other):
        seen.append("mul")
        return Tensor(self.shape, self.dtype)

    def __sub__(self, other):
        seen.append("sub")
        return Tensor(self.shape, self.dtype)

    def rsqrt(self):
        seen.append("rsqrt")
        return Tensor(self.shape, self.dtype)

    def flip(self, dim):
        seen.append(("flip", dim))
        return Tensor(self.shape, self.dtype)

    def float(self):
        return Tensor(self.shape, torch.float32)

    def __neg__(self):
        seen.append("neg")
        return Tensor(self.shape, self.dtype)

    def __truediv__(self, other):
        seen.append("div")
        return Tensor(self.shape, self.dtype)

    def __ne__(self, other):
        return Tensor(self.shape, torch.bool) if isinstance(other, int) else self is not other

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__

    def new_empty(self, shape, dtype=None):
        return Tensor(shape, dtype or self.dtype)

    new_ones = new_empty

    def new_zeros(self, shape, dtype=None):
        seen.append("new_zeros")
        return self.new_empty(shape, dtype)

    def new_empty_strided(self, shape, strides, dtype=None):
        return Tensor(shape, dtype or self.dtype, strides)

    def record_stream(self, stream):
        seen.append(("record", stream.number))

    def clamp(self, least, most):
        seen.append(("clamp", least, most))
        return Tensor(self.shape, self.dtype)

    def to(self, to, non_blocking=False):
        if isinstance(to, str) and to.startswith("torch."):
            return Tensor(self.shape, to)
        seen.append(("to", to, non_blocking))
        moved = Tensor(self.shape, self.dtype)
        moved.values = self.values
        return moved

    def __getitem__(self, part):
        if isinstance(part, tuple):  # some columns
            begin, end, _ = part[1].indices(self.shape[-1])
            assert part[0] is Ellipsis
            return self.as_strided((*self.shape[:-1], max(end - begin, 0)), self.strides, begin)
        if not hasattr(self, "values"):  # some rows
            rows = range(self.shape[0])[part]
            view = self.as_strided((len(rows), *self.shape[1:]), self.strides)
            view.address += rows.start * self.strides[0] * self.element_size()
            return view
        made = Tensor((len(self.values[part]),), self.dtype)
        made.values, made.address = self.values[part], self.address + 8 * (part.start or 0)
        return made

    def sort(self, stable):
        assert stable and self.dim() == 1
        seen.append(("sort", self.dtype))
        return Tensor(self.shape, self.dtype), Tensor(self.shape, torch.int64)

    def zero_(self):
        seen.append("zero")
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


def applied(name, x):
    """One of torch's own operators."""
    seen.append(name)
    return Tensor(x.shape, x.dtype)


def cumprod_backward(dy, x, dim, y):
    assert dim == -1 and dy.shape == x.shape == y.shape
    seen.append(("cumprod_backward", dy.offset, x.offset, y.offset))
    return Tensor(x.shape, x.dtype)


def pad(x, sizes):
    seen.append(("pad", *sizes))
    return Tensor((*x.shape[:-1], x.shape[-1] + sum(sizes)), x.dtype)


def register_autograd(name, backward, setup_context, lib):
    """Like torch's, registers a function for autograd; here it only records that it was called."""
    gradients[name] = setup_context, backward
    lib.impl(name.partition("::")[2], lambda keyset, *args: seen.append((keyset, *args)), "Autograd", with_keyset=True)


def tensor(values, dtype, device, pin_memory=False):
    made = Tensor((len(values),), dtype)
    assert device == "cpu" and pin_memory
    made.values = values
    return made


class Stream:
    """A stream. Two of them are equal if they have the same number."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return self.number == other.number

    def record_event(self):
        return ("event", self.number)

    def wait_event(self, event):
        seen.append(("wait", self.number, event))


registered, fakes, gradients, seen = [], {}, {}, []
torch = types.ModuleType("torch")
torch.Tensor, torch.nn = Tensor, types.SimpleNamespace(Parameter=type("Parameter", (Tensor,), {}))
torch.nn.functional = types.SimpleNamespace(silu=lambda x: applied("silu", x),
                                            pad=pad,
                                            gelu=lambda x, approximate="none": applied(f"gelu {approximate}", x))
torch.where = lambda condition, x, other: applied(("where", condition, other), x)
torch.relu = lambda x: applied("relu", x)
torch.bfloat16, torch.float16, torch.float32, torch.float64 = "torch.bfloat16", "torch.float16", "torch.float32", "torch.float64"
torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64 = ("torch.uint8", "torch.int8", "torch.int16", "torch.int32",
                                                                  "torch.int64")
torch.bool = "torch.bool"
torch.SymInt = type("SymInt", (), {})
torch.float8_e4m3fn, torch.float8_e5m2 = "torch.float8_e4m3fn", "torch.float8_e5m2"
torch.iinfo = lambda dtype: (lambda bits: types.SimpleNamespace(bits=bits, max=2 ** (bits - 1) - 1))(int(dtype[len("torch.int"):]))
torch.finfo = lambda dtype: types.SimpleNamespace(eps=2.0 ** -23)
torch.Tag = enum.Enum("Tag", ["pt2_compliant_tag", "needs_fixed_stride_order"])
torch.compiler = types.SimpleNamespace(is_compiling=lambda: torch.compiling)
torch.compiling = False
torch.is_grad_enabled = lambda: True
torch.empty_like = lambda x: Tensor(x.shape, x.dtype, x.strides)
torch.empty_strided = lambda shape, stride, dtype, device: Tensor(shape, dtype, stride)
torch.ops = types.SimpleNamespace(warptune=types.SimpleNamespace(), aten=types.SimpleNamespace(
    cumprod_backward=cumprod_backward,
    _softmax_backward_data=lambda dy, y, dim, dtype: applied(f"_softmax_backward_data {dim}", y),
    _log_softmax_backward_data=lambda dy, y, dim, dtype: applied(f"_log_softmax_backward_data {dim}", y)))
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
torch.cuda = types.SimpleNamespace(
    get_device_capability=lambda device: torch.capability, is_current_stream_capturing=lambda: torch.capturing,
    current_stream=lambda device: Stream(torch.stream), synchronize=lambda device: seen.append("synchronize"))
torch.capability, torch.capturing, torch.stream = (9, 0), False, 0x31
torch.tensor = tensor


def install():
    sys.modules["torch"] = torch
    return torch
