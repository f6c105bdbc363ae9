// Chooses a pack's configurations for one variant (a dtype with flags): the smallest set that is fast enough for every
// tuned shape. Also chooses the configuration of each shape. extra.h chooses more for untuned shapes. Pure: uses only
// its arguments.
#pragma once

#include "pack/measured.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

struct Pick {
  std::size_t shape = 0, config = 0;
  double loss = 0;         // slowdown relative to the fastest configuration measured on this shape; 0.03: 3 %
  bool is_guarded = false; // whether the pick is the default because no configuration was certified as faster
  BestRecord best;         // the database row that ships
};

struct VariantChoice {
  std::vector<std::size_t> configs; // configurations that ship, ascending; includes the default
  std::vector<Pick> picks;          // one per shape
  // For each shape whose pick calls libraries: (shape, configuration to use in applications that do not allow
  // libraries).
  std::vector<std::pair<std::size_t, std::size_t>> without_libraries;
  bool is_exact = true; // false: found by a greedy search, so a smaller set may exist
  double worst_loss = 0;
  std::size_t guarded = 0;
};

// `cover`: how much slower a shape's pick may be than the fastest configuration that may ship for this shape; 0.03 is 3
// %. The default may ship for every shape. Another configuration may ship for a shape if a session's finals certified
// it as faster than the default, or if its 95 % interval is below the default's in one session. A configuration with a
// wrong result in any trial never ships. A configuration does not cover a shape on which it was not measured. A shape
// for which no configuration may ship gets a note and no pick. If chosen configurations call libraries, the choice is
// also made without such configurations, and its result ships too.
VariantChoice choose_configs(const MeasuredVariant& variant, double cover, std::vector<std::string>& notes);

// Whether configuration number `config` may ship for this shape.
bool may_ship(const MeasuredVariant& variant, const MeasuredShape& shape, std::size_t config);

} // namespace warptune
