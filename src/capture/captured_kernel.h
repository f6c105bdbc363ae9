// Makes a kernel folder from the recorded launches of a kernel, by the same steps as `warptune new`
// (starter/starter.h). Needs NVRTC.
#pragma once

#include "capture/captured_groups.h"
#include "capture/records.h"
#include "starter/starter.h"

#include <string>

namespace warptune {

struct CapturedFolder {
  StarterDraft draft;  // the files, the shape of the first launch, notes
  std::string why_not; // the reason why there is no folder; empty: there is one
};

// Error: NVRTC is missing.
Result<CapturedFolder> draft_captured_folder(const CaptureRecords& records, const CapturedGroup& group,
                                             const std::string& arch);

} // namespace warptune
