// The disk space of a large sweep, in bytes.
#include "unit/db/fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <random>

namespace warptune {
namespace {

using namespace test;

constexpr int kSessions = 20, kTrials = 500;

std::string long_config(int n) {
  return fmt::format(
      "BLOCK_M={},BLOCK_N={},BLOCK_K=64,STAGES={},WARPS_M=2,WARPS_N=4,CLUSTER_M=1,CLUSTER_N=2,SWIZZLE=128,"
      "SPLIT_K=1,VECTOR_BYTES=16,EPILOGUE_TILE=32,PERSISTENT=1,RASTER_ORDER={}",
      64 + n % 5 * 32, 64 + n / 5 % 10 * 32, 2 + n / 50 % 5, n / 250);
}

// One in five fails, half of these with one of a few compiler logs; the others have as many samples as the stop rule
// takes.
Trial realistic_trial(int n, std::mt19937& random) {
  Trial trial = sample_trial(n);
  trial.cubin_hash = fmt::format("{:064x}", random());
  trial.profile.reset();
  trial.power.reset();
  trial.timing->samples_us.assign(7 + random() % 94, 0);
  for (float& us : trial.timing->samples_us) us = 100 + static_cast<float>(random() % 1000) / 100;
  if (n % 5 != 0) return trial;
  trial.status = TrialStatus::compile_failed;
  trial.timing.reset();
  trial.verdict.reset();
  const bool own_log = n % 10 == 0;
  trial.evidence = fmt::format("kernel.cu({}): error: ", own_log ? static_cast<int>(random()) : n % 15);
  trial.evidence.append(3000 - trial.evidence.size(), 'e');
  return trial;
}

TEST(DatabaseGrowth, ATrialOfALargeSweepTakesLessThanTwoKilobytes) {
  TempDir dir;
  const std::filesystem::path file = dir / "w.db";
  std::mt19937 random(5);
  {
    Writer writer = must(Writer::open(file));
    for (int s = 0; s < kSessions; ++s) {
      SessionIdentity identity = sample_identity();
      identity.problem = fmt::format("m={},n=4096,k=4096;bf16;layout=nn", 128 * (s + 1));
      const RowId session = must(writer.begin_session(identity, kTrials, "0"));
      for (int n = 0; n < kTrials; ++n) must(writer.record(session, long_config(n), realistic_trial(n, random)));
      must(writer.end_session(session, SessionState::finished));
    }
  } // closing the last connection merges the log
  ASSERT_FALSE(std::filesystem::exists(file.string() + "-wal"));
  const auto bytes = static_cast<double>(std::filesystem::file_size(file));
  RecordProperty("bytes_per_trial", static_cast<int>(bytes / (kSessions * kTrials)));
  EXPECT_LT(bytes / (kSessions * kTrials), 1200); // the documents promise 2000; the rest is for counters
  const auto logs = SQLite::Database(file.string()).execAndGet("SELECT count(*) FROM evidence_texts").getInt();
  EXPECT_LT(logs, kSessions * kTrials / 10 + 15 + 1) << "a log that was seen before is not stored again";
  EXPECT_EQ(must(must(Reader::open(file)).trials(1))[5].trial.evidence.size(), 3000U);
}

TEST(DatabaseGrowth, AnEarlierSessionIsFoundByWhatItIsAbout) {
  TempDir dir;
  Writer writer = must(Writer::open(dir / "w.db"));
  const Reader reader = must(Reader::open(dir / "w.db"));
  EXPECT_FALSE(must(reader.find_session(sample_identity())));
  EXPECT_FALSE(must(reader.nearest_session(sample_identity())));
  SessionIdentity other = sample_identity();
  other.seed = 1;
  const RowId first = must(writer.begin_session(sample_identity(), 1, "0"));
  const RowId second = must(writer.begin_session(other, 1, "0"));
  other.problem = "rows=1,cols=1;bf16";
  const RowId third = must(writer.begin_session(other, 1, "0"));
  must(writer.record(first, sample_config(), sample_trial()));
  const auto found = must(reader.find_session(sample_identity()));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, first);
  EXPECT_EQ(found->identity, sample_identity());
  EXPECT_EQ(must(reader.count_trials(found->id)).ok, 1);
  other.seed = 9;
  EXPECT_FALSE(must(reader.find_session(other)));
  EXPECT_EQ(must(reader.nearest_session(other))->id, third);
  other.kernel = "axpy";
  EXPECT_FALSE(must(reader.nearest_session(other)));

  // The result of one session, also if another session has a better one.
  BestRecord best;
  for (const auto& [session, us] : {std::pair{first, 10.0}, std::pair{second, 5.0}}) {
    best.session = session;
    best.config = sample_config();
    best.median_us = us;
    must(writer.put_best(best));
  }
  EXPECT_EQ(must(reader.best_of_session(first))->median_us, 10);
  EXPECT_EQ(must(reader.best_of_session(second))->median_us, 5);
  EXPECT_FALSE(must(reader.best_of_session(third)));
}

} // namespace
} // namespace warptune
