// Times of third-party kernels on the same problem, from a file (docs/report.md), so that a report can show how far a
// tuned kernel is from them. They were measured elsewhere and are never mixed with warptune's times.
#pragma once

#include "core/result.h"
#include "report/view.h"

#include <string>
#include <string_view>
#include <vector>

namespace warptune::report {

struct BaselineEntry {
  std::string kernel, problem; // problem: its key
  Baseline baseline;
};
struct BaselineFile {
  std::string device;
  std::vector<BaselineEntry> entries;
};

// Error: "FILE: at POINTER: what is wrong". `origin` names the text in it.
Result<BaselineFile> parse_baselines(std::string_view json, const std::string& origin);

// Adds to each view the baselines of its kernel, problem and device; returns the number of baselines that were added.
int add_baselines(std::vector<View>& views, const BaselineFile& file);

} // namespace warptune::report
