// SearchTrace: how one run of a strategy on a recorded space progressed, as one JSON object per line. The same format
// describes other tuners' runs: {"space", "strategy", "seed", "trace": [[unique evaluations, best time in ms], ...]}.
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
    std::int64_t evaluations; // unique evaluations up to this one, including failed ones
    double best_ms;
    double spent_s; // tuning time on the recorded device up to this evaluation; NaN: not known
  };
  std::string space, strategy;
  std::uint64_t seed = 0;
  std::vector<Improvement> improvements;
  double spent_s = std::numeric_limits<double>::quiet_NaN(); // tuning time of the whole run
  // The number of evaluations after which a budget ended the run; later evaluations are not known. 0: the run ended by
  // itself, or how it ended is not known.
  std::int64_t budget = 0;
};

// Returns the line without its line end. A known time spent is added as "spent_s", one number per improvement, and
// "total_s". A budget that ended the run is added as "budget".
std::string write_search_trace(const SearchTrace& trace);

// Reads all lines of a file. Errors (bad_input): the caller puts the file's name before the message.
Result<std::vector<SearchTrace>> read_search_traces(std::string_view text);

} // namespace warptune
