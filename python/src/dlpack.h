// The part of the DLPack ABI that the bindings read (https://dmlc.github.io/dlpack, version 1.3; unchanged since 1.0
// except for the exchange table). This header has only the layout; tensor.cpp handles ownership.
#pragma once

#include <cstdint>

namespace warptune_python::dlpack {

enum DeviceType : std::int32_t { kCpu = 1, kCuda = 2, kCudaManaged = 13 };

enum TypeCode : std::uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kBool = 6,
  kFloat8E4m3fn = 10,
  kFloat8E5m2 = 12
};

struct Device {
  std::int32_t type; // DeviceType
  std::int32_t id;
};

struct DataType {
  std::uint8_t code; // TypeCode
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides; // strides in elements; null: compact, row-major
  std::uint64_t byte_offset;
};

struct ManagedTensor { // capsule "dltensor"
  Tensor tensor;
  void* manager;
  void (*deleter)(ManagedTensor*);
};

struct Version {
  std::uint32_t major, minor;
};

// The functions that a tensor type offers to C code in its attribute __dlpack_c_exchange_api__, a capsule named
// "dlpack_exchange_api".
struct ExchangeTable {
  Version version;
  ExchangeTable* previous;
  void* allocate;
  void* managed_from_object;
  void* object_from_managed;
  int (*tensor_from_object)(void* object, Tensor* out); // borrowed, no synchronisation
  int (*current_stream)(std::int32_t device_type, std::int32_t device_id, void** stream);
};

} // namespace warptune_python::dlpack
