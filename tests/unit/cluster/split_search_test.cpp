// Several processes in one search: which process measures which configurations, and which one holds the finals.
#include "cluster/shared_sweep.h"
#include "cluster/split_search.h"
#include "support/temp_dir.h"
#include "support/toy.h"

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <set>
#include <thread>
#include <unistd.h>

namespace warptune {
namespace {

using testing::HasSubstr;
using Finals = SharedSearch::Finals;

struct SplitSearchTest : testing::Test {
  test::TempDir dir;
  const std::filesystem::path run = dir / "run";
  const std::atomic<bool> never{false};
  DeviceInfo device = test::toy_device();

  RunDescription description(int split = 2, double lease_s = 1) const {
    const auto made = join_run(
        run, "toy", "digest",
        [] {
          return std::vector<RunJob>{{"toy", "n=1", 0}};
        },
        lease_s, split);
    EXPECT_TRUE(made) << made.error().message;
    return *made;
  }
  std::unique_ptr<SplitSearch> join(int shard, bool learns = true, int split = 2) const {
    auto made = SplitSearch::join(run, description(split), shard, 2, dir.path());
    EXPECT_TRUE(made);
    EXPECT_TRUE((*made)->agree(device));
    (*made)->begin(learns, 1000);
    return std::move(*made);
  }
  static Trial timed(ConfigIndex index) {
    Trial trial;
    trial.index = index;
    trial.config = {index};
    trial.status = TrialStatus::ok;
    trial.timing.emplace().median_us = 5;
    return trial;
  }
  // exchange() reads the folder only from time to time.
  static SharedSearch::News wait_for_news(SplitSearch& search) {
    for (;;) {
      auto news = search.exchange();
      EXPECT_TRUE(news);
      if (!news || !news->trials.empty() || news->ending) return news ? *news : SharedSearch::News{};
      ::usleep(5000);
    }
  }
  static void wait_until_claimable(SplitSearch& search, ConfigIndex index) {
    while (!search.claim(index).value()) {
      EXPECT_TRUE(search.exchange());
      ::usleep(5000);
    }
  }
};

TEST_F(SplitSearchTest, AConfigurationIsMeasuredByTheFirstThatClaimsIt) {
  const auto a = join(0), b = join(1);
  EXPECT_TRUE(*a->claim(3));
  EXPECT_FALSE(*b->claim(3));
  EXPECT_TRUE(*a->claim(3)) << "it still has it";
  EXPECT_TRUE(*b->claim(4));
  EXPECT_FALSE(*a->claim(4));
}

TEST_F(SplitSearchTest, AStrategyThatDoesNotLearnHasRanges) {
  const auto a = join(0, false), b = join(1, false);
  // 1000 evaluations / (2 devices x 8) = 62 configurations each.
  EXPECT_TRUE(*a->claim(0));
  EXPECT_TRUE(*a->claim(61));
  EXPECT_FALSE(*b->claim(61));
  EXPECT_TRUE(*b->claim(62));
  EXPECT_FALSE(*a->claim(62));
}

TEST_F(SplitSearchTest, ResultsAreReadByTheOthers) {
  const auto a = join(0), b = join(1);
  ASSERT_TRUE(a->put(timed(3)));
  ASSERT_TRUE(a->exchange());
  const auto news = wait_for_news(*b);
  ASSERT_EQ(news.trials.size(), 1u);
  EXPECT_EQ(news.trials.front().index, 3);
  EXPECT_FALSE(news.ending);
}

TEST_F(SplitSearchTest, AProcessPublishesAgainWhenItsAgeHasDoubled) {
  const auto begin = std::chrono::steady_clock::now();
  const auto published = [&] { return list_shared(trials_of(run))->size(); };
  const auto a = join(0, false);
  ASSERT_TRUE(a->put(timed(3)));
  ASSERT_TRUE(a->exchange());
  EXPECT_EQ(published(), 1u);
  ASSERT_TRUE(a->put(timed(4)));
  std::this_thread::sleep_for(std::chrono::steady_clock::now() - begin);
  ASSERT_TRUE(a->exchange());
  EXPECT_EQ(published(), 2u) << "not only after a second";
}

TEST_F(SplitSearchTest, WhatIsHandedBackIsMeasuredByAnother) {
  const auto a = join(0), b = join(1);
  EXPECT_TRUE(*a->claim(3));
  EXPECT_FALSE(*b->claim(3));
  ASSERT_TRUE(a->put(timed(2)));
  ASSERT_TRUE(a->leave(Ending::interrupted, {3}));
  EXPECT_EQ(wait_for_news(*b).trials.size(), 1u) << "what it had measured is published";
  wait_until_claimable(*b, 3);
}

TEST_F(SplitSearchTest, WhatALostProcessHadClaimedIsMeasuredByAnother) {
  auto a = join(0);
  const auto b = join(1);
  EXPECT_TRUE(*a->claim(3));
  EXPECT_FALSE(*b->claim(3));
  ASSERT_TRUE(a->put(timed(2)));
  a.reset(); // ends without an announcement, except for its published trials
  wait_until_claimable(*b, 3);
  const auto c = join(0);
  EXPECT_FALSE(*c->claim(3)) << "the second attempt has an owner";
  EXPECT_EQ(wait_for_news(*c).trials.size(), 1u);
}

TEST_F(SplitSearchTest, AConfigurationThatEndsProcessesIsGivenUp) {
  const auto last = join(9);
  const std::string model = [&] {
    EXPECT_TRUE(*last->claim(8));
    const auto names = list_shared(Claims::folder_of(run));
    return ClaimName::parse(names->front())->subject.model;
  }();
  for (int attempt = 1; attempt <= 10; ++attempt)
    ASSERT_TRUE(
        *create_shared(Claims::folder_of(run) / ClaimName{{4, model}, attempt}.text(), "{\"process\":\"gone\"}"));
  EXPECT_FALSE(*last->claim(3));
  for (;;) {
    ASSERT_TRUE(last->exchange());
    const auto claimed = last->claim(3);
    if (!claimed) {
      EXPECT_EQ(claimed.error().kind, ErrorKind::no_candidate);
      EXPECT_THAT(claimed.error().message, HasSubstr("10 processes in a row ended"));
      break;
    }
    ASSERT_FALSE(*claimed);
    ::usleep(5000);
  }
}

TEST_F(SplitSearchTest, AllExpectTheTimesOfTheFirstDevice) {
  DeviceInfo first = device;
  first.roofs.dram_read_gbs = 123;
  const auto a = SplitSearch::join(run, description(), 0, 2, dir.path());
  EXPECT_EQ((*a)->agree(first)->roofs.dram_read_gbs, 123);
  DeviceInfo second = device;
  second.roofs.dram_read_gbs = 124;
  const auto b = SplitSearch::join(run, description(), 1, 2, dir.path());
  EXPECT_EQ((*b)->agree(second)->roofs.dram_read_gbs, 123);
  second.name = "another";
  const auto refused = (*b)->agree(second);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
}

// The time limit or the roofs of one process may end the search; then it ends for all.
TEST_F(SplitSearchTest, AnEarlyEndIsOneForAll) {
  for (const auto& [ending, is_early] : {std::pair(Ending::evaluations, false),
                                         {Ending::strategy_done, false},
                                         {Ending::all_tried, false},
                                         {Ending::low_expected_gain, true},
                                         {Ending::target, true},
                                         {Ending::seconds, true}}) {
    const auto a = join(0), b = join(1);
    ASSERT_TRUE(a->put(timed(1)));
    ASSERT_TRUE(a->leave(ending, {}));
    const auto news = wait_for_news(*b);
    EXPECT_EQ(news.ending.has_value(), is_early) << ending_name(ending);
    EXPECT_EQ(news.ending.value_or(ending), ending);
    std::filesystem::remove_all(trials_of(run));
    std::filesystem::create_directory(trials_of(run));
  }
}

TEST_F(SplitSearchTest, OneHoldsTheFinalsWhenAllHaveLeft) {
  const auto a = join(0), b = join(1);
  ASSERT_TRUE(a->leave(Ending::evaluations, {}));
  std::atomic<bool> stop{true};
  EXPECT_EQ(*a->await_finals(stop), Finals::stopped);
  // While b measures, a waits.
  std::atomic<bool> is_mine{false};
  std::thread waiting([&] { is_mine = a->await_finals(never) == Finals::mine; });
  while (!std::filesystem::exists(Claims::folder_of(run)) || list_shared(Claims::folder_of(run))->empty())
    ::usleep(2000);
  // Each check of the other processes touches a file.
  const auto is_first = [](const std::string& name) { return name.starts_with("00000-"); };
  const auto names = *list_shared(processes_of(run));
  const auto file = processes_of(run) / *std::find_if(names.begin(), names.end(), is_first);
  std::set<FileTime> looks;
  while (looks.size() < 4 && !is_mine) looks.insert(time_of_shared(file)->value());
  ASSERT_TRUE(b->put(timed(5)));
  EXPECT_FALSE(is_mine);
  ASSERT_TRUE(b->leave(Ending::evaluations, {}));
  waiting.join();
  EXPECT_TRUE(is_mine);
  EXPECT_EQ(a->exchange()->trials.size(), 1u) << "what b measured last";
  EXPECT_FALSE(*b->winner());
  // Without a winner, the search fails for all processes until a user resumes it.
  ASSERT_TRUE(a->ended(fail(ErrorKind::no_candidate, "no configuration is correct")));
  const auto failed = b->await_finals(never);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::no_candidate);
  EXPECT_EQ(failed.error().message, "no configuration is correct");
  // Handed back: the next process holds the finals.
  ASSERT_EQ(resume_run(run)->failed, 1u);
  EXPECT_EQ(*b->await_finals(never), Finals::mine);
  SessionResult interrupted;
  interrupted.interrupted = true;
  ASSERT_TRUE(b->ended(interrupted));
  EXPECT_EQ(*a->await_finals(never), Finals::mine);
}

} // namespace
} // namespace warptune
