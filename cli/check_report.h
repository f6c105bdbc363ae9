// What `check` found, before it is printed.
#pragma once

#include "core/finding.h"
#include "tuner/compile_check.h"

#include <string>
#include <vector>

namespace warptune::cli {

// The findings for one problem on one architecture.
struct CheckedProblem {
  Problem problem;
  std::string arch;
  CompileCheck check;
  std::string problem_error; // a sentence: the error in spec.json, or why no configuration could be compiled
  bool is_unusable = false;  // whether a formula of spec.json has no valid value here, so that nothing was compiled
};

struct CheckReport {
  const Kernel& kernel;
  std::string compiler; // "NVRTC 13.0"
  std::vector<CheckedProblem> problems;
  std::vector<std::string> notes;
  // Findings about the spec, about configurations that compile, and from runs on a device. Failures to compile are in
  // `problems`.
  std::vector<Finding> findings;
};

// Numbers of configurations: compiled and launchable; refused, because they exceed the device's limits; failed to
// compile.
struct CheckCounts {
  std::int64_t compiled = 0, refused = 0, failed = 0;
};
CheckCounts counts_of(const CompileCheck& check);

int check_exit_code(const CheckReport& report); // 0, 1 or 4; see kCheckHelp

} // namespace warptune::cli
