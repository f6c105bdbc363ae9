// Makes a kernel folder from a kernel's recorded launches, with the same steps as `warptune new` (starter/starter.h).
// Needs NVRTC.
#pragma once

#include "capture/captured_groups.h"
#include "capture/records.h"
#include "starter/starter.h"

#include <string>

namespace warptune {

struct CapturedFolder {
  StarterDraft draft;  // files, notes, and the shape of the first launch
  std::string why_not; // why no folder could be made; empty: the folder was made
};

// Error: there is no NVRTC.
Result<CapturedFolder> draft_captured_folder(const CaptureRecords& records, const CapturedGroup& group,
                                             const std::string& arch);

} // namespace warptune
