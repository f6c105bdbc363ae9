// Writes a report as JSON (docs/report.md): the page's content, with trials as columns to keep thousands of them small.
// Texts are sanitised, numbers have six significant digits, unknown values are null.
#pragma once

#include "report/view.h"

#include <string>

namespace warptune::report {

// One line of ASCII without '<', so that it can be embedded in a page.
std::string json_text(const Report& report);

// Writes the same JSON for a page, with the columns of the trials packed (packed_column.h).
std::string page_data(const Report& report);

} // namespace warptune::report
