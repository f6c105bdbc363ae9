// Results from before an operator's implementations had names (`formerly`), beside newer ones: dispatchers and packs
// treat them alike.
#include "db/tuned_entries.h"
#include "pack/pack.h"
#include "spec/former_config.h"
#include "spec/source_hash.h"
#include "support/temp_dir.h"
#include "support/toy.h"
#include "support/tuned_db.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

// `version` empty: today's sources; otherwise other sources.
Kernel with_version(const std::string& version) {
  Kernel kernel = toy_kernel("choice");
  if (version.empty()) return kernel;
  for (auto& [name, text] : kernel.sources.files)
    if (name.ends_with(".cu")) text += "// " + version + "\n";
  kernel.source_hash = source_hash(kernel.spec, kernel.sources);
  return kernel;
}

const char* const kOldDefault = "A=1,B=1,C=0";
const char* const kDefault = "implementation=plain,A=1,B=1";
const char* const kBest = "implementation=plain,A=4,B=4";

struct Former : testing::Test {
  TempDir dir;
  fs::path file = dir / "w.db";
  const KernelSpec spec = with_version("").spec;
  const std::string hash = with_version("").source_hash;

  Former() { ::setenv("XDG_CACHE_HOME", (dir / "cache").c_str(), 1); }
  void add(const std::string& source, const std::string& shape, const char* standard, const char* best) {
    TunedDb db(file, with_version(source), h200_device());
    db.add(shape, {{standard, 20}, {best, 10}}, best);
  }
  void add_former(const std::string& shape) { add("former", shape, kOldDefault, "A=8,B=3,C=0"); }
  void add_now(const std::string& shape) { add("", shape, kDefault, kBest); }
  TunedEntries entries() { return TunedDb::value(load_tuned_entries(reader(), spec, hash)); }
  Reader reader() { return TunedDb::value(Reader::open(file)); }
};

TEST_F(Former, TextsAreThoseThatNameNoImplementationAndHaveTheValues) {
  EXPECT_TRUE(is_former_config(spec, "A=4,B=4,C=0"));
  EXPECT_FALSE(is_former_config(spec, "A=4,B=4,C=7"));
  EXPECT_FALSE(is_former_config(spec, "A=4,B=4"));
  EXPECT_FALSE(is_former_config(spec, ""));
  EXPECT_FALSE(is_former_config(spec, "implementation=plain,A=4,B=4,C=0"));
  EXPECT_TRUE(counts_for(spec, hash, hash, kBest));
  EXPECT_FALSE(counts_for(spec, hash, "another", kBest));
}

TEST_F(Former, ANewerResultDropsNoneOfOtherShapes) {
  add_former("n=1048576");
  add_former("n=4096");
  add_now("n=2097152");
  const TunedEntries found = entries();
  ASSERT_EQ(found.entries.size(), 3U);
  EXPECT_THAT(found.notes, IsEmpty());
  EXPECT_THAT(found.entries[0].standing, IsEmpty());
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_EQ(config_text(spec, found.entries[i].config), "implementation=plain,A=8,B=3");
    EXPECT_THAT(found.entries[i].standing, HasSubstr("tuned before the kernel's implementations had names"));
  }
  const auto times = TunedDb::value(reader().timings(spec, hash));
  ASSERT_EQ(times.size(), 1U);
  EXPECT_EQ(times.front().problems.size(), 3U);
}

TEST_F(Former, AResultOfTheSourcesStandsForAFormerOne) {
  add_former("n=1048576");
  add_now("n=1048576");
  const TunedEntries found = entries();
  ASSERT_EQ(found.entries.size(), 1U);
  EXPECT_EQ(config_text(spec, found.entries.front().config), kBest);
}

TEST_F(Former, ResultsOfOtherSourcesAreLeftOut) {
  add("edited", "n=4096", kDefault, kBest);
  add_now("n=1048576");
  const TunedEntries found = entries();
  EXPECT_EQ(found.entries.size(), 1U);
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_THAT(found.notes.front(),
              HasSubstr("left out 1 result of choice from other versions of its sources; tune again to replace it"));
}

TEST_F(Former, APackHasThemInTodaysWords) {
  add_former("n=1048576");
  add_now("n=2097152");
  PackOptions options;
  options.version = "0.1";
  options.licence = "none";
  options.cubins.compile = false;
  ASSERT_TRUE(make_pack(reader(), dir / "ops.wtpack", options));
  const Reader pack = TunedDb::value(Reader::open(dir / "ops.wtpack"));
  const auto rows = TunedDb::value(pack.best("choice"));
  ASSERT_EQ(rows.size(), 2U);
  for (const BestRecord& row : rows) {
    EXPECT_EQ(row.source_hash, hash);
    EXPECT_THAT(row.config, HasSubstr("implementation=plain"));
    for (const TrialRow& trial : TunedDb::value(pack.trials(row.session)))
      EXPECT_THAT(trial.config, HasSubstr("implementation=plain"));
  }
  EXPECT_EQ(TunedDb::value(load_tuned_entries(pack, spec, hash)).entries.size(), 2U);
}

TEST_F(Former, APackOfChosenSourcesHasTheirs) {
  add("other", "n=4096", kDefault, kBest);
  add_now("n=1048576");
  PackOptions options;
  options.cubins.compile = false;
  options.source_hashes["choice"] = with_version("other").source_hash;
  TunedDb::value(make_pack(reader(), dir / "ops.wtpack", options));
  const auto rows = TunedDb::value(TunedDb::value(Reader::open(dir / "ops.wtpack")).best("choice"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.front().source_hash, with_version("other").source_hash);
  options.source_hashes["choice"] = "none";
  const auto refused = make_pack(reader(), dir / "ops.wtpack", options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_candidate);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("nothing of choice was tuned with these sources"), HasSubstr("--also")));
}

} // namespace
} // namespace warptune
