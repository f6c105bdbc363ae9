// The messages between processes that split a problem.
#include "cluster/run_folder.h"
#include "cluster/shared_file.h"
#include "cluster/trial_exchange.h"
#include "support/temp_dir.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct TrialExchangeTest : testing::Test {
  test::TempDir dir;
  TrialExchangeTest() { std::filesystem::create_directory(trials_of(dir.path())); }
  TrialExchange of(const std::string& process) const { return {dir.path(), process}; }
};

Trial timed(ConfigIndex index, double us) {
  Trial trial;
  trial.index = index;
  trial.config = {index, 2};
  trial.status = TrialStatus::ok;
  trial.cubin_hash = "ab12";
  trial.compile_ms = 3.25;
  trial.timing.emplace().median_us = us;
  return trial;
}

TEST_F(TrialExchangeTest, OthersReadWhatWasPublishedOnce) {
  TrialExchange a = of("a"), b = of("b"), watcher = of("");
  const double us = 10.0 / 3; // without loss of precision
  a.put(timed(7, us));
  Trial failed;
  failed.index = 8;
  failed.config = {8, 2};
  failed.status = TrialStatus::compile_failed;
  failed.evidence = "line 1\nline 2 \x1b[2J \"quoted\"";
  a.put(failed);
  EXPECT_THAT(*b.read(), IsEmpty()) << "nothing is published yet";
  ASSERT_TRUE(a.publish());
  EXPECT_EQ(a.waiting(), 0u);
  const auto seen = b.read();
  ASSERT_TRUE(seen);
  ASSERT_THAT(*seen, SizeIs(2));
  EXPECT_EQ((*seen)[0].index, 7);
  EXPECT_EQ((*seen)[0].config, (Config{7, 2}));
  EXPECT_EQ((*seen)[0].timing->median_us, us);
  EXPECT_EQ((*seen)[0].cubin_hash, "ab12");
  EXPECT_EQ((*seen)[1].status, TrialStatus::compile_failed);
  EXPECT_EQ((*seen)[1].evidence, failed.evidence);
  EXPECT_THAT(*b.read(), IsEmpty()) << "each file once";
  EXPECT_THAT(*a.read(), IsEmpty()) << "not its own";
  EXPECT_THAT(*watcher.read(), SizeIs(2));
  ASSERT_TRUE(a.publish()) << "nothing waits";
  a.put(timed(9, 1));
  ASSERT_TRUE(a.publish());
  EXPECT_THAT(*b.read(), SizeIs(1));
}

TEST_F(TrialExchangeTest, AProcessLeavesWithItsReason) {
  TrialExchange a = of("a"), b = of("b");
  for (const Ending ending : {Ending::all_tried, Ending::evaluations, Ending::seconds, Ending::target,
                              Ending::low_expected_gain, Ending::strategy_done}) {
    TrialExchange reader = of("reader");
    ASSERT_TRUE(a.leave(ending));
    ASSERT_TRUE(reader.read());
    ASSERT_THAT(reader.left(), SizeIs(1));
    EXPECT_EQ(reader.left().at("a"), ending);
  }
  EXPECT_THAT(b.left(), IsEmpty());
}

TEST_F(TrialExchangeTest, ADamagedFileIsNamed) {
  for (const char* text : {"{", "[]\n", "{\"reply\":\"done\"}\n"}) {
    ASSERT_TRUE(replace_shared(trials_of(dir.path()) / "a.0", text));
    TrialExchange reader = of("b");
    const auto read = reader.read();
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind, ErrorKind::database);
    EXPECT_THAT(read.error().message, HasSubstr("trials/a.0 is damaged; delete it"));
  }
}

TEST_F(TrialExchangeTest, AFolderThatIsGoneIsAnError) {
  TrialExchange a = of("a");
  a.put(timed(1, 1));
  std::filesystem::remove_all(trials_of(dir.path()));
  EXPECT_FALSE(a.publish());
  EXPECT_EQ(a.waiting(), 1u) << "it may be published later";
  EXPECT_FALSE(a.read());
}

} // namespace
} // namespace warptune
