#include "runtime/capi_library.h"

namespace warptune::capi {

wt_match match_of(Match match) {
  switch (match) {
  case Match::exact:
    return WT_MATCH_EXACT;
  case Match::learned_rule:
    return WT_MATCH_LEARNED;
  case Match::nearest_shape:
    return WT_MATCH_NEAREST_SHAPE;
  case Match::other_device:
    return WT_MATCH_OTHER_DEVICE;
  case Match::expected_time:
    return WT_MATCH_EXPECTED_TIME;
  case Match::fallback_default:
    break;
  }
  return WT_MATCH_DEFAULT;
}

} // namespace warptune::capi
