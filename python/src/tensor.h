// Fills a TensorView from a Python object with device memory, through DLPack's table of C functions (torch 2.10 and
// newer), torch's own attributes, __dlpack__, or __cuda_array_interface__. Copies nothing. An Address is a bare number.
#pragma once

#include "dlpack.h"

#include <array>
#include <cstdint>
#include <pybind11/pybind11.h>
#include <string>

namespace warptune_python {

inline constexpr int kMaxTensorDims = 16;

struct TensorView {
  std::uint64_t address = 0;
  int device = -1; // CUDA ordinal; -1: the object does not state its device
  dlpack::DataType dtype{};
  int ndim = 0;
  std::array<std::int64_t, kMaxTensorDims> shape;
  std::uint64_t bytes = 0;
  bool is_contiguous = true, is_read_only = false;
  bool is_torch = false;
  bool has_stream = false; // whether the object's own library has a current stream
  void* stream = nullptr;
  pybind11::object owner; // keeps the memory alive, in addition to the object itself
};

// Device memory about which nothing else is known: warptune.Address(number).
struct Address {
  std::uint64_t value = 0;
};
void define_address(pybind11::module_& module);
// Returns the address if the object is a warptune.Address; else null.
const Address* find_address(PyObject* object);

// Fills `view` from a tensor of a type that can be read without Python calls; false: another type.
bool read_known_tensor(PyObject* object, TensorView& view);

// Fills `view` through __dlpack__ or __cuda_array_interface__. The memory will be used on `stream`, after the
// producer's pending work on the memory. False: the object is not a tensor.
bool read_foreign_tensor(PyObject* object, void* stream, TensorView& view);

// Returns warptune's name ("bf16"), or a description such as "float of 128 bits" if warptune has no name for the type.
std::string dtype_text(const dlpack::DataType& dtype);
std::string known_dtype(const std::string& name); // torch's or NumPy's name: "bfloat16" -> "bf16"; others unchanged
bool has_dtype(const TensorView& view, const char* name);

} // namespace warptune_python
