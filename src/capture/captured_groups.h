// Finds the source of each recorded launch, and groups the launches that belong to one kernel. Pure.
#pragma once

#include "capture/records.h"

#include <string>
#include <vector>

namespace warptune {

// Returns the program that contains the code of a launch; null if its source is unknown.
const CapturedProgram* program_of(const CaptureRecords& records, const CapturedCase& one);
// Whether a recorded compile produced a kernel with this mangled name.
bool has_source(const CaptureRecords& records, const std::string& kernel);

// The launches of one kernel from one source, even if it was compiled with different options. Never empty. The launch
// with the most device time is first.
struct CapturedGroup {
  const CapturedProgram* program = nullptr; // program of the first launch
  std::vector<const CapturedCase*> cases;
};
// Returns the groups; the one with the most device time is first. Launches without a known source are left out.
std::vector<CapturedGroup> group_cases(const CaptureRecords& records);

} // namespace warptune
