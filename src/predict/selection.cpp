#include "predict/selection.h"

namespace warptune {

std::string_view match_name(Match m) {
  switch (m) {
  case Match::exact:
    return "exact";
  case Match::learned_rule:
    return "learned rule";
  case Match::nearest_shape:
    return "nearest shape";
  case Match::other_device:
    return "same architecture";
  case Match::expected_time:
    return "expected time";
  case Match::fallback_default:
    return "default";
  }
  return "default";
}

} // namespace warptune
