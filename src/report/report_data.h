// Reads a report's data from a database: the sessions, and their trials with positions under the roofs. Writes nothing;
// does not depend on an output format.
#pragma once

#include "core/result.h"
#include "db/reader.h"
#include "report/view.h"

#include <string>

namespace warptune::report {

struct Selection {
  std::string kernel, problem, device; // empty: all; `problem` is a key; `device` may be part of a name
  RowId session = 0;                   // 0: the session of the best result of each kernel, problem and device
  std::int64_t limit = 50;             // maximum number of views, the newest first; 0: all
};

// Errors: bad_input if nothing matches (with the nearest names), database. `left_out`: number of views beyond the
// limit.
Result<std::vector<View>> load_views(const Reader& reader, const Selection& selection, std::int64_t& left_out);

} // namespace warptune::report
