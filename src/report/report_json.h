// Writes a report as JSON (docs/report.md) with the content of the page. Trials are stored as columns, to save space.
// Texts are sanitised, numbers have six significant digits, and unknown values are null.
#pragma once

#include "report/view.h"

#include <string>

namespace warptune::report {

// Returns one line of ASCII without '<', so that a page can contain it.
std::string json_text(const Report& report);

// Writes the same JSON for a page, but with packed columns of trials (packed_column.h).
std::string page_data(const Report& report);

} // namespace warptune::report
