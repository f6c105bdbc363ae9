// A report as CSV (RFC 4180): one row a trial, the same columns for every kernel. A text that a spreadsheet would take
// for a formula begins with an apostrophe.
#pragma once

#include "report/view.h"

#include <string>

namespace warptune::report {

std::string csv_text(const Report& report);

} // namespace warptune::report
