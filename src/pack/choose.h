// Chooses a pack's configurations for one variant: the smallest set that serves every tuned shape well enough, and the
// configuration of each shape. extra.h chooses those for untuned shapes. Pure: uses only the given rows.
#pragma once

#include "pack/measured.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

struct Pick {
  std::size_t shape = 0, config = 0;
  double loss = 0;         // slowdown against the fastest configuration measured on this shape; 0.03: 3 %
  bool is_guarded = false; // the pick is the default, because no configuration was certified faster
  BestRecord best;         // the row that ships
};

struct VariantChoice {
  std::vector<std::size_t> configs; // the configurations that ship, ascending; includes the default
  std::vector<Pick> picks;          // by shape
  // For shapes whose pick calls libraries: pairs of the shape and the configuration for applications that do not allow
  // libraries.
  std::vector<std::pair<std::size_t, std::size_t>> without_libraries;
  bool is_exact = true; // false: the set was found greedily, so a smaller one may exist
  double worst_loss = 0;
  std::size_t guarded = 0;
};

// `cover`: how much slower a shape's pick may be than the fastest configuration that may ship; 0.03 is 3 %. Two kinds
// of configurations may ship for a shape: the default, and those certified faster than it, by a session's finals or by
// a 95 % interval below the default's in one session. A configuration with a wrong result in any trial never ships. A
// configuration does not cover a shape on which it was not measured. A shape for which no configuration may ship gets a
// note and no pick. If configurations that call libraries ship, those that would ship without them ship too.
VariantChoice choose_configs(const MeasuredVariant& variant, double cover, std::vector<std::string>& notes);

// Whether configuration number `config` may ship for this shape.
bool may_ship(const MeasuredVariant& variant, const MeasuredShape& shape, std::size_t config);

} // namespace warptune
