// Files with traces of runs by any tuner, which `replay` shows next to its own runs. A trace names the recorded space
// of its run.
#pragma once

#include "core/result.h"
#include "interchange/search_trace.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warptune::cli {

bool is_trace_file(const std::string& path); // judged by its name
bool holds_traces(const std::filesystem::path& file);

struct TraceFiles {
  std::set<std::string> ours;            // the strategies of this run
  std::map<std::string, double> best_ms; // space -> its optimum

  // Returns the traces of `path` whose space is known, and adds a note with the number of others. If a trace has the
  // name of a warptune strategy, the file's name is put before the trace's name. Error (bad_input): the file cannot be
  // read or has no traces, or a trace belongs to another recording (its best time is below all times of the space).
  Result<std::vector<SearchTrace>> load(const std::string& path, std::vector<std::string>& notes) const;
};

} // namespace warptune::cli
