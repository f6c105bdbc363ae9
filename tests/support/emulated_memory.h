// Buffers of a plan in the host's memory, for launches on an emulated device (emulated_kernel.h).
#pragma once

#include "gpu/scalar.h"
#include "support/emulated_kernel.h"

#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace warptune::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                        kNaN = std::numeric_limits<double>::quiet_NaN();

inline constexpr std::size_t kGuard = 256; // bytes
inline constexpr unsigned char kGuardByte = 0xA5;

// Memory of a buffer between guards.
class EmulatedBuffer {
 public:
  explicit EmulatedBuffer(std::size_t bytes, int byte = 0xFF)
      : all_(bytes + 2 * kGuard + 64, kGuardByte), bytes_(bytes) {
    std::memset(data(), byte, bytes);
  }
  unsigned char* data() {
    const auto start = reinterpret_cast<std::uintptr_t>(all_.data()) + kGuard;
    return reinterpret_cast<unsigned char*>((start + 63) / 64 * 64);
  }
  std::size_t bytes() const { return bytes_; }
  bool is_guarded() {
    const unsigned char* const own = data();
    for (const unsigned char& byte : all_)
      if ((&byte < own || &byte >= own + bytes_) && byte != kGuardByte) return false;
    return true;
  }

 private:
  std::vector<unsigned char> all_;
  std::size_t bytes_;
};
using Memory = std::map<std::string, EmulatedBuffer>;

inline double number_at(const unsigned char* data, DType dtype, std::int64_t i) {
  const auto read = [&](auto value) {
    std::memcpy(&value, data + static_cast<std::size_t>(i) * sizeof value, sizeof value);
    return value;
  };
  switch (dtype) {
  case DType::fp64:
    return read(0.0);
  case DType::fp32:
    return static_cast<double>(read(0.0F));
  case DType::int64:
    return static_cast<double>(read(std::int64_t()));
  case DType::int32:
    return static_cast<double>(read(std::int32_t()));
  case DType::int8:
    return static_cast<double>(read(std::int8_t()));
  case DType::uint8:
    return static_cast<double>(read(std::uint8_t()));
  case DType::fp8_e4m3:
    return static_cast<double>(static_cast<float>(read(__nv_fp8_e4m3())));
  case DType::fp8_e5m2:
    return static_cast<double>(static_cast<float>(read(__nv_fp8_e5m2())));
  case DType::bf16:
    return static_cast<double>(__bfloat162float(read(__nv_bfloat16())));
  default:
    return static_cast<double>(__half2float(read(__half())));
  }
}

inline void put(unsigned char* data, DType dtype, std::int64_t i, std::uint64_t bits) {
  const auto size = static_cast<std::size_t>(dtype_bytes(dtype));
  std::memcpy(data + static_cast<std::size_t>(i) * size, &bits, size);
}

// Runs the launches of a plan, with its buffers by name.
inline void run_plan(const EmulatedKernels& kernels, const std::string& source, const LaunchPlan& plan,
                     Memory& memory) {
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> buffers;
  for (auto& [name, buffer] : memory) {
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer.data());
    buffers.emplace_back(begin, begin + buffer.bytes());
  }
  kernels.set_buffers(buffers);
  for (const KernelLaunch& launch : plan.launches) {
    std::vector<std::uint64_t> values;
    for (const ArgRef& arg : launch.args) {
      const auto index = static_cast<std::size_t>(arg.index);
      if (arg.kind == ArgRef::Kind::absent)
        values.push_back(0);
      else if (arg.kind == ArgRef::Kind::scalar)
        values.push_back(scalar_bits(plan.scalars[index]));
      else
        values.push_back(reinterpret_cast<std::uintptr_t>(memory.at(plan.buffers[index].name).data()));
    }
    std::vector<void*> args;
    for (std::uint64_t& value : values) args.push_back(&value);
    const unsigned grid[] = {launch.grid.x, launch.grid.y, launch.grid.z};
    const unsigned together = launch.cooperative ? launch.grid.x : launch.cluster.x; // blocks that run at the same time
    kernels.find(source, launch.name_expression)(args.data(), grid, static_cast<int>(launch.block.x),
                                                 static_cast<int>(together));
  }
}

} // namespace warptune::test
