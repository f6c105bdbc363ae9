// Finds the source of each launch, and the launches that belong to one kernel. Pure.
#pragma once

#include "capture/records.h"

#include <string>
#include <vector>

namespace warptune {

// The program that contains the code of a launch; null: the source is unknown.
const CapturedProgram* program_of(const CaptureRecords& records, const CapturedCase& one);
// Whether any recorded compile made a kernel of this mangled name.
bool has_source(const CaptureRecords& records, const std::string& kernel);

// The launches of one kernel from one source, even if compiled with different options. Never empty; the launch with the
// most device time is first.
struct CapturedGroup {
  const CapturedProgram* program = nullptr; // the first launch's program
  std::vector<const CapturedCase*> cases;
};
// Returns the groups, those with the most device time first. Launches without a source are left out.
std::vector<CapturedGroup> group_cases(const CaptureRecords& records);

} // namespace warptune
