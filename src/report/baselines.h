// Reads from a file the times that other programs' kernels need for tuned problems (docs/report.md). A report shows
// them next to a tuned kernel's time. The times in the file were measured elsewhere, so they are never mixed with
// warptune's times.
#pragma once

#include "core/result.h"
#include "report/view.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune::report {

struct BaselineEntry {
  std::string kernel, problem; // problem: a problem_key
  Baseline baseline;
};
struct BaselineFile {
  std::string device;
  std::vector<BaselineEntry> entries;
};

// Error: "FILE: at POINTER: what is wrong", where FILE is `origin`.
Result<BaselineFile> parse_baselines(std::string_view json, const std::string& origin);

// Adds to each view the baselines of its kernel, problem and device. Returns how many it added.
int add_baselines(std::vector<View>& views, const BaselineFile& file);

} // namespace warptune::report
