// From launches of a kernel to a kernel folder: what the application ran becomes the facts of `warptune new`
// (starter/starter.h). Needs NVRTC.
#pragma once

#include "capture/captured_groups.h"
#include "capture/records.h"
#include "starter/starter.h"

#include <string>

namespace warptune {

struct CapturedFolder {
  StarterDraft draft;  // the files, the shape of the first launch, notes
  std::string why_not; // not empty: there is no folder, because of this
};

// Errors: NVRTC is missing.
Result<CapturedFolder> draft_captured_folder(const CaptureRecords& records, const CapturedGroup& group,
                                             const std::string& arch);

} // namespace warptune
