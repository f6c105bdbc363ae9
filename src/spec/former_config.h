// Recognises configurations that were stored before an operator's implementations had names (Implementation::formerly).
// All code that decides whether a stored result belongs to the kernel's present sources must use these functions, so
// that all decisions agree.
#pragma once

#include "spec/spec.h"

#include <string_view>

namespace warptune {

// Whether the text matches the `formerly` rule of some implementation: the text names no implementation, and has all
// params of the rule with their values.
bool is_former_config(const KernelSpec& spec, std::string_view config);

// Whether a stored result belongs to the kernel: its source hash equals `wanted` (an empty `wanted` accepts any hash),
// or its configuration matches a `formerly` rule.
bool counts_for(const KernelSpec& spec, std::string_view wanted, std::string_view source_hash, std::string_view config);

} // namespace warptune
