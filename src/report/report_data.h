// From a database to what a report shows: which sessions, and of each one the trials with their places under the roofs.
// Reads only; knows no format.
#pragma once

#include "core/result.h"
#include "db/reader.h"
#include "report/view.h"

#include <string>

namespace warptune::report {

struct Selection {
  std::string kernel, problem, device; // empty: all; the problem by its key; a part of the device's name is enough
  RowId session = 0;                   // 0: of each kernel, problem and device the session of the best result
  std::int64_t limit = 50;             // views, the newest first; 0: all
};

// Errors: bad_input where nothing matches (with the nearest names), database. `left_out`: views beyond the limit.
Result<std::vector<View>> load_views(const Reader& reader, const Selection& selection, std::int64_t& left_out);

} // namespace warptune::report
