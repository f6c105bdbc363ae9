#include "worker/worker_start.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

const WorkerCommand kCommand{{}, "cuda:1", "/cache"};

TEST(WorkerStart, SeesWhatThisProcessSeesThroughOneConnection) {
  const std::array<const char*, 3> environment{"HOME=/home/me", "CUDA_VISIBLE_DEVICES=2,3", nullptr};
  const WorkerStart start = start_of_worker(kCommand, "", environment.data());
  EXPECT_THAT(start.arguments, ElementsAre("warptune", "__worker", "--device", "cuda:1", "--cache", "/cache"));
  EXPECT_THAT(start.environment,
              UnorderedElementsAre("HOME=/home/me", "CUDA_VISIBLE_DEVICES=2,3", "CUDA_DEVICE_MAX_CONNECTIONS=1"));
}

TEST(WorkerStart, SeesOneDeviceAsItsFirst) {
  const std::array<const char*, 4> environment{"CUDA_VISIBLE_DEVICES=2,3", "CUDA_VISIBLE_DEVICES_OF_OTHERS=4",
                                               "HOME=/home/me", nullptr};
  const WorkerStart start = start_of_worker(kCommand, "GPU-12", environment.data());
  EXPECT_THAT(start.arguments, ElementsAre("warptune", "__worker", "--device", "cuda:0", "--cache", "/cache"));
  EXPECT_THAT(start.environment, UnorderedElementsAre("CUDA_VISIBLE_DEVICES_OF_OTHERS=4", "HOME=/home/me",
                                                      "CUDA_VISIBLE_DEVICES=GPU-12", "CUDA_DEVICE_MAX_CONNECTIONS=1"));
}

TEST(WorkerStart, ConnectionsThatTheUserAsksForStay) {
  const std::array<const char*, 2> environment{"CUDA_DEVICE_MAX_CONNECTIONS=4", nullptr};
  EXPECT_THAT(start_of_worker(kCommand, "", environment.data()).environment,
              ElementsAre("CUDA_DEVICE_MAX_CONNECTIONS=4"));
}

} // namespace
} // namespace warptune
