// What ships of one variant: the smallest set of configurations that serves every tuned shape well enough, and which of
// them each shape gets. What ships for other shapes is extra.h. Pure but for the rows it is given.
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
  double loss = 0;         // against the fastest configuration measured on this shape; 0.03: 3 %
  bool is_guarded = false; // the default, because nothing was certified faster
  BestRecord best;         // the row that ships
};

struct VariantChoice {
  std::vector<std::size_t> configs; // that ship, rising; the default always among them
  std::vector<Pick> picks;          // by shape
  // Of the shapes whose pick calls libraries: what they get where an application does not allow that, as pairs of a
  // shape and a configuration.
  std::vector<std::pair<std::size_t, std::size_t>> without_libraries;
  bool is_exact = true; // false: the set was found greedily and a smaller one may exist
  double worst_loss = 0;
  std::size_t guarded = 0;
};

// `cover`: how much slower than the fastest that may ship a shape's pick may be, 0.03 for 3 %. What may ship for a
// shape is the default, and a configuration that is certified faster than it: by the finals of its session, or by a 95
// % interval below the default's in one session. What a trial found wrong never ships, and a gap covers nothing. A
// shape that leaves nothing to ship gets a note and no pick. Where configurations that call libraries ship, so do the
// configurations that would ship without them.
VariantChoice choose_configs(const MeasuredVariant& variant, double cover, std::vector<std::string>& notes);

// Whether a configuration, by number, may ship for this shape.
bool may_ship(const MeasuredVariant& variant, const MeasuredShape& shape, std::size_t config);

} // namespace warptune
