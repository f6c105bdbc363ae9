// The values of this program's options and positionals, for the shell: kernels with their dtypes and flags, strategies,
// fixed words, files. It reads kernel folders, but opens no database and starts no device.
#pragma once

#include "cli/completion.h"
#include "jit/template_store.h"

namespace warptune::cli {

// A kernel that cannot be read has no values; this never fails.
Completion option_values(const ValueQuery& query, const TemplateStore& store);

} // namespace warptune::cli
