// Prints what `check` found: a table and sentences, or JSON.
#pragma once

#include "cli/check_report.h"

namespace warptune::cli {

void print_check_text(const CheckReport& report, bool wide);
void print_check_json(const CheckReport& report);

} // namespace warptune::cli
