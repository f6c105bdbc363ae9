// A named range on the timeline of Nsight Systems and its like (NVTX), from construction to destruction, on the calling
// thread. Costs a few nanoseconds when no tool is attached. Knows nothing but the name.
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
