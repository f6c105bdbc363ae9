// Memory that is taken only so that what is allocated after it lies elsewhere.
#pragma once

#include "gpu/handles.h"

#include <cstdint>
#include <vector>

namespace warptune {

class Spacers {
 public:
  // `place` chooses their sizes.
  Spacers(const Driver& driver, std::uint64_t place) : driver_(driver), state_(place) {}

  // One for the driver's small allocations and one of whole pages, as far as there is plenty of memory.
  void add();
  void clear() { taken_.clear(); }

 private:
  const Driver& driver_;
  std::uint64_t state_;
  std::vector<DeviceMemory> taken_;
};

} // namespace warptune
