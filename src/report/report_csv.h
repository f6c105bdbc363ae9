// Writes a report as CSV (RFC 4180), with one row per trial and the same columns for every kernel. A text that a
// spreadsheet would take for a formula gets a leading apostrophe.
#pragma once

#include "report/view.h"

#include <string>

namespace warptune::report {

std::string csv_text(const Report& report);

} // namespace warptune::report
