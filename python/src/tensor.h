// What a launch has to know of a Python object that holds device memory, however the object tells it: DLPack's table of
// C functions (torch 2.10 and newer), torch's own attributes, __dlpack__, or __cuda_array_interface__. Copies nothing
// and knows no kernels.
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
  int device = -1; // CUDA ordinal; -1: the object does not say
  dlpack::DataType dtype{};
  int ndim = 0;
  std::array<std::int64_t, kMaxTensorDims> shape;
  std::uint64_t bytes = 0;
  bool is_contiguous = true, is_read_only = false;
  bool is_torch = false;
  bool has_stream = false; // the object's own library has a current stream
  void* stream = nullptr;
  pybind11::object owner; // what keeps the memory alive, beside the object itself
};

// Fills `view` from a tensor whose type answers without a protocol of Python calls; false: it is of another type.
bool read_known_tensor(PyObject* object, TensorView& view);

// Through __dlpack__ or __cuda_array_interface__; `stream` is where the memory will be used, and what the producer
// still does to it is ordered before. False: the object is no tensor.
bool read_foreign_tensor(PyObject* object, void* stream, TensorView& view);

// warptune's name ("bf16"), or "float of 128 bits" for what it has none for.
std::string dtype_text(const dlpack::DataType& dtype);
std::string known_dtype(const std::string& name); // of torch or NumPy: "bfloat16" -> "bf16"; others as they are
bool has_dtype(const TensorView& view, const char* name);

} // namespace warptune_python
