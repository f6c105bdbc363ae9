// The table of `recheck`: one row per result that was checked.
#pragma once

#include "cli/table.h"
#include "tuner/recheck_rows.h"

#include <string>
#include <vector>

namespace warptune::cli {

// The cells of a row.
std::string row_status(const RowReport& row);
double change_percent(const RowReport& row);  // 0 if a time is not known
std::string row_change(const RowReport& row); // "+0.1 %"; "-" if there is no new time
std::string row_reason(const RowReport& row); // empty for "holds" and "moved", because other columns have their figures

Table verify_table(const std::vector<RowReport>& rows);

} // namespace warptune::cli
