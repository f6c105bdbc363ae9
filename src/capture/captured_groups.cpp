#include "capture/captured_groups.h"

#include <algorithm>

namespace warptune {
namespace {

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

} // namespace

const CapturedProgram* program_of(const CaptureRecords& records, const CapturedCase& one) {
  for (const CapturedProgram& program : records.programs)
    if (!one.image.empty() && contains(program.images, one.image)) return &program;
  // The code was linked, or loaded in a way that hides its bytes: use the newest compilation of this kernel name.
  const auto found =
      std::find_if(records.programs.rbegin(), records.programs.rend(), [&](const CapturedProgram& program) {
        return program.is_compiled && contains(program.kernels, one.kernel);
      });
  return found == records.programs.rend() ? nullptr : &*found;
}

bool has_source(const CaptureRecords& records, const std::string& kernel) {
  return std::any_of(records.programs.begin(), records.programs.end(), [&](const CapturedProgram& program) {
    return program.is_compiled && contains(program.kernels, kernel);
  });
}

std::vector<CapturedGroup> group_cases(const CaptureRecords& records) {
  std::vector<CapturedGroup> groups;
  for (const CapturedCase& one : records.cases) {
    const CapturedProgram* program = program_of(records, one);
    if (program == nullptr) continue;
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const CapturedGroup& group) {
      return group.cases.front()->kernel == one.kernel && group.program->source == program->source;
    });
    if (found == groups.end())
      groups.push_back({program, {&one}});
    else
      found->cases.push_back(&one);
  }
  return groups;
}

} // namespace warptune
