// A kernel over groups of rows, whose sizes are a list, from a recording to a database, a report and a pack.
#include "jit/template_store.h"
#include "recording/recording.h"
#include "runtime/misses.h"
#include "support/run_cli.h"

#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace warptune::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const std::string kFolder = (data_dir() / "kernels" / "grouped_scale").string();

// BY_GROUP=1,THREADS=64 is the fastest; times grow with the number of elements.
void save_recording_of(const std::string& shape, const std::filesystem::path& file) {
  const auto kernel = TemplateStore({}).load(kFolder);
  if (!kernel) throw std::runtime_error(kernel.error().message);
  const auto problem = make_problem(kernel->spec, shape, "", {});
  if (!problem) throw std::runtime_error(problem.error().message);
  Recording r;
  r.kernel = kernel->spec.name;
  r.source_hash = kernel->source_hash;
  r.problem = problem_key(kernel->spec, *problem);
  r.device = h200_device();
  r.device.compiler = "NVRTC 13.0";
  r.device.driver = "580.1";
  r.recorded_at = "2026-01-01T00:00:00Z";
  r.version = "0.1.0";
  r.strategy = "exhaustive";
  r.param_names = {"THREADS", "BY_GROUP"};
  for (const std::int64_t threads : {64, 128})
    for (const std::int64_t by_group : {0, 1}) {
      Trial t;
      t.config = {threads, by_group};
      t.index = static_cast<ConfigIndex>(r.trials.size());
      t.status = TrialStatus::ok;
      t.verdict = Verdict{true, 0, 0, 0, 0, 0, "y", ""};
      const double us = (by_group != 0 ? 10 : 20) + static_cast<double>(threads) / 64;
      Timing timing;
      timing.median_us = timing.ci_low_us = timing.ci_high_us = timing.min_us = us;
      timing.samples_us.assign(7, static_cast<float>(us));
      t.timing = timing;
      r.trials.push_back(std::move(t));
    }
  if (const auto saved = save_recording(r, file); !saved) throw std::runtime_error(saved.error().message);
}

struct CliLists : testing::Test {
  CliRunner cli;
  const std::string db = (cli.dir() / "w.db").string();

  CliLists() { cli.set("WARPTUNE_DB", db); }
  CliResult tune(const std::string& recorded, const std::string& typed) {
    const std::string file = (cli.dir() / "recording.json").string();
    save_recording_of(recorded, file);
    return cli.run({"tune", kFolder, "--shape", typed, "--device", "replay:" + file});
  }
  std::string explained(const std::string& shape) {
    const CliResult result = cli.run({"explain", kFolder, "--shape", shape, "--device", "NVIDIA H200"});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }
};

TEST_F(CliLists, AreTunedStoredFoundAndReported) {
  const CliResult tuned = tune("rows=zipf(8,512,1)", " rows = zipf( 8, 512, 1, 1.0 )");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("rows=zipf(8,512,1),cols=64;fp32"));

  EXPECT_THAT(explained("rows=zipf(8,512,1)"), HasSubstr("tuned for exactly this problem"));
  // zipf(8,512,1) has the sizes 189, 95, 63, 48, 37, 31, 26 and 23 in some order.
  EXPECT_THAT(explained("rows=[189,95,63,48,37,31,26,23]"),
              AllOf(HasSubstr("whose lists have the same count"), HasSubstr("BY_GROUP=1")));
  EXPECT_THAT(explained("rows=equal(8,70)"), HasSubstr("nearest shape"));

  const CliResult shown = cli.run({"show", "sessions", "--json"});
  EXPECT_THAT(shown.out, HasSubstr("rows=zipf(8,512,1),cols=64;fp32"));
  const CliResult reported = cli.run({"report", "--kernel", kFolder, "--shape", "rows=zipf(8,512,1)", "--json"});
  EXPECT_EQ(reported.code, 0) << reported.err;
  EXPECT_EQ(json::parse(reported.out, nullptr, false)["views"].size(), 1U) << reported.out.substr(0, 500);
  const CliResult csv = cli.run({"report", "--csv", (cli.dir() / "r.csv").string()});
  EXPECT_EQ(csv.code, 0) << csv.err;
  EXPECT_THAT(read_text(cli.dir() / "r.csv"), HasSubstr("\"rows=zipf(8,512,1),cols=64;fp32\""));
  const CliResult verified =
      cli.run({"verify", "--kernel", "grouped_scale", "--shape", "rows=equal(8,70)", "--dry-run"});
  EXPECT_THAT(verified.out + verified.err, testing::Not(HasSubstr("zipf")));

  const std::string merged = (cli.dir() / "merged.db").string();
  EXPECT_EQ(cli.run({"merge", "-o", merged, db}).code, 0);
  const std::string pack = (cli.dir() / "ops.wtpack").string();
  const CliResult packed = cli.run({"pack", "--db", merged, "-o", pack});
  EXPECT_EQ(packed.code, 0) << packed.err;
  const CliResult checked = cli.run({"pack", "--check", pack});
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  const CliResult from_pack = cli.run({"explain", "grouped_scale", "--shape", "rows=[189,95,63,48,37,31,26,23]", "--db",
                                       pack, "--device", "NVIDIA H200"});
  EXPECT_EQ(from_pack.code, 0) << from_pack.err;
  EXPECT_THAT(from_pack.out, HasSubstr("BY_GROUP=1"));
}

TEST_F(CliLists, ALongListIsRecordedAndFoundAgain) {
  std::string shape = "rows=[7";
  for (int i = 1; i < 4000; ++i) shape += "," + std::to_string(i % 10);
  const CliResult tuned = tune(shape + "]", shape + "]");
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("grouped_scale rows=[7,1,2, ... 4000 sizes],cols=64;fp32 on"));
  EXPECT_LT(tuned.out.size() + tuned.err.size(), 12'000U) << "the list stands only in the commands that are proposed";
  EXPECT_LT(explained("rows=equal(4000,7)").size(), 1500U) << "the nearest shape is named";
  EXPECT_THAT(cli.run({"space", kFolder, "--shape", shape + "]"}).out, HasSubstr("... 4000 sizes]"));
  EXPECT_LT(cli.run({"verify", "--device", "none"}).out.size(), 1500U);
  EXPECT_EQ(cli.run({"record", kFolder, "--shape", shape + "]", "-o", (cli.dir() / "again.json").string()}).code, 0);
  EXPECT_EQ(cli.run({"tune", kFolder, "--shape", shape + "]", "--device", "replay:" + cli.dir().path().string(), "--db",
                     (cli.dir() / "second.db").string()})
                .code,
            0);
}

TEST_F(CliLists, RecordReplacesNoRecordingOfAnotherProblem) {
  const auto here = [&] { std::filesystem::current_path(cli.dir().path()); };
  const std::string begin = "rows=[100,200,300,400,500,600,700,800,900,1000,1100,1200,1300,1400,1500,1600,1700,1800,";
  std::vector<std::string> files;
  for (const char* end : {"19]", "20]"}) {
    ASSERT_EQ(tune(begin + end, begin + end).code, 0);
    const CliResult recorded = cli.run({"record", kFolder, "--shape", begin + end, "--json"}, here);
    ASSERT_EQ(recorded.code, 0) << recorded.err;
    files.push_back(json::parse(recorded.out).at("file"));
    EXPECT_EQ(cli.run({"record", kFolder, "--shape", begin + end}, here).code, 0) << "its own";
  }
  EXPECT_NE(files[0], files[1]);
  save_recording_of("rows=[1,2]", cli.dir() / files[0]);
  const CliResult refused = cli.run({"record", kFolder, "--shape", begin + "19]"}, here);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("is a recording of grouped_scale rows=[1,2]"), HasSubstr("-o")));
  EXPECT_EQ(cli.run({"record", kFolder, "--shape", begin + "19]", "-o", files[0]}, here).code, 0);
}

TEST_F(CliLists, SweepsTakeThemInShapesAndSuites) {
  const std::string file = (cli.dir() / "sweep.json").string();
  std::ofstream(file) << R"({"warptune_sweep": 1, "jobs": [{"kernel": ")" << kFolder
                      << R"json(", "shapes": ["rows=[1,2,3]", "rows=spread(4,100,50,0)"], "suite": "default"}]})json";
  const CliResult preview = cli.run({"sweep", file, "--dry-run"});
  EXPECT_EQ(preview.code, 0) << preview.err;
  for (const char* text : {"rows=[1,2,3]", "rows=spread(4,100,50,0)", "rows=zipf(64,4096,1)", "rows=equal(8,512)"})
    EXPECT_THAT(preview.out, HasSubstr(text));
}

TEST_F(CliLists, WhatAnApplicationMissedIsTunedByItsNumbers) {
  cli.set("WARPTUNE_TEMPLATES", (data_dir() / "kernels").string());
  const auto kernel = TemplateStore({}).load(kFolder);
  ASSERT_TRUE(kernel) << kernel.error().message;
  const auto problem = make_problem(kernel->spec, Shape{3, 100, 50, 20, 64}, DType::fp32, {});
  ASSERT_TRUE(problem) << problem.error().message;
  Misses misses;
  misses.add(kernel->spec, *problem);
  const std::string file = (cli.dir() / "misses.json").string();
  ASSERT_TRUE(misses.write(file));
  ASSERT_TRUE(misses.write(file)); // the file must be readable again
  const CliResult preview = cli.run({"sweep", file, "--dry-run"});
  EXPECT_EQ(preview.code, 0) << preview.err;
  EXPECT_THAT(preview.out, HasSubstr("rows=spread(3,100,50,20)"));
}

TEST_F(CliLists, HelpSaysHowToWriteThem) {
  EXPECT_THAT(cli.run({"tune", kFolder}).err,
              HasSubstr("rows=[N,...], for example --shape 'rows=zipf(64,4096,1)'")); // cols is fixed
  EXPECT_THAT(cli.run({"tune", kFolder, "--shape", "rows=3"}).err, HasSubstr("'3' is not a list"));
  EXPECT_THAT(cli.run({"kernels", kFolder}).out, HasSubstr("a list of at most 4096"));
  EXPECT_THAT(cli.run({"space", kFolder, "--shape", "rows=[3]", "--json"}).out, HasSubstr("\"rows\": \"[3]\""));
}

TEST_F(CliLists, AShapeThatTheSourceFixesIsNotAskedFor) {
  const std::filesystem::path folder = cli.dir() / "fixed";
  std::filesystem::copy(data_dir() / "specs" / "scale", folder);
  json spec = json::parse(read_text(folder / "spec.json"), nullptr, false, true);
  spec["format"] = 2;
  spec["problem"]["dims"] = {{"rows", {{"value", 64}}}, {"cols", {{"value", 1024}}}};
  spec.erase("suites");
  std::ofstream(folder / "spec.json") << spec.dump();
  const CliResult space = cli.run({"space", folder.string()});
  EXPECT_EQ(space.code, 0) << space.err;
  EXPECT_EQ(cli.run({"explain", folder.string(), "--arch", "sm_90a"}).code, 0);
  EXPECT_THAT(cli.run({"explain", folder.string(), "--shape", "rows=65"}).err, HasSubstr("rows is fixed to 64"));
  const std::string file = (cli.dir() / "sweep.json").string();
  std::ofstream(file) << R"({"warptune_sweep": 1, "jobs": [{"kernel": ")" << folder.string() << "\"}]}";
  // In the order of keys in JSON objects.
  EXPECT_THAT(cli.run({"sweep", file, "--dry-run"}).out, HasSubstr("cols=1024,rows=64;"));
}

} // namespace
} // namespace warptune::test
