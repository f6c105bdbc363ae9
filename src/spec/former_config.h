// Configurations of before an operator's implementations had names (Implementation::formerly): by whose results are
// they known? Whoever judges whether stored results are of a kernel's sources asks here, so that all judge alike.
#pragma once

#include "spec/spec.h"

#include <string_view>

namespace warptune {

// Whether the text is one that `formerly` of an implementation reads: it names no implementation and has all of the
// params there with their values.
bool is_former_config(const KernelSpec& spec, std::string_view config);

// Whether a result counts for the kernel: it is of the same sources (`wanted` empty: any), or its configuration is one
// that `formerly` reads.
bool counts_for(const KernelSpec& spec, std::string_view wanted, std::string_view source_hash, std::string_view config);

} // namespace warptune
