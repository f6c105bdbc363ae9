// The kernels that a test of all operators finds: the shipped ones, and those of examples/ that become shipped ones.
#pragma once

#include "jit/template_store.h"
#include "support/paths.h"

namespace warptune::test {

inline TemplateStore operator_store() {
  return TemplateStore({share_dir() / "kernel_templates", share_dir() / "examples" / "elementwise_operators"});
}

} // namespace warptune::test
