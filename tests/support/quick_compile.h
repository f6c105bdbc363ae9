// Little optimisation: a compilation shows all errors as well, in half the time.
#pragma once

#include "jit/compiler.h"
#include "jit/nvrtc_library.h"

namespace warptune::test {

inline void compile_quickly(CompileRequest& request) {
  const NvrtcInfo& nvrtc = load_nvrtc().value()->info;
  if (nvrtc.major > 12 || (nvrtc.major == 12 && nvrtc.minor >= 9)) request.options.emplace_back("--Ofast-compile=mid");
}

} // namespace warptune::test
