#include "tensor.h"

#include "driver.h"
#include "errors.h"

#include <cstring>
#include <memory>
#include <pybind11/stl.h>
#include <string_view>
#include <vector>
#include <warptune/warptune.hpp>

namespace warptune_python {
namespace {

namespace py = pybind11;

struct DTypeName {
  const char* name;  // warptune's name
  const char* torch; // torch's name
  std::uint8_t code, bits;
};
constexpr std::array kDTypes = {DTypeName{"fp32", "float32", dlpack::kFloat, 32},
                                DTypeName{"bf16", "bfloat16", dlpack::kBfloat, 16},
                                DTypeName{"fp16", "float16", dlpack::kFloat, 16},
                                DTypeName{"fp64", "float64", dlpack::kFloat, 64},
                                DTypeName{"int32", "int32", dlpack::kInt, 32},
                                DTypeName{"int64", "int64", dlpack::kInt, 64},
                                DTypeName{"int16", "int16", dlpack::kInt, 16},
                                DTypeName{"int8", "int8", dlpack::kInt, 8},
                                DTypeName{"uint32", "uint32", dlpack::kUInt, 32},
                                DTypeName{"uint64", "uint64", dlpack::kUInt, 64},
                                DTypeName{"uint16", "uint16", dlpack::kUInt, 16},
                                DTypeName{"uint8", "uint8", dlpack::kUInt, 8},
                                DTypeName{"bool", "bool", dlpack::kBool, 8},
                                DTypeName{"tf32", nullptr, dlpack::kFloat, 32},
                                DTypeName{"fp8_e4m3", "float8_e4m3fn", dlpack::kFloat8E4m3fn, 8},
                                DTypeName{"fp8_e5m2", "float8_e5m2", dlpack::kFloat8E5m2, 8}};

std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

// True if row-major without gaps. `strides` may be null; their unit is `unit`: 1 for elements, or the bytes of one.
bool is_compact(int ndim, const std::int64_t* shape, const std::int64_t* strides, std::int64_t unit) {
  if (strides == nullptr) return true;
  std::int64_t expected = unit;
  bool compact = true;
  for (int i = ndim - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != expected) compact = false;
    expected *= shape[i];
  }
  return compact;
}

void set_shape(PyObject* object, int ndim, const std::int64_t* shape, TensorView& view) {
  if (ndim > kMaxTensorDims)
    bad_input("a " + type_name(object) + " of " + std::to_string(ndim) + " dimensions is not supported; at most " +
              std::to_string(kMaxTensorDims) + " are allowed");
  view.ndim = ndim;
  std::uint64_t count = 1;
  for (int i = 0; i < ndim; ++i) {
    view.shape[static_cast<std::size_t>(i)] = shape[i];
    count *= static_cast<std::uint64_t>(shape[i]);
  }
  view.bytes = count * view.dtype.bits * view.dtype.lanes / 8;
}

void check_device(PyObject* object, int type) {
  if (type != dlpack::kCuda && type != dlpack::kCudaManaged)
    bad_input("the " + type_name(object) + " is not on a CUDA device; move it to a CUDA device first");
}

void read(PyObject* object, const dlpack::Tensor& tensor, TensorView& view) {
  check_device(object, tensor.device.type);
  view.address = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
  view.device = tensor.device.id;
  view.dtype = tensor.dtype;
  set_shape(object, tensor.ndim, tensor.shape, view);
  view.is_contiguous = is_compact(tensor.ndim, tensor.shape, tensor.strides, 1);
}

// --- torch before DLPack's table ------------------------------------------------------------------------------------

struct Torch {
  py::object tensor_type, current_stream;
  std::vector<std::pair<PyObject*, dlpack::DataType>> dtypes; // torch's own dtype objects, which live as long as torch
  py::str data_ptr{"data_ptr"}, dtype{"dtype"}, get_device{"get_device"}, shape{"shape"},
      is_contiguous{"is_contiguous"};

  explicit Torch(const py::object& module)
      : tensor_type(module.attr("Tensor")), current_stream(module.attr("_C").attr("_cuda_getCurrentRawStream")) {
    for (const DTypeName& row : kDTypes)
      if (row.torch != nullptr && py::hasattr(module, row.torch))
        dtypes.emplace_back(py::object(module.attr(row.torch)).release().ptr(),
                            dlpack::DataType{row.code, row.bits, 1});
  }
};

// Null until the application imports torch; never imports it.
Torch* torch() {
  static Torch* kept = nullptr;
  if (kept == nullptr) {
    PyObject* modules = PyImport_GetModuleDict();
    PyObject* module = PyDict_GetItemString(modules, "torch");
    if (module == nullptr || PyObject_HasAttrString(module, "Tensor") == 0) return nullptr;
    PyObject* inner = PyObject_GetAttrString(module, "_C");
    const bool has_cuda = inner != nullptr && PyObject_HasAttrString(inner, "_cuda_getCurrentRawStream") != 0;
    Py_XDECREF(inner);
    PyErr_Clear();
    if (has_cuda) kept = new Torch(py::reinterpret_borrow<py::object>(module)); // never freed, not even at exit
  }
  return kept;
}

py::object call(PyObject* object, const py::str& method) {
  PyObject* result = PyObject_CallMethodNoArgs(object, method.ptr());
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

void read_torch(PyObject* object, const Torch& torch, TensorView& view) {
  const int device = call(object, torch.get_device).cast<int>();
  if (device < 0) check_device(object, dlpack::kCpu);
  view.device = device;
  view.address = call(object, torch.data_ptr).cast<std::uint64_t>();
  view.is_contiguous = call(object, torch.is_contiguous).cast<bool>();
  const py::object dtype = py::reinterpret_borrow<py::object>(object).attr(torch.dtype);
  for (const auto& [known, type] : torch.dtypes)
    if (known == dtype.ptr()) view.dtype = type;
  if (view.dtype.bits == 0)
    bad_input("no kernel takes a torch tensor of " + std::string(py::str(dtype)) + "; convert it to another dtype");
  const auto shape = py::reinterpret_borrow<py::object>(object).attr(torch.shape).cast<std::vector<std::int64_t>>();
  set_shape(object, static_cast<int>(shape.size()), shape.data(), view);
  view.stream = reinterpret_cast<void*>(torch.current_stream(device).cast<std::uintptr_t>());
}

// --- Capabilities of a type, looked up once ------------------------------------------------------------------------

struct KnownType {
  PyTypeObject* type = nullptr;
  const dlpack::ExchangeTable* table = nullptr;
  Torch* torch = nullptr;
};

const dlpack::ExchangeTable* find_table(PyTypeObject* type) {
  PyObject* capsule = PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__dlpack_c_exchange_api__");
  if (capsule == nullptr) {
    PyErr_Clear();
    return nullptr;
  }
  const auto* table =
      PyCapsule_IsValid(capsule, "dlpack_exchange_api") != 0
          ? static_cast<const dlpack::ExchangeTable*>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"))
          : nullptr;
  Py_DECREF(capsule);
  while (table != nullptr && table->version.major != 1) table = table->previous;
  return table != nullptr && table->tensor_from_object != nullptr && table->current_stream != nullptr ? table : nullptr;
}

const KnownType& known_type(PyTypeObject* type) {
  static std::vector<std::unique_ptr<KnownType>> kept; // guarded by the GIL; a handful of types
  for (const auto& known : kept)
    if (known->type == type) return *known;
  auto known = std::make_unique<KnownType>();
  known->type = type;
  Py_INCREF(type); // so that no other type can reuse its address
  known->table = find_table(type);
  Torch* with_torch = torch();
  if (with_torch != nullptr &&
      PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(with_torch->tensor_type.ptr())) != 0)
    known->torch = with_torch;
  kept.push_back(std::move(known));
  return *kept.back();
}

// --- Protocols ------------------------------------------------------------------------------------------------------

void read_dlpack(PyObject* object, void* stream, TensorView& view) {
  const py::object tensor = py::reinterpret_borrow<py::object>(object);
  const auto device = tensor.attr("__dlpack_device__")().cast<std::pair<int, int>>();
  check_device(object, device.first);
  // In this protocol the legacy default stream is 1; every other stream is its handle.
  const auto number = stream == nullptr ? std::uintptr_t{1} : reinterpret_cast<std::uintptr_t>(stream);
  py::object capsule = tensor.attr("__dlpack__")(py::arg("stream") = number);
  auto* managed = static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (managed == nullptr) throw py::error_already_set();
  read(object, managed->tensor, view);
  view.owner = std::move(capsule); // not consumed: the capsule's destructor releases the tensor
}

std::vector<std::int64_t> sizes_of(const py::handle& tuple) { return tuple.cast<std::vector<std::int64_t>>(); }

dlpack::DataType type_of(const std::string& text) {
  if (text.size() < 3 || text[0] == '>')
    bad_input("__cuda_array_interface__ has the type '" + text + "', which is not a little-endian number type");
  const std::string_view kinds = "iufb";
  const std::size_t kind = kinds.find(text[1]);
  if (kind == std::string_view::npos)
    bad_input("__cuda_array_interface__ has the type '" + text + "', which no kernel takes; bf16 needs __dlpack__");
  constexpr std::array<std::uint8_t, 4> codes = {dlpack::kInt, dlpack::kUInt, dlpack::kFloat, dlpack::kBool};
  return {codes[kind], static_cast<std::uint8_t>(std::stoi(text.substr(2)) * 8), 1};
}

void read_array_interface(const py::dict& array, PyObject* object, void* stream, TensorView& view) {
  if (array.contains("mask") && !array["mask"].is_none()) bad_input("masked arrays are not supported");
  const auto data = array["data"].cast<std::pair<std::uint64_t, bool>>();
  view.address = data.first;
  view.is_read_only = data.second;
  view.dtype = type_of(array["typestr"].cast<std::string>());
  const std::vector<std::int64_t> shape = sizes_of(array["shape"]);
  set_shape(object, static_cast<int>(shape.size()), shape.data(), view);
  if (array.contains("strides") && !array["strides"].is_none()) {
    const std::vector<std::int64_t> strides = sizes_of(array["strides"]);
    view.is_contiguous =
        strides.size() == shape.size() && is_compact(view.ndim, shape.data(), strides.data(), view.dtype.bits / 8);
  }
  view.device = device_of(view.address);
  if (!array.contains("stream") || array["stream"].is_none()) return;
  const auto producer = array["stream"].cast<std::uintptr_t>();
  const auto consumer = stream == nullptr ? std::uintptr_t{1} : reinterpret_cast<std::uintptr_t>(stream);
  const Driver* driver = find_driver();
  if (producer != consumer && driver != nullptr && driver->synchronize(reinterpret_cast<void*>(producer)) != 0)
    bad_input("cannot wait for the stream that __cuda_array_interface__ names; launch on that stream, or outside of a "
              "capture");
}

} // namespace

void define_address(py::module_& module) {
  py::class_<Address>(module, "Address",
                      "Address(number): device memory as the argument for a buffer. Of this argument, a launch checks\n"
                      "only the alignment. For kernels such as adam_list, which find their data by offsets from the\n"
                      "address.")
      .def(py::init([](std::uint64_t value) { return Address{value}; }), py::arg("number"))
      .def_readonly("number", &Address::value)
      .def("__repr__", [](const Address& self) { return "warptune.Address(" + std::to_string(self.value) + ")"; });
}

const Address* find_address(PyObject* object) {
  static const auto* const type = reinterpret_cast<const PyTypeObject*>(py::type::of<Address>().release().ptr());
  return Py_TYPE(object) == type ? py::handle(object).cast<const Address*>() : nullptr;
}

bool read_known_tensor(PyObject* object, TensorView& view) {
  const KnownType& known = known_type(Py_TYPE(object));
  if (known.table != nullptr) {
    dlpack::Tensor tensor{};
    if (known.table->tensor_from_object(object, &tensor) != 0) throw py::error_already_set();
    read(object, tensor, view);
    if (known.table->current_stream(tensor.device.type, tensor.device.id, &view.stream) != 0)
      throw py::error_already_set();
  } else if (known.torch != nullptr) {
    read_torch(object, *known.torch, view);
  } else {
    return false;
  }
  view.is_torch = known.torch != nullptr;
  view.has_stream = true;
  return true;
}

bool read_foreign_tensor(PyObject* object, void* stream, TensorView& view) {
  if (PyObject_HasAttrString(object, "__dlpack__") != 0) return read_dlpack(object, stream, view), true;
  PyObject* array = PyObject_GetAttrString(object, "__cuda_array_interface__");
  if (array == nullptr) return PyErr_Clear(), false;
  read_array_interface(py::reinterpret_steal<py::dict>(array), object, stream, view);
  return true;
}

std::string dtype_text(const dlpack::DataType& dtype) {
  for (const DTypeName& row : kDTypes)
    if (row.code == dtype.code && row.bits == dtype.bits && dtype.lanes == 1) return row.name;
  return "an unknown type of " + std::to_string(dtype.bits) + " bits";
}

std::string known_dtype(const std::string& name) {
  for (const DTypeName& row : kDTypes)
    if (row.torch != nullptr && name == row.torch) return row.name;
  return name;
}

bool has_dtype(const TensorView& view, const char* name) {
  for (const DTypeName& row : kDTypes)
    if (row.code == view.dtype.code && row.bits == view.dtype.bits && std::strcmp(row.name, name) == 0)
      return view.dtype.lanes == 1;
  return false;
}

} // namespace warptune_python
