// Chooses the stand-in for libcuda (fake_cuda.h) for the whole process, before any test loads a driver.
#pragma once

#include "support/paths.h"

#include <cstdlib>

namespace warptune::test {

inline const int uses_fake_cuda = setenv("WARPTUNE_LIBCUDA", (program_dir() / "libwt_fake_cuda.so").c_str(), 1);

} // namespace warptune::test
