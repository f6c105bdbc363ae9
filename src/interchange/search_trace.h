// SearchTrace: the progress of one run of a strategy on a recorded space, one JSON object per line. Other tuners' runs
// use the same format: {"space", "strategy", "seed", "trace": [[unique evaluations, best time in ms], ...]}.
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
    std::int64_t evaluations; // number of unique evaluations up to this one, including failed ones
    double best_ms;
    double spent_s; // tuning time up to this evaluation on the recorded device; NaN: not known
  };
  std::string space, strategy;
  std::uint64_t seed = 0;
  std::vector<Improvement> improvements;
  double spent_s = std::numeric_limits<double>::quiet_NaN(); // tuning time of the whole run
  // The number of evaluations after which a budget ended the run, so that later results are not known; 0: the run ended
  // by itself, or this is not known.
  std::int64_t budget = 0;
};

// Without a line end. If the time spent is known, it is written next to the trace: "spent_s", one number per
// improvement, and "total_s". "budget" is written if a budget ended the run.
std::string write_search_trace(const SearchTrace& trace);

// All lines of a file. Errors (bad_input): the caller puts the file's name before the message.
Result<std::vector<SearchTrace>> read_search_traces(std::string_view text);

} // namespace warptune
