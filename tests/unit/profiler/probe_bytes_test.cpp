// The device memory that the measurement of the roofs takes.
#include "profiler/roofs.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20, kGiB = std::size_t{1} << 30;

TEST(ProbeBytes, areAGibibyteWhereThatIsFree) {
  EXPECT_EQ(probe_bytes(80 * kGiB), kGiB);
  EXPECT_EQ(probe_bytes(2 * kGiB), kGiB);
}

TEST(ProbeBytes, leaveHalfOfWhatIsFree) {
  for (std::size_t free_bytes = 128 * kMiB; free_bytes <= 4 * kGiB; free_bytes += 37 * kMiB)
    EXPECT_LE(probe_bytes(free_bytes), free_bytes / 2) << free_bytes / kMiB << " MiB";
  EXPECT_EQ(probe_bytes(2 * kGiB - 1), kGiB / 2);
  EXPECT_EQ(probe_bytes(300 * kMiB), 128 * kMiB);
}

// If a device is full or does not answer, the minimum is requested, and the allocation reports that it is not
// available.
TEST(ProbeBytes, areNeverBelowWhatTheL2CouldHold) {
  EXPECT_EQ(probe_bytes(100 * kMiB), 64 * kMiB);
  EXPECT_EQ(probe_bytes(0), 64 * kMiB);
}

} // namespace
} // namespace warptune
