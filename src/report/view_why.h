// Compares each view's winner with the default, as `warptune why` does. Pure.
#pragma once

#include "report/view.h"

#include <map>
#include <string>
#include <vector>

namespace warptune::report {

// `stall_meanings`: as in WhyFacts.
void explain_winners(std::vector<View>& views, const std::map<std::string, std::string>& stall_meanings);

} // namespace warptune::report
