#include "launch.h"

#include "dims.h"
#include "driver.h"
#include "errors.h"
#include "scalar.h"
#include "tensor.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace warptune_python {
namespace {

namespace py = pybind11;

struct Argument {
  PyObject* object = nullptr;
  bool is_tensor = false, is_address = false;
  TensorView view;
  std::uint64_t value = 0; // passed to the kernel
};

// Device memory for one launch, from one of four sources; returned on destruction, in stream order after the launch.
struct Reserved {
  void* memory = nullptr;
  std::optional<Loan> loan;
  std::optional<StreamMemory> own;
  py::object owner; // owned by the caller or by torch
};

// One call, from the Python arguments to the launch.
class Call {
 public:
  Call(const std::string& kernel, PyObject* args, Py_ssize_t first, PyObject* kwargs) : kernel_(kernel) {
    read_options(kwargs);
    read_arguments(args, first);
  }

  std::vector<std::int64_t> dims(const KernelHandle& kernel, PyObject* tuple, PyObject* kwargs) const;
  // The largest power of two, up to WT_BUFFER_ALIGNMENT, at whose multiples all tensors of at least this size begin,
  // and all buffers that are given as an Address, because their sizes are not known.
  std::size_t alignment(std::uint64_t least_bytes = 0) const;
  std::uint64_t largest_bytes() const;
  // The buffers that are less aligned than this operation needs: the index of the least aligned one. -1: there are
  // none.
  int find_misaligned(const warptune::Operation& operation) const;
  // Says what this operation needs of a buffer that is less aligned.
  std::string misalignment(const warptune::Operation& operation, int index) const;
  int device() const { return device_; }
  void* stream() const { return stream_; }
  // Launches the operation, which was selected for these arguments.
  void launch(const warptune::Operation& operation, Workspaces& workspaces);

 private:
  void read_options(PyObject* kwargs);
  void read_arguments(PyObject* args, Py_ssize_t first);
  void check_buffer(const warptune::Operation& operation, int index);
  void reserve(std::size_t bytes, Workspaces& workspaces, Reserved& reserved) const;
  std::string arg_text(const warptune::Operation& operation, int index) const {
    return kernel_ + ": '" + operation.arg_name(index) + "'";
  }

  const std::string& kernel_;
  std::vector<Argument> args_;
  bool has_stream_ = false;
  void* stream_ = nullptr;
  int device_ = -1;
  PyObject* workspace_ = nullptr;
};

void Call::read_options(PyObject* kwargs) {
  if (kwargs == nullptr) return;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &key, &value) != 0;) {
    if (is_stream_key(key) && value != Py_None) {
      stream_ = read_stream(value);
      has_stream_ = true;
    } else if (is_workspace_key(key) && value != Py_None) {
      workspace_ = value;
    }
  }
}

// First read tensors that know their stream: the others are then requested on this stream.
void Call::read_arguments(PyObject* args, Py_ssize_t first) {
  const Py_ssize_t size = PyTuple_GET_SIZE(args);
  args_.reserve(static_cast<std::size_t>(size - first));
  for (Py_ssize_t i = first; i < size; ++i) {
    Argument& arg = args_.emplace_back();
    arg.object = PyTuple_GET_ITEM(args, i);
    if (PyLong_Check(arg.object) != 0 || PyFloat_Check(arg.object) != 0) continue;
    if (const Address* const address = find_address(arg.object); address != nullptr) {
      arg.is_address = true;
      arg.view.address = address->value;
      continue;
    }
    arg.is_tensor = read_known_tensor(arg.object, arg.view);
    if (arg.is_tensor && arg.view.has_stream && !has_stream_) {
      stream_ = arg.view.stream;
      has_stream_ = true;
    }
  }
  for (Argument& arg : args_) {
    if (!arg.is_tensor && !arg.is_address && PyLong_Check(arg.object) == 0 && PyFloat_Check(arg.object) == 0)
      arg.is_tensor = read_foreign_tensor(arg.object, stream_, arg.view);
    if (!arg.is_tensor || arg.view.device < 0) continue;
    if (device_ >= 0 && device_ != arg.view.device)
      bad_input(kernel_ + ": the tensors are on cuda:" + std::to_string(device_) +
                " and cuda:" + std::to_string(arg.view.device) + "; move them to one device");
    device_ = arg.view.device;
  }
}

std::vector<std::int64_t> Call::dims(const KernelHandle& kernel, PyObject* tuple, PyObject* kwargs) const {
  std::vector<std::int64_t> named = dims_by_name(kernel, kwargs, true);
  if (tuple != nullptr) {
    if (!named.empty()) bad_input(kernel_ + ": dims were given both in order and by name; give them in one way only");
    return dims_in_order(kernel, tuple);
  }
  if (!named.empty() || kernel.dims.empty()) return named; // the source fixes all sizes
  const auto first = std::find_if(args_.begin(), args_.end(), [](const Argument& arg) { return arg.is_tensor; });
  const bool has_list =
      std::any_of(kernel.lists.begin(), kernel.lists.end(), [](const std::string& list) { return !list.empty(); });
  if (has_list || first == args_.end() || static_cast<std::size_t>(first->view.ndim) != kernel.dims.size())
    bad_input(
        kernel_ + ": the dims (" + dim_names(kernel) +
        ") do not match the shape of the first tensor; give the dims by name, or as a tuple in the first argument");
  return {first->view.shape.begin(), first->view.shape.begin() + first->view.ndim};
}

std::size_t alignment_of(std::uint64_t address) {
  const std::uint64_t bits = address | WT_BUFFER_ALIGNMENT;
  return static_cast<std::size_t>(bits & (~bits + 1)); // the lowest set bit
}

std::size_t Call::alignment(std::uint64_t least_bytes) const {
  std::uint64_t bits = 0;
  for (const Argument& arg : args_)
    if (arg.is_address || (arg.is_tensor && arg.view.bytes >= least_bytes)) bits |= arg.view.address;
  return alignment_of(bits);
}

std::uint64_t Call::largest_bytes() const {
  std::uint64_t bytes = 0;
  for (const Argument& arg : args_)
    if (arg.is_tensor) bytes = std::max(bytes, arg.view.bytes);
  return bytes;
}

int Call::find_misaligned(const warptune::Operation& operation) const {
  const int count = std::min(operation.arg_count(), static_cast<int>(args_.size())); // launch() refuses other numbers
  int found = -1;
  std::size_t least = WT_BUFFER_ALIGNMENT;
  for (int i = 0; i < count; ++i) {
    const std::size_t needed = wt_operation_arg_alignment(operation.get(), i); // 0: a scalar
    const std::size_t given = alignment_of(args_[static_cast<std::size_t>(i)].view.address);
    if (given >= needed || given >= least) continue;
    least = given;
    found = i;
  }
  return found;
}

std::string Call::misalignment(const warptune::Operation& operation, int index) const {
  const std::size_t needed = wt_operation_arg_alignment(operation.get(), index);
  const std::size_t given = alignment_of(args_[static_cast<std::size_t>(index)].view.address);
  return arg_text(operation, index) + " requires " + std::to_string(needed) +
         "-byte alignment, but it begins at a multiple of " + std::to_string(given) +
         " bytes only; copy it, or start it at a multiple of " + std::to_string(needed) + " bytes";
}

void Call::check_buffer(const warptune::Operation& operation, int index) {
  const Argument& arg = args_[static_cast<std::size_t>(index)];
  const char* dtype = wt_operation_arg_dtype(operation.get(), index);
  if (arg.is_address) return;
  if (!arg.is_tensor)
    bad_input(arg_text(operation, index) + " is a buffer, but the argument has the type " +
              Py_TYPE(arg.object)->tp_name + "; pass an object that has __dlpack__ or __cuda_array_interface__");
  if (!has_dtype(arg.view, dtype))
    bad_input(arg_text(operation, index) + " is " + dtype_text(arg.view.dtype) + ", but the kernel takes " + dtype);
  if (!arg.view.is_contiguous)
    bad_input(arg_text(operation, index) + " is not contiguous; the kernel takes dense row-major memory");
  const std::size_t bytes = operation.arg_bytes(index);
  if (arg.view.bytes != bytes)
    bad_input(arg_text(operation, index) + " has " + std::to_string(arg.view.bytes) + " bytes, but these dims need " +
              std::to_string(bytes));
  if (arg.view.is_read_only && wt_operation_arg_is_written(operation.get(), index) != 0)
    bad_input(arg_text(operation, index) + " is written by the kernel, but the argument is a read-only " +
              Py_TYPE(arg.object)->tp_name);
  if (arg.view.address == 0) bad_input(arg_text(operation, index) + " has no memory");
}

// Takes a workspace that the library keeps. Otherwise allocates one for this launch: from torch if the launch is on
// torch's stream, so that a capture finds the memory in its graph's pool; else from the driver.
void Call::reserve(std::size_t bytes, Workspaces& workspaces, Reserved& reserved) const {
  if (workspace_ != nullptr) {
    TensorView view;
    if (!read_known_tensor(workspace_, view) && !read_foreign_tensor(workspace_, stream_, view))
      bad_input(kernel_ + ": the workspace is a " + Py_TYPE(workspace_)->tp_name + ", but it must be device memory");
    if (!view.is_contiguous || view.bytes < bytes)
      bad_input(kernel_ + ": the workspace has " + std::to_string(view.bytes) + " bytes, but it must have " +
                std::to_string(bytes) + " contiguous bytes");
    reserved.memory = reinterpret_cast<void*>(view.address);
    reserved.owner = view.owner;
    return;
  }
  reserved.memory = reserved.loan.emplace(workspaces, bytes, stream_).get();
  if (reserved.memory != nullptr) return;
  for (const Argument& arg : args_)
    if (arg.is_tensor && arg.view.is_torch && arg.view.stream == stream_) {
      const py::object tensor = py::reinterpret_borrow<py::object>(arg.object);
      reserved.owner = tensor.attr("new_empty")(py::make_tuple(bytes),
                                                py::arg("dtype") = py::module_::import("torch").attr("uint8"));
      reserved.memory = reinterpret_cast<void*>(reserved.owner.attr("data_ptr")().cast<std::uintptr_t>());
      return;
    }
  reserved.memory = reserved.own.emplace(bytes, stream_).get();
  if (reserved.memory == nullptr)
    throw warptune::Error(WT_INTERNAL, kernel_ + ": cannot allocate a workspace of " + std::to_string(bytes) +
                                           " bytes on the device; pass workspace=");
}

void Call::launch(const warptune::Operation& operation, Workspaces& workspaces) {
  const int count = operation.arg_count();
  if (count != static_cast<int>(args_.size())) {
    std::string names;
    for (int i = 0; i < count; ++i) names += (i == 0 ? "" : ", ") + operation.arg_name(i);
    bad_input(kernel_ + ": " + std::to_string(args_.size()) + " arguments were given, but it takes " +
              std::to_string(count) + ": " + names);
  }
  std::vector<const void*> pointers(args_.size());
  for (int i = 0; i < count; ++i) {
    Argument& arg = args_[static_cast<std::size_t>(i)];
    if (operation.arg_kind(i) == WT_ARG_BUFFER) {
      check_buffer(operation, i);
      arg.value = arg.view.address;
    } else {
      arg.value = scalar_bits(operation, i, arg.object, kernel_);
    }
    pointers[static_cast<std::size_t>(i)] = &arg.value;
  }
  Reserved workspace;
  if (const std::size_t bytes = operation.workspace_bytes(); bytes != 0) reserve(bytes, workspaces, workspace);
  const py::gil_scoped_release released; // a full queue blocks, and emptying it may need the interpreter
  warptune::check(wt_launch(operation.get(), pointers.data(), count, workspace.memory, stream_));
}

warptune::Operation select(KernelHandle& kernel, const std::vector<std::int64_t>& dims, const Call& call,
                           std::size_t alignment) {
  if (alignment == kernel.last_alignment && dims == kernel.last_dims)
    return kernel.kernel.select(dims, alignment, call.stream());
  warptune::Operation operation = [&] {
    const py::gil_scoped_release released; // may load or compile
    return kernel.kernel.select(dims, alignment, call.stream());
  }();
  kernel.last_dims = dims;
  kernel.last_alignment = alignment;
  return operation;
}

// Throws an error that names a buffer if only its address is the reason why nothing can be launched. The library cannot
// name it, because a selection takes one alignment for all buffers.
void name_misaligned(KernelHandle& kernel, const std::vector<std::int64_t>& dims, const Call& call) {
  std::string text;
  try {
    const warptune::Operation operation = select(kernel, dims, call, WT_BUFFER_ALIGNMENT);
    if (const int index = call.find_misaligned(operation); index >= 0) text = call.misalignment(operation, index);
  } catch (const warptune::Error&) { // nothing can be launched at any address
  }
  if (!text.empty()) throw warptune::Error(WT_NO_CANDIDATE, text);
}

// A selection takes one alignment for all buffers. Small ones, such as a scale or indices, may begin anywhere, and
// often need less than the large ones: then the configuration for the alignment of the largest buffers is right for
// all.
warptune::Operation select(KernelHandle& kernel, const std::vector<std::int64_t>& dims, const Call& call) {
  const std::size_t alignment = call.alignment();
  if (alignment == WT_BUFFER_ALIGNMENT) return select(kernel, dims, call, alignment);
  const std::size_t of_largest = call.alignment(call.largest_bytes());
  if (of_largest > alignment) {
    try {
      const warptune::Operation operation = select(kernel, dims, call, of_largest);
      if (call.find_misaligned(operation) < 0) return operation;
    } catch (const warptune::Error&) { // the selection below succeeds or says why not
    }
  }
  try {
    return select(kernel, dims, call, alignment);
  } catch (const warptune::Error& error) {
    if (error.status() != WT_NO_CANDIDATE) throw;
    name_misaligned(kernel, dims, call);
    throw;
  }
}

// C++ exceptions must not reach the interpreter.
template <class F> PyObject* guarded(F&& f) {
  try {
    f();
    Py_RETURN_NONE;
  } catch (const warptune::Error& error) {
    set_python_error(error);
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::cast_error& error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

} // namespace

PyObject* call_kernel(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    auto& kernel = py::handle(self).cast<KernelHandle&>();
    PyObject* first = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : nullptr;
    PyObject* tuple = first != nullptr && PyTuple_CheckExact(first) != 0 ? first : nullptr;
    Call call(kernel.name, args, tuple != nullptr ? 1 : 0, kwargs);
    const std::vector<std::int64_t> dims = call.dims(kernel, tuple, kwargs);
    const CurrentContext context(call.device());
    call.launch(select(kernel, dims, call), kernel.library->workspaces);
  });
}

PyObject* call_operation(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    const auto& operation = py::handle(self).cast<const OperationHandle&>();
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; kwargs != nullptr && PyDict_Next(kwargs, &at, &key, &value) != 0;)
      if (!is_stream_key(key) && !is_workspace_key(key))
        bad_input(operation.name + ": an operation takes stream= and workspace=, not '" + shown(key) +
                  "'; its dims were fixed when it was selected");
    Call call(operation.name, args, 0, kwargs);
    const CurrentContext context(call.device());
    call.launch(operation.operation, operation.library->workspaces);
  });
}

void* read_stream(const py::handle& stream) {
  if (stream.is_none()) return nullptr;
  if (PyLong_CheckExact(stream.ptr()) != 0) return reinterpret_cast<void*>(stream.cast<std::uintptr_t>());
  py::object handle = py::reinterpret_borrow<py::object>(stream);
  if (py::hasattr(handle, "cuda_stream")) // torch
    handle = handle.attr("cuda_stream");
  else if (py::hasattr(handle, "__cuda_stream__")) // cuda.core's protocol: (version, handle)
    handle = py::tuple(handle.attr("__cuda_stream__")())[1];
  else if (py::hasattr(handle, "ptr")) // CuPy
    handle = handle.attr("ptr");
  if (!py::isinstance<py::int_>(handle))
    bad_input("stream= takes a number, or a stream of torch, CuPy or cuda.core, not a " +
              std::string(Py_TYPE(stream.ptr())->tp_name));
  return reinterpret_cast<void*>(handle.cast<std::uintptr_t>());
}

} // namespace warptune_python
