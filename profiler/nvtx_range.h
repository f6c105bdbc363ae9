// A named range of the calling thread on the timeline of Nsight Systems and other tools (NVTX). It lasts from
// construction to destruction, and costs a few nanoseconds if no tool is attached.
#pragma once

#include <string>

namespace warptune {

class NvtxRange {
 public:
  explicit NvtxRange(const std::string& name);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

} // namespace warptune
