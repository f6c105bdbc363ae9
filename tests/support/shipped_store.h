// The shipped kernels, which tests find by folder and not by name.
#pragma once

#include "jit/template_store.h"
#include "support/paths.h"

namespace warptune::test {

inline TemplateStore shipped_store() { return TemplateStore({share_dir() / "kernel_templates"}); }

} // namespace warptune::test
