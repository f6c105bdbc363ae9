// Checks the properties that every recorded space must have, whatever text it was read from. Also checks its copies in
// both formats. A Kernel Tuner cache cannot hold some names.
#pragma once

#include "core/text.h"
#include "interchange/kernel_tuner_cache.h"
#include "interchange/t4_results.h"

#include <cstdlib>
#include <string>

namespace warptune::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline void check_refusal(const Error& error) {
  require(!error.message.empty() && find_invalid_utf8(error.message) == std::string_view::npos);
}

inline void check_space(const RecordedSpace& space) {
  require(space.space.size() > 0 && space.outcomes.size() == static_cast<std::size_t>(space.space.size()));
  Positions at;
  for (ConfigIndex i = 0; i < space.space.size(); ++i) {
    space.space.positions(i, at);
    require(at.size() == space.params.size() && space.space.find_positions(at) == i);
    const RecordedOutcome& o = space.at(i);
    require((o.status == TrialStatus::ok) == (o.time_ms > 0));
    (void)space.energy_mj(i);
  }
  auto cache = write_kernel_tuner_cache(space);
  if (cache) {
    const auto from_cache = read_kernel_tuner_cache(*cache);
    require(from_cache && from_cache->space.size() == space.space.size());
    require(from_cache->best_ms() == space.best_ms());
  } else {
    check_refusal(cache.error());
  }
  std::string t4 = write_t4_results(space);
  const auto from_t4 = read_t4_results(t4);
  require(from_t4 && from_t4->space.size() == space.space.size() && from_t4->best_ms() == space.best_ms());
}

} // namespace warptune::fuzz
