// What verification needs of a device besides the candidate itself: fills, poison, comparison, checksums and guard
// zones, all on the device and over whole buffers. Knows dtypes and tolerances; knows no spec, candidate or verdict.
#pragma once

#include "core/dtype.h"
#include "core/spec.h"
#include "gpu/device_program.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace warptune {

// Of one output against its reference. Without elements: all zero, worst_index -1.
struct Comparison {
  double max_abs = 0, max_rel = 0, worst_ratio = 0; // may be infinite
  double worst_out = 0, worst_ref = 0;
  std::int64_t worst_index = -1, mismatches = 0, unwritten = 0; // unwritten: of the mismatches, those still poisoned
};

struct Magnitude {
  double rms = 0; // root of the mean square of the finite elements; 0 for none, infinite where the sum overflows
  std::int64_t finite = 0; // how many they are
};

struct GuardZone {
  CUdeviceptr begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t pattern = 0;
};

// All calls enqueue on the stream; those that return a value wait for it. Not for concurrent use.
class DeviceTools {
 public:
  static Result<DeviceTools> make(const Driver& driver, CubinProvider provider);

  // `fill` of any kind but formula. Equal (seed, element index) give equal values.
  Result<void> fill(CUdeviceptr data, DType dtype, std::int64_t count, const Fill& fill, std::uint64_t seed,
                    CUstream stream);

  // Every element gets a value that cannot pass for the reference's.
  Result<void> poison(CUdeviceptr out, DType dtype, CUdeviceptr ref, DType ref_dtype, std::int64_t count,
                      CUstream stream);

  // |out - ref| <= rtol * |ref| + atol. NaN passes only where the reference is NaN, poison nowhere; infinities
  // have to match.
  Result<Comparison> compare(CUdeviceptr out, DType dtype, CUdeviceptr ref, DType ref_dtype, std::int64_t count,
                             double rtol, double atol, CUstream stream);

  Result<Magnitude> magnitude(CUdeviceptr ref, DType dtype, std::int64_t count, CUstream stream);

  Result<std::uint64_t> checksum(CUdeviceptr data, std::int64_t bytes, CUstream stream);

  // The first element whose bytes all equal `byte`, or -1.
  Result<std::int64_t> find_element(CUdeviceptr data, DType dtype, std::int64_t count, unsigned char byte,
                                    CUstream stream);

  // Offset of the first changed byte in each zone, or -1.
  Result<std::vector<std::int64_t>> check_zones(std::span<const GuardZone> zones, CUstream stream);

 private:
  Result<CUfunction> find(const char* file, const char* kernel, std::vector<std::string> options);
  Result<void> read_back(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream);

  const Driver* driver_ = nullptr;
  CubinProvider provider_;
  std::map<std::string, DeviceProgram> programs_; // by file and options
  DeviceMemory scratch_;
};

} // namespace warptune
