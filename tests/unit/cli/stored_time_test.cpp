// The sentence of `run` about a stored result's time.
#include "cli/stored_time.h"

#include <gtest/gtest.h>

namespace warptune::cli {
namespace {

BestRecord stored() {
  BestRecord b;
  b.id = 7;
  b.median_us = 100;
  b.ci_low_us = 98;
  b.ci_high_us = 104;
  return b;
}

TEST(StoredTime, IsThatOfTheResultThatWasChosen) {
  BestRecord other = stored();
  other.id = 6;
  EXPECT_EQ(stored_time_of({other, stored()}, 7)->id, 7);
  EXPECT_FALSE(stored_time_of({other}, 7));
}

TEST(StoredTime, OfAWarmL2OrWithoutAnIntervalIsNotComparable) {
  BestRecord warm = stored(), bare = stored();
  warm.cold_l2 = false;
  bare.ci_low_us = bare.ci_high_us = 0;
  EXPECT_FALSE(stored_time_of({warm}, 7));
  EXPECT_FALSE(stored_time_of({bare}, 7));
}

TEST(StoredTime, SaysWhereTheNewOneIs) {
  EXPECT_EQ(place_in_interval(98, stored()), "inside");
  EXPECT_EQ(place_in_interval(104, stored()), "inside");
  EXPECT_EQ(place_in_interval(97.9, stored()), "below");
  EXPECT_EQ(beside_stored_text(105.04, stored()),
            "100.00 us, interval 98.00 us to 104.00 us: this run is 1 % above this interval");
  EXPECT_EQ(beside_stored_text(100, stored()),
            "100.00 us, interval 98.00 us to 104.00 us: this run is inside this interval");
}

} // namespace
} // namespace warptune::cli
