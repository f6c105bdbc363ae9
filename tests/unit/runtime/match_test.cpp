// The ways in which a configuration was selected, as values of the C interface.
#include "runtime/capi_library.h"

#include <gtest/gtest.h>

namespace warptune::test {
namespace {

TEST(CapiMatch, HasTheNameThatTheCommandLinePrints) {
  for (const Match match : {Match::exact, Match::learned_rule, Match::nearest_shape, Match::other_device,
                            Match::expected_time, Match::fallback_default})
    EXPECT_EQ(wt_match_name(capi::match_of(match)), match_name(match));
}

} // namespace
} // namespace warptune::test
