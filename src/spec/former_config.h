// Configurations stored before an operator's implementations had names (Implementation::formerly). All code that checks
// whether stored results belong to a kernel's sources must use these functions, so that the answers agree.
#pragma once

#include "spec/spec.h"

#include <string_view>

namespace warptune {

// Whether the text matches an implementation's `formerly`: it names no implementation, and has all params of `formerly`
// with their values.
bool is_former_config(const KernelSpec& spec, std::string_view config);

// Whether a stored result counts for the kernel: its sources are the same (`wanted` empty: any sources), or a
// `formerly` matches its configuration.
bool counts_for(const KernelSpec& spec, std::string_view wanted, std::string_view source_hash, std::string_view config);

} // namespace warptune
