// Reads the data of a report from a database: sessions, and their trials with positions under the roofs. Does not
// write, and does not depend on an output format.
#pragma once

#include "core/result.h"
#include "db/reader.h"
#include "report/view.h"

#include <string>

namespace warptune::report {

struct Selection {
  std::string kernel, problem, device; // empty: all; `problem`: a key; `device`: may be a part of a name
  RowId session = 0;                   // 0: the sessions whose results are the best of a kernel, problem and device
  std::int64_t limit = 50;             // maximum number of views, newest first; 0: no limit
};

// Errors: no_candidate if nothing matches (with the nearest names); database. `left_out`: number of views beyond the
// limit.
Result<std::vector<View>> load_views(const Reader& reader, const Selection& selection, std::int64_t& left_out);

} // namespace warptune::report
