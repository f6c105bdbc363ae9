#pragma once

#include "gpu/driver.h"

#include <stdexcept>

namespace warptune::test {

inline const Driver& loaded_driver() {
  const auto loaded = load_driver();
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return **loaded;
}

} // namespace warptune::test
