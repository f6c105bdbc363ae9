// Which source a launch came from, and which launches are one kernel. Pure.
#pragma once

#include "capture/records.h"

#include <string>
#include <vector>

namespace warptune {

// The program that contains the code of a launch; null: the source is unknown.
const CapturedProgram* program_of(const CaptureRecords& records, const CapturedCase& one);
// Whether any compile that was seen made a kernel of this mangled name.
bool has_source(const CaptureRecords& records, const std::string& kernel);

// The launches of one kernel from one source, also if compiled with different options. Never empty; the launch with the
// most device time is first.
struct CapturedGroup {
  const CapturedProgram* program = nullptr; // of the first launch
  std::vector<const CapturedCase*> cases;
};
// In the order of device time. Launches without a source are left out.
std::vector<CapturedGroup> group_cases(const CaptureRecords& records);

} // namespace warptune
