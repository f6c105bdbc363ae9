// Including this file makes the host the program's device (support/host_cuda.cpp).
#pragma once

#include "support/paths.h"

#include <cstdlib>

namespace warptune::test {

[[maybe_unused]] inline const int host_is_device =
    setenv("WARPTUNE_LIBCUDA", (program_dir() / "libwt_host_cuda.so").c_str(), 1);

} // namespace warptune::test
