// Device functions for verifying a candidate: fills, poison, comparison, checksums and guard zones, all over whole
// buffers. Poison is a wrong value that is written to outputs before a launch. It reveals elements that the kernel does
// not write. These functions depend on dtypes and tolerances, but not on specs, candidates or verdicts.
#pragma once

#include "core/dtype.h"
#include "gpu/device_program.h"
#include "plan/buffer_rows.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace warptune {

// The result of comparing one output with its reference. For an output without elements, worst_index is -1 and all
// other members are 0. Same layout as Partial in kernels/compare.cu.
struct Comparison {
  double max_abs = 0, max_rel = 0, worst_ratio = 0; // may be infinite
  double worst_out = 0, worst_ref = 0;
  std::int64_t worst_index = -1, mismatches = 0, unwritten = 0; // unwritten: mismatches that still hold poison
};

struct Magnitude {
  double rms = 0;          // over the finite elements; 0 if there are none, infinity if the sum overflows
  std::int64_t finite = 0; // number of finite elements
};

// Bytes that kernels must not write: `rows` ranges of `bytes` bytes, which begin `pitch` bytes apart.
struct GuardZone {
  CUdeviceptr begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t pattern = 0; // the byte that fills the zone
  std::uint64_t rows = 1, pitch = 0;
};
// Returns the zone that covers the gaps between a buffer's rows.
GuardZone zone_of_gaps(CUdeviceptr data, DType dtype, std::int64_t count, const BufferRows& rows,
                       unsigned char pattern);

// An output of a launch and the reference to compare it with.
struct OutputCheck {
  CUdeviceptr out = 0;
  DType dtype = DType::fp32;
  CUdeviceptr ref = 0;
  DType ref_dtype = DType::fp32;
  std::int64_t count = 0;
  double rtol = 0, atol = 0; // |out - ref| <= rtol * |ref| + atol
  BufferRows rows = {};      // elements in gaps are not compared
};
struct MemoryRange {
  CUdeviceptr data = 0;
  std::int64_t bytes = 0;
};
struct CheckResults { // each list is in the order of the same-named argument of `check`
  std::vector<Comparison> outputs;
  std::vector<std::int64_t>
      zones; // offset of the first changed byte, counted without the bytes between ranges; -1: none
  std::vector<std::uint64_t> sums;
};

// All functions enqueue on the stream; those that return a value also wait for it. Buffers need no more alignment than
// their elements. Not thread-safe.
class DeviceTools {
 public:
  static Result<DeviceTools> make(const Driver& driver, CubinProvider provider);

  // The programs that the functions below need, so that a caller can compile them ahead of time.
  static CompileRequest fill_program(DType dtype);
  static CompileRequest compare_program(DType out, DType ref);
  static CompileRequest memory_program();

  // Fills a buffer as `fill` says; every kind except formula is allowed. A value depends only on `seed` and the
  // element's index.
  Result<void> fill(CUdeviceptr data, DType dtype, std::int64_t count, const Fill& fill, std::uint64_t seed,
                    CUstream stream);

  // Writes the zone's pattern into the zone.
  Result<void> write_zone(const GuardZone& zone, CUstream stream);

  // Fills the shared memory of all multiprocessors with NaNs, because earlier kernels may leave anything there. Does
  // not wait.
  Result<void> dirty_shared(const DeviceLimits& limits, CUstream stream);

  // Gives every element a value that differs from the reference's element.
  Result<void> poison(CUdeviceptr out, DType dtype, CUdeviceptr ref, DType ref_dtype, std::int64_t count,
                      CUstream stream);

  // Runs all checks and waits once. A NaN passes only where the reference is also NaN; infinities must match; poison
  // never passes.
  Result<CheckResults> check(std::span<const OutputCheck> outputs, std::span<const GuardZone> zones,
                             std::span<const MemoryRange> sums, CUstream stream);

  // `out_dtype`: the dtype of the output to be compared with `ref`; check() then uses the same compiled program.
  Result<Magnitude> magnitude(CUdeviceptr ref, DType dtype, std::int64_t count, const BufferRows& rows, DType out_dtype,
                              CUstream stream);

  // The checksum depends on the bytes but not on their address; for no bytes it is 0.
  Result<std::uint64_t> checksum(CUdeviceptr data, std::int64_t bytes, CUstream stream);

  // Returns the index of the first element whose bytes all equal `byte`; -1 if there is none.
  Result<std::int64_t> find_element(CUdeviceptr data, DType dtype, std::int64_t count, const BufferRows& rows,
                                    unsigned char byte, CUstream stream);

 private:
  Result<CUfunction> find(const char* file, const char* kernel, std::vector<std::string> options);
  CUresult enqueue_compare(const OutputCheck& check, CUfunction compare, CUfunction merge, CUdeviceptr result,
                           CUstream stream);
  Result<void> read_back(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream);

  const Driver* driver_ = nullptr;
  CubinProvider provider_;
  std::map<std::string, DeviceProgram> programs_; // keyed by file and options
  DeviceMemory scratch_;
};

} // namespace warptune
