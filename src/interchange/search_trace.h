// SearchTrace: how one run of a strategy on a recorded space went, one JSON object a line, in a form that other tuners'
// runs are written in too: {"space", "strategy", "seed", "trace": [[unique evaluations, best time in ms], ...]}.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct SearchTrace {
  struct Improvement {
    std::int64_t evaluations; // unique ones, failed ones included, this one included
    double best_ms;
    double spent_s; // what tuning took until then on the recorded device; NaN: not known
  };
  std::string space, strategy;
  std::uint64_t seed = 0;
  std::vector<Improvement> improvements;
  double spent_s = std::numeric_limits<double>::quiet_NaN(); // of the whole run
  // Evaluations after which a budget ended the run; 0: it ended by itself, or nobody says. What it would have found
  // later is not known.
  std::int64_t budget = 0;
};

// Without a line end. Where it is known, what was spent stands beside the trace: "spent_s", one number an improvement,
// and "total_s"; "budget" where one ended the run.
std::string write_search_trace(const SearchTrace& trace);

// All lines of a file. Errors (bad_input): the end of a sentence that begins with the file.
Result<std::vector<SearchTrace>> read_search_traces(std::string_view text);

} // namespace warptune
