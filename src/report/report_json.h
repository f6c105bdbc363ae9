// A report as JSON (docs/report.md): what the page shows, the trials as columns so that thousands stay small. Texts are
// sanitised, numbers have six digits, what is not known is null.
#pragma once

#include "report/view.h"

#include <string>

namespace warptune::report {

// One line, ASCII alone; '<' never occurs, so that it can stand in a page.
std::string json_text(const Report& report);

// The same for a page: the columns of the trials are packed (packed_column.h), everything else is equal.
std::string page_data(const Report& report);

} // namespace warptune::report
