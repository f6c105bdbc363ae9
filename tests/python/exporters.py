"""Stand-ins for the arrays of other libraries and for the driver: objects that claim to have memory on a device, and
the fake libcuda's record of the last launch."""
import ctypes
import os

DTYPES = {"fp32": (2, 32, "<f4"), "bf16": (4, 16, None), "int32": (0, 32, "<i4"), "fp64": (2, 64, "<f8")}
CUDA, CPU = 2, 1


# All members of FakeLaunch (tests/support/fake_cuda.h), because it is returned by value.
class Launch(ctypes.Structure):
    _fields_ = [("count", ctypes.c_int), ("grid", ctypes.c_uint), ("block", ctypes.c_uint), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("function", ctypes.c_char_p), ("args", ctypes.c_uint64 * 8),
                ("cleared", ctypes.c_uint64), ("cleared_bytes", ctypes.c_uint64), ("cleared_with", ctypes.c_uint),
                ("copied_to", ctypes.c_uint64), ("copied_from", ctypes.c_uint64), ("copied_bytes", ctypes.c_uint64),
                ("copied_after", ctypes.c_int), ("words", ctypes.c_uint), ("word_count", ctypes.c_uint64)]


class Driver:
    """The library named by $WARPTUNE_LIBCUDA (tests/support/fake_cuda.h)."""

    def __init__(self):
        self.library = ctypes.CDLL(os.environ["WARPTUNE_LIBCUDA"])
        self.library.fake_set_context.argtypes = [ctypes.c_void_p]
        self.library.fake_launch.restype = Launch

    def set_context(self, context):
        self.library.fake_set_context(context)

    def set_arg_count(self, count):
        self.library.fake_set_arg_count(count)

    def fail_launches(self, status):
        self.library.fake_fail_launches(status)

    def capture(self, stream):
        self.library.fake_capture.argtypes = [ctypes.c_void_p]
        self.library.fake_capture(stream)

    def fill_memory(self, is_full):
        self.library.fake_fill_memory(is_full)

    def set_device_count(self, count):
        self.library.fake_set_device_count(count)

    def renew_contexts(self):
        self.library.fake_renew_contexts()

    @property
    def kept_buffers(self):
        return self.library.fake_kept_buffers()

    @property
    def broken_captures(self):
        return self.library.fake_loads_that_break_captures()

    def last(self):
        return self.library.fake_launch()


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("dtype", DataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class ManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class ExchangeTable(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
                ("allocate", ctypes.c_void_p), ("managed_from_object", ctypes.c_void_p),
                ("object_from_managed", ctypes.c_void_p), ("tensor_from_object", ctypes.c_void_p),
                ("current_stream", ctypes.c_void_p)]


def capsule(address, name):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(address, name, None)


def sizes(numbers):
    return (ctypes.c_int64 * max(len(numbers), 1))(*numbers)


class Memory:
    """Common properties: an address, a dtype, a shape, strides in elements, a device."""

    def __init__(self, address, shape, dtype="fp32", strides=None, device=(CUDA, 0), offset=0):
        self.address, self.shape, self.dtype, self.strides = address, tuple(shape), dtype, strides
        self.device, self.offset = device, offset
        self.keep = []

    def fill(self, tensor):
        code, bits, _ = DTYPES[self.dtype]
        shape, strides = sizes(self.shape), None if self.strides is None else sizes(self.strides)
        self.keep = [shape, strides]  # until the next request
        tensor.data, tensor.device, tensor.ndim = self.address, Device(*self.device), len(self.shape)
        tensor.dtype = DataType(code, bits, 1)
        tensor.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
        if strides is not None:
            tensor.strides = ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64))
        tensor.byte_offset = self.offset


class DlpackArray(Memory):
    """As in CuPy or JAX: __dlpack__, which receives the stream."""

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None):
        self.asked_for_stream = stream
        managed = ManagedTensor()
        self.fill(managed.tensor)
        self.keep.append(managed)
        return capsule(ctypes.addressof(managed), b"dltensor")


class InterfaceArray(Memory):
    """As in Numba: __cuda_array_interface__."""
    stream = None

    def __init__(self, *memory, read_only=False, **options):
        super().__init__(*memory, **options)
        self.read_only = read_only

    @property
    def __cuda_array_interface__(self):
        _, bits, kind = DTYPES[self.dtype]
        strides = None if self.strides is None else tuple(s * bits // 8 for s in self.strides)
        return {"shape": self.shape, "typestr": kind, "data": (self.address, self.read_only), "strides": strides,
                "version": 3, "stream": self.stream}


class TableArray(Memory):
    """As in torch since 2.10: a table of C functions on the type, with the library's current stream."""
    current_stream = 0x500


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
def _tensor_from_object(array, out):
    array.fill(out.contents)
    return 0


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
def _current_stream(device_type, device, out):
    out[0] = TableArray.current_stream
    return 0


_table = ExchangeTable(1, 3, None, None, None, None, ctypes.cast(_tensor_from_object, ctypes.c_void_p),
                       ctypes.cast(_current_stream, ctypes.c_void_p))
_table_name = b"dlpack_exchange_api"  # kept alive: a capsule only points at its name
TableArray.__dlpack_c_exchange_api__ = capsule(ctypes.addressof(_table), _table_name)
