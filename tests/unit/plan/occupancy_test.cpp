#include "core/device_table.h"
#include "plan/occupancy.h"
#include "support/paths.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <vector>

namespace warptune {
namespace {

TEST(Occupancy, AgreesWithTheDriverOfAnH200) {
  std::ifstream file(test::data_dir() / "occupancy" / "h200.txt");
  const DeviceLimits limits = h200_device().limits;
  std::vector<std::int64_t> dynamic;
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    if (line[0] == '#') continue;
    if (line[0] == 'd') {
      in.ignore(8);
      for (std::int64_t bytes = 0; in >> bytes;) dynamic.push_back(bytes);
      continue;
    }
    BlockNeeds needs;
    in >> needs.registers >> needs.static_shared_bytes >> needs.threads;
    for (const std::int64_t bytes : dynamic) {
      std::int64_t blocks = -1;
      in >> blocks;
      needs.dynamic_shared_bytes = bytes;
      EXPECT_EQ(estimate_occupancy(needs, limits).blocks_per_sm, blocks) << line << ", dynamic " << bytes;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 2145);
}

TEST(Occupancy, SaysWhatLimits) {
  const DeviceLimits limits = h200_device().limits;
  const auto limit = [&](const BlockNeeds& needs) { return estimate_occupancy(needs, limits).limit; };
  EXPECT_EQ(limit({256, 16, 0, 0}), OccupancyLimit::threads);
  EXPECT_EQ(limit({32, 16, 0, 0}), OccupancyLimit::blocks);
  EXPECT_EQ(limit({256, 128, 0, 0}), OccupancyLimit::registers);
  EXPECT_EQ(limit({256, 32, 20000, 40000}), OccupancyLimit::shared_memory);
  EXPECT_EQ(estimate_occupancy({256, 32, 20000, 40000}, limits).blocks_per_sm, 3); // 228 KiB / (60000 + 1024)
  EXPECT_DOUBLE_EQ(estimate_occupancy({256, 32, 0, 0}, limits).share, 1);
  EXPECT_DOUBLE_EQ(estimate_occupancy({256, 64, 0, 0}, limits).share, 0.5);
}

TEST(Occupancy, NothingFits) {
  const DeviceLimits limits = h200_device().limits;
  EXPECT_EQ(estimate_occupancy({1056, 16, 0, 0}, limits).blocks_per_sm, 0);
  EXPECT_EQ(estimate_occupancy({1024, 65, 0, 0}, limits).blocks_per_sm, 0);
  EXPECT_EQ(estimate_occupancy({1024, 64, 0, 0}, limits).blocks_per_sm, 1);
  EXPECT_EQ(estimate_occupancy({0, 16, 0, 0}, limits).blocks_per_sm, 0);
  EXPECT_EQ(registers_of_block({257, 168, 0, 0}), 12 * 5376);
}

// Turing: 64 KiB for a block and for the multiprocessor; the system reserves none (cuda_occupancy.h).
TEST(Occupancy, BeforeAmpereTheSystemKeepsNoSharedMemory) {
  const DeviceLimits t4 = device_of_arch("sm_75")->limits, a100 = device_of_arch("sm_80")->limits;
  EXPECT_EQ(estimate_occupancy({128, 32, 32768, 0}, t4).blocks_per_sm, 2);
  EXPECT_EQ(estimate_occupancy({128, 32, 83968, 0}, a100).blocks_per_sm, 1) << "two would need 2 KiB more";
  EXPECT_EQ(estimate_occupancy({128, 32, 82944, 0}, a100).blocks_per_sm, 2);
}

} // namespace
} // namespace warptune
