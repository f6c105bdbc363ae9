// Converts a restriction of a Kernel Tuner script, a formula in Python, to a formula of spec.json.
#pragma once

#include "core/result.h"
#include "starter/entries.h"

#include <string>
#include <string_view>

namespace warptune {

// Returns a formula with the same meaning; `params` has each param with its values, such as "32,64". Error (bad_input):
// the reason why there is none, as a clause such as "formulas have no **".
Result<std::string> formula_of_restriction(std::string_view restriction, const Entries& params);

} // namespace warptune
