// The values that a shell can offer for this program's options and positional arguments: kernels with their dtypes and
// flags, strategies, fixed words, files. Reads kernel folders, but opens no database and starts no device.
#pragma once

#include "cli/completion.h"
#include "jit/template_store.h"

namespace warptune::cli {

// Never fails: a kernel that cannot be read just has no values.
Completion option_values(const ValueQuery& query, const TemplateStore& store);

} // namespace warptune::cli
