// DeviceInfo: the description of a device that all other code uses. A backend (`Backend`) or a stored record provides
// the values. Formulas of a spec may use the members of DeviceLimits by name (docs/spec.md).
#pragma once

#include "core/device.h"
#include "core/members.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warptune {

struct DeviceLimits {
  std::int64_t sm_count = 0;
  std::int64_t compute_capability = 0; // 90 for 9.0
  std::int64_t warp_size = 32;
  std::int64_t max_threads_per_block = 1024;
  std::int64_t max_threads_per_sm = 2048;
  std::int64_t max_shared_per_block = 0; // opt-in maximum, bytes
  std::int64_t max_shared_per_sm = 0;    // bytes
  std::int64_t registers_per_sm = 65536;
  std::int64_t max_blocks_per_sm = 32;
  std::int64_t l2_bytes = 0;
};

// Formulas use the names in this list. The slots of the limits (KernelSpec::scope) are in the order of this list.
template <>
inline constexpr auto kMembers<DeviceLimits> = std::tuple{
    member("sm_count", &DeviceLimits::sm_count),
    member("compute_capability", &DeviceLimits::compute_capability),
    member("warp_size", &DeviceLimits::warp_size),
    member("max_threads_per_block", &DeviceLimits::max_threads_per_block),
    member("max_threads_per_sm", &DeviceLimits::max_threads_per_sm),
    member("max_shared_per_block", &DeviceLimits::max_shared_per_block),
    member("max_shared_per_sm", &DeviceLimits::max_shared_per_sm),
    member("registers_per_sm", &DeviceLimits::registers_per_sm),
    member("max_blocks_per_sm", &DeviceLimits::max_blocks_per_sm),
    member("l2_bytes", &DeviceLimits::l2_bytes),
};
static_assert(lists_every_field<DeviceLimits>());

// The device's highest rates: measured, or theoretical if `measured` is false. 0: not known.
struct Roofs {
  double dram_read_gbs = 0; // 1e9 bytes per second
  double dram_copy_gbs = 0; // read plus written bytes
  double dram_write_gbs = 0;
  double l2_gbs = 0;      // read from L2
  double shared_gbs = 0;  // rate of reads from L1 or shared memory, which are the same memory
  double fp32_tflops = 0; // 1e12 operations per second; a fused multiply-add counts as two
  double fp64_tflops = 0;
  double fp16_tflops = 0;
  double tensor_tflops = 0; // bf16 with fp32 sums
  double tensor_fp16_tflops = 0, tensor_tf32_tflops = 0, tensor_fp64_tflops = 0;
  double tensor_fp8_tflops = 0, tensor_int8_tflops = 0;
  bool measured = false;
  std::string driver;                   // the driver version during the measurement; empty: not known
  std::string measured_at;              // "2025-01-31T12:00:00Z"; empty: measured just now
  std::map<std::string, double> clocks; // name of a roof -> SM clock in MHz while that roof was measured
};

// The roofs in the order in which they are shown. Databases and recordings store the names, so never change a name.
struct RoofName {
  const char* name;  // "dram_read_gbs"
  const char* label; // "DRAM read"
  const char* unit;  // "GB/s"
  double Roofs::*member;
};
const std::vector<RoofName>& roof_names();

// The backend that replays recordings.
inline constexpr std::string_view kReplayBackend = "replay";
// Whether a device is a recording: it has only the results that were recorded, and runs nothing. `device`: the name of
// a backend ("cuda", "replay"), or a device option ("auto", "cuda:0", "replay:PATH").
bool is_recorded_device(std::string_view device);

struct DeviceInfo {
  std::string backend = "cuda"; // the Backend that drives the device
  std::string name;             // "NVIDIA H200"
  std::string uuid;             // identifies this board; empty in a recording
  std::string arch;             // the target for the compiler: "sm_90a"
  std::int64_t memory_bytes = 0;
  std::string driver;                                // "580.159.04" or the CUDA driver API version "13.0"
  std::string compiler;                              // "NVRTC 13.0.88"
  double max_sm_clock_mhz = 0, memory_clock_mhz = 0; // 0: not known
  std::int64_t memory_bus_bits = 0;
  DeviceLimits limits;
  Roofs roofs;
};

// The members are in the order in which recordings store them. Databases store driver and compiler in a separate row.
template <>
inline constexpr auto kMembers<DeviceInfo> = std::tuple{
    member("backend", &DeviceInfo::backend),
    member("name", &DeviceInfo::name),
    member("uuid", &DeviceInfo::uuid),
    member("arch", &DeviceInfo::arch),
    member("memory_bytes", &DeviceInfo::memory_bytes),
    member("driver", &DeviceInfo::driver, {.column = ""}),
    member("compiler", &DeviceInfo::compiler, {.column = ""}),
    member("limits", &DeviceInfo::limits),
    member("roofs", &DeviceInfo::roofs),
    member("max_sm_clock_mhz", &DeviceInfo::max_sm_clock_mhz, {.unknown_at_0 = true, .since = 4}),
    member("memory_clock_mhz", &DeviceInfo::memory_clock_mhz, {.unknown_at_0 = true, .since = 4}),
    member("memory_bus_bits", &DeviceInfo::memory_bus_bits, {.since = 4}),
};
static_assert(lists_every_field<DeviceInfo>());

// The members of DeviceLimits as a list.
struct DeviceLimitName {
  const char* name;
  std::int64_t DeviceLimits::*member;
};
const std::vector<DeviceLimitName>& device_limit_names();

// Returns the data of an H200, which `space` and `explain` use on machines without a GPU.
DeviceInfo h200_device();

} // namespace warptune
