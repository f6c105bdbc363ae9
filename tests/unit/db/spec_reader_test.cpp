// Rows read with their kernel's spec: values that the spec allows, errors for others.
#include "db/spec_reader.h"
#include "db/tuned_entries.h"
#include "support/hashed_record.h"
#include "support/spec_text.h"
#include "unit/db/fixture.h"

#include <optional>

namespace warptune {
namespace {

using namespace test;
using ::testing::HasSubstr;

const std::string kProblem = "rows=64,cols=64;bf16;log=0,layout=nt";

TEST(StoredValues, ReadEachTextOnce) {
  const KernelSpec spec = testing::SpecText().parse();
  StoredValues values(spec);
  EXPECT_EQ(values.problem(kProblem)->dims, (Shape{64, 64}));
  EXPECT_EQ(*values.config("WARPS=2,VEC=4"), (Config{2, 4}));
  const Result<Config>* const first = &values.config("WARPS=2,VEC=4");
  EXPECT_FALSE(values.config("OLD=1")) << "what fits no spec is remembered, too";
  const Result<Problem>* const misfit = &values.problem("m=1;bf16");
  EXPECT_FALSE(*misfit);
  EXPECT_EQ(&values.config("WARPS=2,VEC=4"), first);
  EXPECT_EQ(&values.problem("m=1;bf16"), misfit);
}

class SpecReaderTest : public ::testing::Test {
 protected:
  RowId begin(const std::string& problem) {
    SessionIdentity identity = sample_identity();
    identity.kernel = spec_.name;
    identity.problem = problem;
    return must(writer_.begin_session(identity, 10, "0.1.0"));
  }
  void keep_best(RowId session, const std::string& config) {
    BestRecord best;
    best.session = session;
    best.config = config;
    best.median_us = 5;
    must(writer_.put_best(best));
  }
  SpecReader reader() { return {reader_.emplace(must(Reader::open(file_))), spec_}; }

  TempDir dir_;
  std::filesystem::path file_ = dir_ / "w.db";
  KernelSpec spec_ = testing::SpecText().parse();
  Writer writer_ = open();
  std::optional<Reader> reader_;

 private:
  Writer open() {
    Writer writer = must(Writer::open(file_));
    must(writer.put_device(sample_device()));
    must(writer.put_kernel({0, spec_.name, "abc", {}}));
    return writer;
  }
};

// A database may come from an untrusted source, and its sources are compiled in an application's process.
TEST_F(SpecReaderTest, ADescriptionInADatabaseIsHeldToTheListOfOptions) {
  const auto spec_with = [&](const char* option) {
    const std::string json =
        testing::SpecText().set("compile", std::string(R"({"options": [")") + option + "\"]}").text();
    KernelRecord kernel{0, spec_.name, std::string(64, 'a'), {{"spec.json", json}}};
    if (parse_spec(SourceFiles{kernel.files}, "spec.json")) kernel = with_own_hash(kernel);
    must(writer_.put_kernel(kernel));
    const Reader reader = must(Reader::open(file_));
    return spec_of(*must(reader.kernel(spec_.name, kernel.source_hash)));
  };
  EXPECT_TRUE(spec_with("--use_fast_math"));
  const auto refused = spec_with("--create-pch=/tmp/x");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("allowed are --use_fast_math"));
}

TEST_F(SpecReaderTest, TrialsKeepTheirOrderAndTheReasonOfThoseThatFitNoSpec) {
  const RowId session = begin(kProblem);
  for (const char* config : {"WARPS=1,VEC=2", "WARPS=2,MODE=1", "WARPS=3,VEC=2", "WARPS=8,VEC=4"})
    must(writer_.record(session, config, sample_trial()));
  const auto trials = must(reader().trials(session));
  ASSERT_EQ(trials.size(), 4U);
  EXPECT_EQ(trials[0].config.value_or(Config()), (Config{1, 2}));
  ASSERT_FALSE(trials[1].config);
  EXPECT_THAT(trials[1].config.error().message, HasSubstr("MODE"));
  EXPECT_EQ(trials[1].row.config, "WARPS=2,MODE=1");
  EXPECT_EQ(trials[1].row.trial.config, (Config{2, 1})) << "the numbers of its text, as without a spec";
  ASSERT_FALSE(trials[2].config);
  EXPECT_THAT(trials[2].config.error().message, HasSubstr("'3' is not a value of 'WARPS'"));
  EXPECT_EQ(trials[3].config.value_or(Config()), (Config{8, 4}));
  EXPECT_EQ(trials[3].row.trial.timing->median_us, sample_trial().timing->median_us);
}

TEST_F(SpecReaderTest, AResultMayHaveAProblemWithoutAConfigurationAndTheOtherWayRound) {
  keep_best(begin(kProblem), "OLD=1");
  keep_best(begin("elements=64;bf16"), "WARPS=8,VEC=4");
  auto results = must(reader().best());
  ASSERT_EQ(results.size(), 2U);
  for (const SpecBest& result : results) {
    const bool is_old = result.row.config == "OLD=1";
    EXPECT_EQ(result.problem.has_value(), is_old) << result.row.problem;
    EXPECT_EQ(result.config.has_value(), !is_old) << result.row.config;
  }
  SessionIdentity identity = sample_identity();
  identity.problem = kProblem;
  EXPECT_EQ(reader().problem(identity)->dtype, DType::bf16);
}

} // namespace
} // namespace warptune
