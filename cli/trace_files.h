// Runs that `replay` shows beside its own: files of traces, by whatever tuner, against the recorded spaces they say
// they are of.
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
  std::set<std::string> ours;            // strategies that run now
  std::map<std::string, double> best_ms; // the optimum of each space

  // The traces of `path` whose space is known, and a note that counts the others. One that has the name of a strategy
  // of ours gets its file's in front. Errors (kind bad_input): cannot be read, no traces, one that is faster than
  // anything in its space and so of another recording.
  Result<std::vector<SearchTrace>> load(const std::string& path, std::vector<std::string>& notes) const;
};

} // namespace warptune::cli
