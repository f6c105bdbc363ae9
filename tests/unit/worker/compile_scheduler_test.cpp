// Chooses the session whose compilation a free compile worker does next.
#include "worker/compile_scheduler.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

CompileCustomer customer(const std::string& source_hash, const std::vector<Config>& configs) {
  auto made = std::make_shared<CompileQueue::Shared>();
  made->setup.kernel.source_hash = source_hash;
  for (const Config& config : configs) made->queue.push_back({static_cast<std::int64_t>(made->queue.size()), config});
  return made;
}

TEST(CompileScheduler, CustomersShareTheWorkersEvenly) {
  const CompileCustomer one = customer("one", {{1}, {2}, {3}, {4}}), other = customer("other", {{1}, {2}, {3}, {4}});
  CompileScheduler scheduler;
  scheduler.add(one);
  scheduler.add(other);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(scheduler.take(nullptr));
  EXPECT_EQ(one->queue.size(), 2U);
  EXPECT_EQ(other->queue.size(), 2U);
}

TEST(CompileScheduler, OneProgramIsCompiledByOneWorkerAtATime) {
  const CompileCustomer one = customer("same", {{1}}), other = customer("same", {{1}, {2}}),
                        third = customer("x", {{1}});
  CompileScheduler scheduler;
  for (const CompileCustomer& each : {one, other, third}) scheduler.add(each);
  const auto first = scheduler.take(nullptr);
  ASSERT_TRUE(first);
  std::vector<Config> next;
  while (const auto more = scheduler.take(nullptr)) next.push_back(more->job.config);
  EXPECT_EQ(next.size(), 2U) << "of the other sources, and the other configuration";
  EXPECT_EQ(one->queue.size() + other->queue.size() + third->queue.size(), 1U);
  scheduler.end(first->customer, first->job);
  const auto last = scheduler.take(nullptr);
  ASSERT_TRUE(last) << "it is in the cache now";
  EXPECT_EQ(last->job.config, Config{1});
}

} // namespace
} // namespace warptune
