// The table of `compare`: one row per result that both sides have.
#pragma once

#include "cli/table.h"
#include "report/compare.h"

namespace warptune::cli {

Table compare_table(const report::Comparison& comparison);

} // namespace warptune::cli
