// Empties the L2 between runs, so that each run begins with its data in DRAM. Only enqueues work; measures nothing.
#pragma once

#include "core/device.h"
#include "gpu/device_program.h"
#include "gpu/handles.h"

namespace warptune {

class L2Flush {
 public:
  static CompileRequest program();
  static Result<L2Flush> make(const Driver& driver, const CubinProvider& provider, const DeviceLimits& limits);

  // Evicts everything from the L2, then writes `written_bytes` bytes of its own buffer (at most the L2's size). These
  // modified bytes stay in the L2.
  CUresult enqueue(CUstream stream, std::int64_t written_bytes);

 private:
  const Driver* driver_ = nullptr;
  DeviceProgram program_;
  CUfunction read_ = nullptr;
  DeviceMemory buffer_; // the first two thirds are read, the last third is written
  unsigned blocks_ = 1;
  unsigned char pattern_ = 0;
};

} // namespace warptune
