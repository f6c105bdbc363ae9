// warptune._core: Library, Kernel and Operation of warptune.hpp as Python classes. launch.cpp implements launches; the
// Python code (warptune/__init__.py, errors.py) adds functions and exceptions.
#include "dims.h"
#include "driver.h"
#include "errors.h"
#include "handles.h"
#include "launch.h"
#include "tensor.h"
#include "torch_glue.h"

#include <pybind11/stl.h>
#include <stdexcept>

namespace warptune_python {
namespace {

namespace py = pybind11;

std::string repr_of(const KernelHandle& kernel) {
  std::string text = "<warptune.Kernel " + kernel.name;
  if (!kernel.dtype.empty()) text += " " + kernel.dtype;
  if (!kernel.flags.empty()) text += " " + kernel.flags;
  text += "(";
  for (std::size_t i = 0; i < kernel.dims.size(); ++i)
    text += (i == 0 ? "" : ", ") + kernel.dims[i].cast<std::string>();
  return text + ")>";
}

// From "bf16", "bfloat16", torch.bfloat16, numpy.dtype("float32") or numpy.float32: the part after the last dot.
std::string dtype_name_of(const py::object& dtype) {
  if (dtype.is_none()) return {};
  std::string text = py::str(py::hasattr(dtype, "__name__") ? dtype.attr("__name__") : dtype).cast<std::string>();
  text.erase(0, text.rfind('.') + 1);
  return known_dtype(text);
}

std::string flags_of(const py::kwargs& flags) {
  std::string text;
  for (const auto& [name, value] : flags) {
    const py::object shown =
        py::isinstance<py::bool_>(value) ? py::int_(value.cast<int>()) : py::reinterpret_borrow<py::object>(value);
    text += (text.empty() ? "" : ",") + name.cast<std::string>() + "=" + py::str(shown).cast<std::string>();
  }
  return text;
}

KernelHandle find_kernel(const LibraryHandle& library, const std::string& name, const py::object& dtype,
                         const py::kwargs& kwargs) {
  const auto& opened = library.get();
  std::string type = dtype_name_of(dtype), flags = flags_of(kwargs);
  KernelHandle found{opened, opened->kernel(name, type, flags), name, type, flags, {}, {}, {}, {}};
  found.lists = found.kernel.lists();
  for (int i = 0; i < static_cast<int>(found.lists.size()); ++i) found.defaults.push_back(found.kernel.dim_default(i));
  for (const std::string& dim : found.kernel.dims())
    found.dims.push_back(py::reinterpret_steal<py::str>(PyUnicode_InternFromString(dim.c_str())));
  return found;
}

// Removes an option from the keywords, so that only dims remain; None if it is missing.
py::object taken(py::kwargs& kwargs, const char* name) {
  return kwargs.contains(name) ? py::object(kwargs.attr("pop")(name)) : py::none();
}

std::size_t taken_alignment(py::kwargs& kwargs) {
  const py::object value = taken(kwargs, "alignment");
  if (value.is_none()) return 0;
  const auto bytes = py::isinstance<py::int_>(value) ? value.cast<std::int64_t>() : -1;
  if (bytes < 0) bad_input("alignment is " + shown(value.ptr()) + ", but it must be a power of two in bytes");
  return static_cast<std::size_t>(bytes);
}

// The ordinal of a device of this machine, given as a number, as "cuda:1" or by a unique name. -1 if none is given, or
// if there is no driver, which the library then reports.
int taken_device(py::kwargs& kwargs) {
  const py::object value = taken(kwargs, "device");
  if (value.is_none()) return -1;
  const std::vector<std::string> names = device_names();
  if (names.empty()) return -1;
  const std::string asked = shown(value.ptr());
  std::vector<std::size_t> found;
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string number = std::to_string(i), cuda = "cuda:" + number;
    if (asked == number || asked == cuda || asked == names[i]) found.push_back(i);
    known += (i == 0 ? "" : ", ") + cuda + " (" + names[i] + ")";
  }
  if (found.empty()) bad_input("this machine has no device '" + asked + "'; it has " + known);
  if (found.size() > 1)
    bad_input("several devices have the name '" + asked + "'; choose one of them by its number: " + known);
  return static_cast<int>(found.front());
}

OperationHandle select_operation(KernelHandle& kernel, const py::args& args, py::kwargs kwargs) {
  const std::size_t alignment = taken_alignment(kwargs);
  void* stream = kwargs.contains("stream") ? read_stream(kwargs.attr("pop")("stream")) : nullptr;
  const int device = taken_device(kwargs);
  const std::vector<std::int64_t> dims = read_dims(kernel, args, kwargs);
  const CurrentContext context(device);
  const py::gil_scoped_release released;
  return {kernel.library, kernel.kernel.select(dims, alignment, stream), kernel.name};
}

void prefetch(KernelHandle& kernel, const py::args& args, py::kwargs kwargs) {
  const std::size_t alignment = taken_alignment(kwargs);
  const int device = taken_device(kwargs);
  const std::vector<std::int64_t> dims = read_dims(kernel, args, kwargs);
  const CurrentContext context(device);
  const py::gil_scoped_release released;
  kernel.kernel.prefetch(dims, alignment);
}

warptune::Explanation explain(const KernelHandle& kernel, const py::args& args, py::kwargs kwargs) {
  const std::size_t alignment = taken_alignment(kwargs);
  const py::object value = taken(kwargs, "device");
  const std::string device = value.is_none() ? "" : shown(value.ptr());
  const std::vector<std::int64_t> dims = read_dims(kernel, args, kwargs);
  try {
    return kernel.kernel.explain(dims, device, alignment);
  } catch (const warptune::Error& error) {
    // If a device was named, the name is wrong: the machine was not asked.
    if (error.status() == WT_NO_DEVICE && !device.empty()) bad_input(error.what());
    throw;
  }
}

std::shared_ptr<LibraryHandle> open_library(const py::object& path, int jit, const std::string& misses) {
  const bool is_default = path.is_none();
  const std::string text = is_default ? "" : py::module_::import("os").attr("fspath")(path).cast<std::string>();
  const py::gil_scoped_release released;
  auto opened = std::make_shared<OpenLibrary>(is_default ? nullptr : text.c_str(), warptune::Options{jit, misses});
  return std::make_shared<LibraryHandle>(LibraryHandle{std::move(opened), is_default ? "the default library" : text});
}

// Compares the version of the header at compile time with that of the loaded library.
void check_version() {
  const std::string built = std::to_string(WT_VERSION_MAJOR) + "." + std::to_string(WT_VERSION_MINOR) + ".";
  const std::string found = wt_version();
  if (found.rfind(built, 0) != 0)
    throw std::runtime_error("warptune: this package was built for libwarptune " + built + "x, but it found " + found +
                             "; reinstall the package");
}

void define_library(py::module_& module) {
  py::class_<LibraryHandle, std::shared_ptr<LibraryHandle>>(module, "Library",
                                                            "An opened pack or tuning database: warptune.open(path).")
      .def_property_readonly("path", [](const LibraryHandle& self) { return self.path; })
      .def_property_readonly(
          "kernels", [](const LibraryHandle& self) { return self.get()->kernels(); },
          "The kernels in the file, by name.")
      .def("kernel", find_kernel, py::arg("name"), py::arg("dtype") = py::none(),
           "kernel(name, dtype=None, **flags): the kernel with this dtype (\"bf16\", torch.bfloat16) and these flags\n"
           "(log=1). Without a dtype or a flag, the kernel's default applies. Needs no device.")
      .def(
          "reload",
          [](const LibraryHandle& self) {
            const auto library = self.get();
            const py::gil_scoped_release released;
            return library->reload();
          },
          "Opens the file again if it changed, and returns whether it changed. Later selections use the new\n"
          "content.\n\n"
          "Kernels use the new content too; operations do not change. If the file is damaged, this raises an Error, "
          "and the old content stays in use.")
      .def(
          "write_misses",
          [](const LibraryHandle& self, const std::string& path) {
            const auto library = self.get();
            const py::gil_scoped_release released;
            library->write_misses(path);
          },
          py::arg("path") = "",
          "Writes a file for `warptune sweep` with the untuned shapes that were selected so far.\n\n"
          "path: the file to write; by default, the argument `misses` of open(), else $WARPTUNE_MISSES.")
      .def(
          "close", [](LibraryHandle& self) { self.library.reset(); },
          "Ends the use of the library through this object; its kernels and operations keep the library open.")
      .def("__enter__", [](const py::object& self) { return self; })
      .def("__exit__", [](LibraryHandle& self, const py::args&) { self.library.reset(); })
      .def("__repr__", [](const LibraryHandle& self) { return "<warptune.Library " + self.path + ">"; });
}

void define_kernel(py::module_& module) {
  py::class_<KernelHandle>(
      module, "Kernel",
      "A kernel with its dtype and flags chosen: lib.kernel(name). Calling the kernel selects a\n"
      "configuration and launches it.\n\n"
      "kernel(x, y, stream=None, workspace=None): one tensor for each buffer and one number for each scalar, in the\n"
      "kernel's order. By default, the dims are the first tensor's shape. To give others, name them (rows=4, cols=8),\n"
      "or pass them as a tuple in the first argument.\n"
      "A dim that is a list of sizes takes a sequence of whole numbers (groups=[128, 64, 0]).",
      py::custom_type_setup([](PyHeapTypeObject* type) { type->ht_type.tp_call = call_kernel; }))
      .def_property_readonly("name", [](const KernelHandle& self) { return self.name; })
      .def_property_readonly("dims", [](const KernelHandle& self) { return self.kernel.dims(); })
      .def_property_readonly("args",
                             [](const KernelHandle& self) {
                               std::vector<std::string> names;
                               for (int i = 0; i < self.kernel.arg_count(); ++i)
                                 names.push_back(self.kernel.arg_name(i));
                               return names;
                             })
      .def("select", select_operation,
           "select(rows=.., cols=.., alignment=16, stream=None, device=None): returns the Operation for these dims in\n"
           "the current CUDA context, or on the given device of this machine (1, \"cuda:1\" or the device's unique\n"
           "name). Loads or compiles the configuration if necessary.")
      .def("prefetch", prefetch,
           "prefetch(rows=.., cols=.., alignment=16, device=None): selects the operation ahead of time, so that\n"
           "later launches and graph captures find it ready.")
      .def("explain", explain,
           "explain(rows=.., cols=.., device=None, alignment=16): says which configuration would be chosen, and why. "
           "Launches nothing.\n\n"
           "device: a name or UUID in the file (\"NVIDIA H200\"), an architecture (\"sm_90\"), or None (the current "
           "device).")
      .def("__repr__", repr_of);
}

void define_explanation(py::module_& module) {
  using warptune::Explanation;
  py::class_<Explanation>(module, "Explanation",
                          "The choice for a problem: match (the rule's name) and text (a sentence).")
      .def_property_readonly("match", [](const Explanation& self) { return wt_match_name(self.match); })
      .def_readonly("text", &Explanation::text)
      .def("__str__", [](const Explanation& self) { return self.text; })
      .def("__repr__", [](const Explanation& self) { return "<warptune.Explanation " + self.text + ">"; });
}

void define_operation(py::module_& module) {
  py::class_<OperationHandle>(
      module, "Operation",
      "A kernel selected for one problem in one CUDA context. operation(x, y, stream=None, workspace=None) launches.",
      py::custom_type_setup([](PyHeapTypeObject* type) { type->ht_type.tp_call = call_operation; }))
      .def_property_readonly("kernel", [](const OperationHandle& self) { return self.name; })
      .def_property_readonly("match", [](const OperationHandle& self) { return wt_match_name(self.operation.match()); })
      .def_property_readonly("config", [](const OperationHandle& self) { return self.operation.config(); })
      .def_property_readonly("workspace_bytes",
                             [](const OperationHandle& self) { return self.operation.workspace_bytes(); })
      .def_property_readonly(
          "predicted_loss",
          [](const OperationHandle& self) -> py::object {
            const double loss = self.operation.predicted_loss();
            return loss < 0 ? py::object(py::none()) : py::float_(loss);
          },
          "The expected slowdown compared with a result tuned for this shape: 0.02 is 2 %. None: not known.")
      .def("explain", [](const OperationHandle& self) { return self.operation.explain(); })
      .def("__repr__", [](const OperationHandle& self) {
        return "<warptune.Operation " + self.name + " " + self.operation.config() + ">";
      });
}

} // namespace
} // namespace warptune_python

PYBIND11_MODULE(_core, module) {
  using namespace warptune_python;
  check_version();
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const warptune::Error& error) {
      set_python_error(error);
    }
  });
  define_address(module);
  define_library(module);
  define_kernel(module);
  define_explanation(module);
  define_operation(module);
  module.def("_open", open_library);
  module.def("_make_unwatched", make_unwatched);
  module.attr("_current_device") = make_current_device();
  module.def("version", wt_version);
  module.def("status_name", [](int status) { return wt_status_name(static_cast<wt_status>(status)); });
}
