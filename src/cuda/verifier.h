// Compares outputs with reference outputs, and returns a Verdict. Both are whole buffers on the device, which are not
// copied to the CPU. Also verifies the memory that a kernel must not change: guard zones around its buffers, gaps
// between their rows, and inputs. This code does not depend on candidates and does not launch them.
#pragma once

#include "core/trial.h"
#include "gpu/device_tools.h"
#include "spec/spec.h"

#include <cstdint>
#include <span>
#include <string>

namespace warptune {

struct CheckedOutput {
  std::string name;
  DType dtype, reference_dtype;
  std::int64_t count = 0;
  CUdeviceptr data = 0, reference = 0;
  double reference_rms = 0;
  Tolerance tolerance;
  BufferRows rows = {};
};

struct CheckedZone {
  enum class Place { before, after, gaps }; // before or after the buffer, or in the gaps between its rows
  std::string buffer;
  Place place = Place::before;
  GuardZone zone;
};

struct CheckedInput {
  std::string name;
  std::int64_t bytes = 0;
  CUdeviceptr data = 0;
  std::uint64_t checksum = 0;
};

// The tolerance of an output. Floating-point: |out - ref| <= rtol * |ref| + atol + rms * RMS(ref), plus half of the
// dtype's smallest positive number. Because of this last term, the nearest number of the dtype passes even if the
// reference is denormal. Integers: |out - ref| <= atol, because an index with a small relative error is still wrong.
struct Bound {
  double rtol = 0, atol = 0;
};
Bound tolerance_bound(const CheckedOutput& output);

// Returns one verdict for everything. Its detail names the first error; outputs come first, then guards, then inputs.
Result<Verdict> verify(DeviceTools& tools, std::span<const CheckedOutput> outputs, std::span<const CheckedZone> zones,
                       std::span<const CheckedInput> inputs, CUstream stream);

} // namespace warptune
