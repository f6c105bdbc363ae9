// Files of traces, from any tuner, whose runs `replay` shows in addition to its own. The runs are compared on the
// recorded spaces that the traces name.
#pragma once

#include "core/result.h"
#include "interchange/search_trace.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warptune::cli {

bool is_trace_file(const std::string& path); // by its name
bool holds_traces(const std::filesystem::path& file);

struct TraceFiles {
  std::set<std::string> ours;            // strategies of the present run
  std::map<std::string, double> best_ms; // the optimum of each space

  // Returns the traces of `path` whose space is known, and a note with the number of the others. If a trace has the
  // name of a warptune strategy, the name of its file is put before it. Errors (kind bad_input): unreadable, no traces,
  // or a trace that is faster than every time in its space and so belongs to another recording.
  Result<std::vector<SearchTrace>> load(const std::string& path, std::vector<std::string>& notes) const;
};

} // namespace warptune::cli
