// `warptune why` on shipped recordings, with expected figures computed by hand from their counters, and on a small
// sweep.
#include "db/writer.h"
#include "support/recorded_cli.h"

#include <gmock/gmock.h>

namespace warptune::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliWhy : public RecordedCli {
 protected:
  static std::vector<std::string> why(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"why", "scale", "--shape", kScaleShape};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  void expect_refused(const std::vector<std::string>& more, int code, const std::string& part) {
    const CliResult result = cli.run(why(more));
    EXPECT_EQ(result.code, code) << testing::PrintToString(more) << result.err;
    EXPECT_THAT(result.err, HasSubstr(part));
    EXPECT_EQ(result.out, "");
  }
};

struct CliWhyShipped : testing::Test {
  CliRunner cli;
  CliWhyShipped() { cli.use_shipped(); }
};

const json* find(const json& list, const char* key, const std::string& value) {
  for (const json& one : list)
    if (one.at(key) == value) return &one;
  return nullptr;
}

// The recording of rotary has other, later roofs of the same GPU.
TEST_F(CliWhyShipped, ALaterMeasurementOfTheRoofsChangesNoVerdict) {
  const std::string db = (cli.dir() / "w.db").string();
  const std::vector<std::string> transpose = {"transpose", "--shape", "rows=16384,cols=16384", "--dtype", "bf16",
                                              "--db",      db};
  const auto run = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    const CliResult result = cli.run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  std::vector<std::string> why = {"why"}, tune = {"tune"};
  why.insert(why.end(), transpose.begin(), transpose.end());
  tune.insert(tune.end(), transpose.begin(), transpose.end());
  run(tune, {"--device", "recorded", "--profile", "best"});
  const json before = json::parse(run(why, {"--json"}));
  run({"tune", "rotary", "--shape", "seq=4096,q_heads=32,k_heads=8,head_dim=128,batch=4", "--dtype", "bf16", "--budget",
       "5"},
      {"--device", "recorded", "--db", db});
  EXPECT_EQ(json::parse(run(why, {"--json"}))["resources"], before["resources"]);
}

TEST_F(CliWhyShipped, SoftmaxExecutesTooManyInstructions) {
  std::vector<std::string> words = {"why",     "softmax", "--shape",  "rows=32768,cols=4096",
                                    "--dtype", "bf16",    "--device", "recorded"};
  const CliResult text = cli.run(words);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("A is bound by DRAM"), HasSubstr("B is bound by issue"),
                              HasSubstr("B executes 2.11x the instructions, which accounts for all of the difference."),
                              HasSubstr("implementation           registers  online"), HasSubstr("not interleaved")));
  words.emplace_back("--json");
  const json out = json::parse(cli.run(words).out);
  // 181.09 and 232.70 us in the recording; 92,798,976 and 195,821,568 instructions; 132 multiprocessors, four
  // schedulers each, at the clocks of the two timings.
  EXPECT_NEAR(out["ratio"]["value"].get<double>(), 232.70 / 181.09, 1e-3);
  EXPECT_EQ(out["cause"], "issue");
  const json* issue = find(out["resources"], "resource", "issue");
  ASSERT_NE(issue, nullptr);
  EXPECT_EQ((*issue)["a"], 92798976);
  EXPECT_EQ((*issue)["b"], 195821568);
  EXPECT_NEAR((*issue)["a_busy_us"].get<double>(), 92798976 / (132 * 4 * 1980.0), 0.01);
  EXPECT_NEAR((*issue)["b_busy_us"].get<double>(), 195821568 / (132 * 4 * 1980.0), 0.01);
  EXPECT_NEAR((*issue)["explains"].get<double>(), (187.31 - 88.77) / (232.70 - 181.09), 0.001);
  // The kernel must read and write 2 * 32768 * 4096 bytes each; the counters show 268,459,520 bytes read.
  const json* dram = find(out["resources"], "resource", "DRAM");
  ASSERT_NE(dram, nullptr);
  EXPECT_EQ((*dram)["a"], 268459520 + 268435456);
  EXPECT_EQ(out["a"]["limit"], "DRAM");
  EXPECT_EQ(out["a"]["next_limit"], "issue");
  EXPECT_EQ(out["b"]["limit"], "issue");
  EXPECT_EQ(out["a"]["launches"][0]["grid"], json({32768, 1, 1}));
  EXPECT_EQ(out["a"]["launches"][0]["registers"], 47);
  // 47 registers, so 48 of each thread: 5 blocks of 8 warps, of 64; 32768 blocks.
  EXPECT_EQ(out["a"]["launches"][0]["blocks_per_sm"], 5);
  EXPECT_NEAR(out["a"]["launches"][0]["waves"].get<double>(), 32768.0 / (5 * 132), 1e-9);
}

TEST_F(CliWhyShipped, LongRowsMoveMoreBytes) {
  const json out = json::parse(cli.run({"why", "softmax", "--shape", "rows=1024,cols=131072", "--dtype", "bf16",
                                        "--device", "recorded", "--json"})
                                   .out);
  EXPECT_EQ(out["cause"], "DRAM"); // the row is read twice: three transfers instead of two
  const json* dram = find(out["resources"], "resource", "DRAM");
  ASSERT_NE(dram, nullptr);
  EXPECT_NEAR((*dram)["b"].get<double>() / (*dram)["a"].get<double>(), 1.5, 0.01);
}

TEST_F(CliWhyShipped, TakesTheFinalsOfTheDatabase) {
  const std::string db = (cli.dir() / "w.db").string();
  const std::vector<std::string> problem = {
      "softmax", "--shape", "rows=32768,cols=4096", "--dtype", "bf16", "--device", "recorded", "--db", db, "--json"};
  const auto run = [&](const std::string& command, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {command};
    words.insert(words.end(), problem.begin(), problem.end());
    words.insert(words.end(), more.begin(), more.end());
    return json::parse(cli.run(words).out, nullptr, false);
  };
  const json tuned = run("tune");
  const json out = run("why");
  EXPECT_THAT(out["ratio"]["measured"].get<std::string>(),
              AllOf(HasSubstr("rounds of the replayed finals of session 1. The samples of a round come from the "
                              "recording and were not interleaved")));
  EXPECT_EQ(out["a"]["config_text"], tuned["best"]["config_text"]);
  EXPECT_EQ(out["a"]["time_us"], tuned["best"]["median_us"]);
  EXPECT_EQ(out["b"]["time_us"], tuned["best"]["default_us"]);
  // The other way round, the ratio is the inverse.
  const json inverse = run("why", {"default", "best"});
  EXPECT_NEAR(inverse["ratio"]["value"].get<double>() * out["ratio"]["value"].get<double>(), 1, 1e-3);
  EXPECT_EQ(inverse["cause"], "issue");
  // Without the recording, the counters are missing; the note names the file that has them.
  const CliResult stored =
      cli.run({"why", "softmax", "--shape", "rows=32768,cols=4096", "--dtype", "bf16", "--db", db});
  EXPECT_EQ(stored.code, 0) << stored.err;
  EXPECT_THAT(stored.out, AllOf(HasSubstr("because nothing was counted for A and B"), HasSubstr("--device recorded")));
}

TEST_F(CliWhy, WithoutCountersTheCauseIsNotKnown) {
  const CliResult result = cli.run(why({"--device", "recorded:" + recording}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("The cause is not known, because nothing was counted for A and B."),
                                Not(HasSubstr("accounts"))));
}

TEST_F(CliWhy, ComparesAnyTwo) {
  const json out =
      parsed(why({"--device", "recorded:" + recording, "THREADS=64,VEC=1", R"({"THREADS": 256, "VEC": 2})"}));
  EXPECT_EQ(out["a"]["what"], "as given");
  EXPECT_EQ(out["ratio"]["value"], 1.7); // 10 and 17 us
  EXPECT_EQ(out["params"],
            json::parse(R"([{"name": "THREADS", "a": "64", "b": "256"}, {"name": "VEC", "a": "1", "b": "2"}])"));
}

TEST_F(CliWhy, ParamsThatAreLeftOutKeepTheirDefaults) {
  const std::string device = "recorded:" + recording; // the default is THREADS=128,VEC=1
  const json out = parsed(why({"--device", device, "THREADS=64", "VEC=2"}));
  EXPECT_EQ(out["a"]["config"], json::parse(R"({"THREADS": 64, "VEC": 1})"));
  EXPECT_EQ(out["b"]["config"], json::parse(R"({"THREADS": 128, "VEC": 2})"));
  expect_refused({"--device", device, "THREAD=64", "best"}, 2, "has no parameter 'THREAD'; did you mean 'THREADS'?");
  expect_refused({"--device", device, "THREADS=64,THREADS=64", "best"}, 2, "'THREADS' is given twice");
}

TEST_F(CliWhy, ResultsOfOtherSourcesAreNotCompared) {
  const std::string folder = in_dir("scale");
  std::filesystem::copy(data_dir() / "specs" / "scale", folder);
  const std::vector<std::string> words = {folder, "--shape", kScaleShape, "--db", db};
  const auto run = [&](std::vector<std::string> command) {
    command.insert(command.begin() + 1, words.begin(), words.end());
    return cli.run(command);
  };
  ASSERT_EQ(run({"tune", "--device", "recorded:" + recording}).code, 0);
  const std::vector<std::string> two = {"why", "THREADS=64,VEC=1", "THREADS=64,VEC=2"};
  EXPECT_EQ(run(two).code, 0);
  std::ofstream(folder + "/kernel.cu", std::ios::app) << "// changed\n";
  const CliResult changed = run(two);
  EXPECT_EQ(changed.code, 4);
  EXPECT_THAT(changed.err, HasSubstr("from the present sources"));
}

TEST_F(CliWhy, ComparesTheLinesOfStoredSamples) {
  ASSERT_EQ(tune({"--db", db}).code, 0);
  const auto store = [&](const std::string& config, const std::string& name) {
    Writer writer = *Writer::open(db);
    const std::string text = read_text(data_dir() / "report" / name);
    ASSERT_TRUE(writer.add(1, config, {{}, {}, text}));
  };
  const std::vector<std::string> words = why({"--db", db, "THREADS=64,VEC=1", "THREADS=256,VEC=1"});
  store("THREADS=64,VEC=1", "samples_best.json");
  EXPECT_EQ(parsed(words)["lines"], json::array()) << "B was not sampled";
  store("THREADS=256,VEC=1", "samples_default.json");
  const json lines = parsed(words)["lines"];
  ASSERT_EQ(lines.size(), 3U);
  // 10 and 16 us; 10 % and 70 % of the samples.
  EXPECT_EQ(lines[0]["line"], 5);
  EXPECT_NEAR(lines[0]["a_us"].get<double>(), 1.0, 1e-6);
  EXPECT_NEAR(lines[0]["b_us"].get<double>(), 11.2, 1e-6);
  EXPECT_NEAR(lines[0]["explains"].get<double>(), 1.7, 1e-6);
  EXPECT_EQ(lines[1]["a_stall"], "long_scoreboard");
  EXPECT_EQ(lines[1]["b_stall"], "lg_throttle");
  const CliResult text = cli.run(words);
  EXPECT_THAT(text.out, HasSubstr("kernel.cu:5"));
  EXPECT_THAT(text.out, HasSubstr("const long long first"));
  store("THREADS=256,VEC=1", "../specs/scale/kernel.cu");
  EXPECT_THAT(cli.run(words).out, HasSubstr("the stored samples are damaged"));
}

TEST_F(CliWhy, AWinnerThatIsTheDefaultHasNothingToCompare) {
  Recording same = scale_recording();
  std::swap(same.trials[0].timing, same.trials[3].timing); // the default is the fastest
  ASSERT_TRUE(save_recording(same, recording));
  expect_refused({"--device", "recorded:" + recording}, 4, "the winner is the default, THREADS=128,VEC=1");
}

TEST_F(CliWhy, RefusesWithWhatToDo) {
  const std::string device = "recorded:" + recording;
  expect_refused({"--db", db}, 5, "there is no database, so there are no cold-L2 results of scale rows=64,cols=1024");
  ASSERT_TRUE(Writer::open(db));
  expect_refused({"--db", db}, 4, "the database has no cold-L2 results of scale rows=64,cols=1024");
  expect_refused({"--device", device, "best"}, 2, "name two configurations, A and B, or name none");
  expect_refused({"--device", device, "best", "THREADS=64,VEC=1"}, 2,
                 "both are the same configuration, THREADS=64,VEC=1");
  expect_refused({"--device", device, "best", "THREADS=256,VEC=4"}, 4,
                 "B has no time, because it failed (wrong_result)");
  expect_refused({"--device", device, "best", "THREADS=65,VEC=1"}, 2, "THREADS");
  expect_refused({"--device", device, "--warm-l2"}, 2,
                 "the recording was made with a cold L2 cache; leave out --warm-l2");
  expect_refused({"--device", device, "--profile"}, 2, "--profile reads counters on a GPU");
  expect_refused({"--profile"}, 3, "use --device recorded to replay recordings");
  expect_refused({"--device", device, "a", "b", "c"}, 2, "");
  // A configuration that a short search did not measure.
  ASSERT_EQ(tune({"--db", db, "--budget", "2", "--seed", "1"}).code, 0);
  const CliResult left_out = cli.run(why({"--db", db, "THREADS=64,VEC=1", "THREADS=128,VEC=4"}));
  const CliResult other = cli.run(why({"--db", db, "THREADS=64,VEC=2", "THREADS=256,VEC=1"}));
  EXPECT_TRUE(left_out.code == 4 || other.code == 4) << left_out.err << other.err;
  EXPECT_THAT(left_out.err + other.err, HasSubstr("was not measured: THREADS="));
}

} // namespace
} // namespace warptune::test
