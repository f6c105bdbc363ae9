// The values that options and positionals of this program take, for the shell: kernels and what they have, strategies,
// fixed words, files. Reads kernel folders, opens no database and starts no device.
#pragma once

#include "cli/completion.h"
#include "jit/template_store.h"

namespace warptune::cli {

// A kernel that cannot be read has no values; nothing is an error here.
Completion option_values(const ValueQuery& query, const TemplateStore& store);

} // namespace warptune::cli
