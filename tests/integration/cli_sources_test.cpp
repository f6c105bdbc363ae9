// The sources that a command uses: implementations and headers from other folders (--also, --include), the messages
// about them, and results of other sources.
#include "jit/template_store.h"
#include "recording/recorded_params.h"
#include "spec/config.h"
#include "support/run_cli.h"
#include "support/scale_recording.h"
#include "support/twice_kernel.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

constexpr const char* kFurther = R"({"params": {}, "summary": "in\ntwo lines",
  "launches": [{"kernel": "k", "grid": ["n"], "block": [1], "args": ["x", "y"]}]})";

struct Sources : testing::Test {
  Sources() {
    write_twice_kernel(kernel, "twice", R"("format": 2,)", "__global__ void k(float* x, float* y) {}\n");
    for (const fs::path& folder : {mine, other}) {
      fs::create_directories(folder);
      write_file(folder / "implementation.json", kFurther);
      write_file(folder / "kernel.cu", "__global__ void k(float* x, float* y) { }\n");
    }
  }
  // Tunes the kernel with `mine`, which is faster.
  void tune() {
    const auto loaded = TemplateStore({}).load(kernel.string(), {mine.string()});
    ASSERT_TRUE(loaded) << loaded.error().message;
    Recording r = scale_recording();
    r.kernel = "twice";
    r.source_hash = loaded->source_hash;
    r.problem = "n=64;fp32";
    r.trials.resize(2);
    for (std::size_t i = 0; i < 2; ++i) r.trials[i].config = default_config(loaded->spec, i);
    r.trials[1].timing->samples_us.assign(7, 5.F);
    r.trials[1].timing->median_us = r.trials[1].timing->ci_low_us = r.trials[1].timing->ci_high_us = 5;
    describe_params(loaded->spec, r);
    const std::string recording = (cli.dir() / "twice.json").string();
    ASSERT_TRUE(save_recording(r, recording));
    const CliResult tuned = cli.run({"tune", kernel.string(), "--shape", "n=64", "--device", "replay:" + recording,
                                     "--also", mine.string(), "--db", db});
    ASSERT_EQ(tuned.code, 0) << tuned.err;
  }
  json verified(std::vector<std::string> more) const {
    more.insert(more.begin(), {"verify", "--device", "none", "--db", db, "--kernel", kernel.string(), "--json"});
    const CliResult result = cli.run(more);
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    return json::parse(result.out, nullptr, false);
  }

  CliRunner cli;
  fs::path kernel = cli.dir() / "twice", mine = cli.dir() / "mine", other = cli.dir() / "other";
  const std::string db = (cli.dir() / "w.db").string();
};

TEST_F(Sources, VerifyTakesAFurtherImplementation) {
  tune();
  const json with = verified({"--also", mine.string()}), without = verified({});
  EXPECT_THAT(with.dump(), Not(HasSubstr("were not compared")));
  EXPECT_THAT(
      without.dump(),
      HasSubstr("the stored sources of twice were not compared with the current ones: the results were tuned with the "
                "implementation mine, which the folder of twice does not have; give the "
                "folder of mine with --also"));
  for (const json& said : {with, without}) EXPECT_THAT(said.dump(), Not(HasSubstr("sources changed")));
  write_file(mine / "kernel.cu", "// another\n");
  const CliResult changed =
      cli.run({"verify", "--device", "none", "--db", db, "--kernel", kernel.string(), "--also", mine.string()});
  EXPECT_EQ(changed.code, 1);
  EXPECT_THAT(changed.out, HasSubstr("the kernel's sources changed"));
  const CliResult unnamed = cli.run({"verify", "--db", db, "--also", mine.string()});
  EXPECT_EQ(unnamed.code, 2);
  EXPECT_THAT(unnamed.err, HasSubstr("--also needs --kernel"));
}

TEST_F(Sources, VerifySaysWhichHeadersAreMissing) {
  tune();
  write_twice_kernel(kernel, "twice", R"("format": 2, "include": ["tools"],)", "#include <tools/a.h>\n");
  const CliResult result = cli.run({"verify", "--device", "none", "--db", db, "--kernel", kernel.string()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("twice includes headers of 'tools'"), HasSubstr("--include DIR")));
}

TEST_F(Sources, PackTakesAFurtherImplementation) {
  tune();
  const auto pack = [&](const fs::path& folder) {
    return cli.run({"pack", "--db", db, "--kernels", kernel.string(), "--also", folder.string(), "--no-compile", "-o",
                    (cli.dir() / "ops.wtpack").string()});
  };
  const CliResult none = pack(other);
  EXPECT_EQ(none.code, 4);
  EXPECT_THAT(none.err, HasSubstr("nothing of twice was tuned with these sources"));
  const CliResult made = pack(mine);
  EXPECT_EQ(made.code, 1) << made.err;
  EXPECT_THAT(made.err, HasSubstr("ops.wtpack contains no cubin"));
  EXPECT_THAT(cli.run({"show", "best", "--db", (cli.dir() / "ops.wtpack").string(), "--json"}).out,
              HasSubstr("implementation=mine"));
}

TEST_F(Sources, AJobOfASweepNamesFurtherImplementationsBesideTheFile) {
  const auto preview = [&](const std::string& keys) {
    write_file(cli.dir() / "s.json",
               R"({"warptune_sweep": 1, "jobs": [{"kernel": "./twice", "shapes": ["n=64"])" + keys + "}]}");
    return cli.run({"sweep", (cli.dir() / "s.json").string(), "--dry-run", "--json"});
  };
  EXPECT_EQ(json::parse(preview("").out, nullptr, false)["to_try"], 1);
  EXPECT_EQ(json::parse(preview(R"(, "also": ["mine"])").out, nullptr, false)["to_try"], 2);
  EXPECT_EQ(json::parse(preview(R"(, "also": ["./mine", "other"])").out, nullptr, false)["to_try"], 3);
  EXPECT_THAT(preview(R"(, "also": ["no"])").err, HasSubstr((cli.dir() / "no").string() + ": no readable"));
  EXPECT_THAT(preview(R"(, "also": "mine")").err, HasSubstr("at /jobs/0/also"));
  EXPECT_THAT(preview(R"(, "also": [1])").err, HasSubstr("at /jobs/0/also/0"));
}

TEST_F(Sources, AnErrorNamesTheTrueFile) {
  const auto error = [&] { return cli.run({"kernels", kernel.string(), "--also", mine.string()}).err; };
  fs::remove(mine / "kernel.cu");
  EXPECT_THAT(error(), HasSubstr(mine.string() + ": cannot read 'kernel.cu' (no such file); create it, or correct "
                                                 "\"source\" in implementation.json"));
  write_file(mine / "implementation.json", R"({"launches": 3})");
  EXPECT_THAT(error(), HasSubstr((mine / "implementation.json").string() + ": at /"));
}

TEST_F(Sources, AFolderOfHeadersThatIsNotUsedIsANote) {
  const std::string note = "--include is not used: twice does not declare \"include\"";
  const std::vector<std::string> include = {"--include", cli.dir().path().string()};
  for (const char* command : {"kernels", "space", "explain"}) {
    std::vector<std::string> words = {command, kernel.string(), include[0], include[1]};
    if (std::string(command) != "kernels") words.insert(words.end(), {"--shape", "n=64", "--arch", "sm_90"});
    const CliResult result = cli.run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr(note)) << command;
  }
  write_file(cli.dir() / "s.json", R"({"warptune_sweep": 1, "jobs": [{"kernel": "./twice", "shapes": ["n=64"]}]})");
  EXPECT_THAT(cli.run({"sweep", (cli.dir() / "s.json").string(), "--dry-run", include[0], include[1]}).out,
              HasSubstr("--include is not used: no kernel of this sweep"));
}

TEST_F(Sources, KernelsShowsDefaultsAndTheTextOfASpecOnOneLine) {
  const std::string text = cli.run({"kernels", kernel.string(), "--also", mine.string()}).out;
  EXPECT_THAT(text, AllOf(HasSubstr("implementation main (default)"), HasSubstr("implementation mine: in\\ntwo lines"),
                          HasSubstr("dtypes: fp32 (default fp32)")));
  CliRunner shipped;
  shipped.set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string());
  const json gemm = json::parse(shipped.run({"kernels", "gemm", "--json"}).out, nullptr, false);
  EXPECT_EQ(gemm["default_implementation"], gemm["implementations"][0]["name"]);
  for (const json& flag : gemm["flags"]) EXPECT_EQ(flag["default"], flag["values"][0]);
  const CliResult asked = shipped.run({"space", "gemm"});
  EXPECT_EQ(asked.code, 2);
  EXPECT_THAT(asked.err, AllOf(HasSubstr("gemm needs --shape m=N,n=N,k=N"), Not(HasSubstr("batch=N"))));
}

TEST_F(Sources, ASpaceCountsTheCombinationsOfEachImplementation) {
  CliRunner shipped;
  shipped.set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string());
  const json kernels = json::parse(shipped.run({"kernels", "softmax", "--json"}).out, nullptr, false);
  const std::vector<std::string> words = {"space", "softmax", "--shape", "rows=64,cols=1000", "--arch", "sm_90a"};
  std::vector<std::string> as_json = words;
  as_json.emplace_back("--json");
  const json space = json::parse(shipped.run(as_json).out, nullptr, false);
  EXPECT_EQ(space["combinations"], kernels["combinations"]);
  ASSERT_FALSE(space["rejections"].empty());
  for (const json& rejection : space["rejections"]) EXPECT_TRUE(rejection.contains("implementation")) << rejection;
  EXPECT_THAT(shipped.run(words).out,
              AllOf(HasSubstr("combinations of 4 implementations"), HasSubstr("rejected  implementation  constraint")));
}

TEST_F(Sources, ARecordingOfAReplayOfOtherSourcesIsNoBetter) {
  Recording foreign = scale_recording();
  foreign.source_hash = "another";
  const std::string first = (cli.dir() / "first.json").string(), second = (cli.dir() / "second.json").string();
  ASSERT_TRUE(save_recording(foreign, first));
  const auto tuned = [&](const std::string& recording, const std::string& file) {
    const CliResult result = cli.run({"tune", "scale", "--shape", kScaleShape, "--device", "replay:" + recording,
                                      "--db", (cli.dir() / file).string(), "--json", "--baseline"});
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  };
  const json foreign_result = tuned(first, "a.db");
  EXPECT_EQ(foreign_result["best"]["certified"], false);
  EXPECT_THAT(foreign_result["notes"].dump(), HasSubstr("no implementation of scale calls a library"));
  const CliResult recorded = cli.run({"record", "scale", "--db", (cli.dir() / "a.db").string(), "-o", second});
  ASSERT_EQ(recorded.code, 0) << recorded.err;
  EXPECT_THAT(recorded.out, HasSubstr("replayed an older recording, whose kernel sources are unknown or differ"));
  const json again = tuned(second, "b.db");
  EXPECT_EQ(again["best"]["certified"], false) << again["best"];
  EXPECT_THAT(again["notes"].dump(), HasSubstr("the recording does not name the sources"));
  // A recording of this replay has no better sources either.
  const std::string third = (cli.dir() / "third.json").string();
  ASSERT_EQ(cli.run({"record", "scale", "--db", (cli.dir() / "b.db").string(), "-o", third}).code, 0);
  EXPECT_EQ(tuned(third, "e.db")["best"]["certified"], false);
  // If the recording is of the kernel's own sources, `certified` does not change.
  const std::string own = (cli.dir() / "own.json").string(), copy = (cli.dir() / "copy.json").string();
  save_scale_recording(own);
  const json certified = tuned(own, "c.db")["best"]["certified"];
  ASSERT_EQ(cli.run({"record", "scale", "--db", (cli.dir() / "c.db").string(), "-o", copy}).code, 0);
  EXPECT_EQ(tuned(copy, "d.db")["best"]["certified"], certified);
}

TEST_F(Sources, ExplainSaysThatAnApplicationHasOtherSources) {
  tune();
  const auto said = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"explain",  kernel.string(), "--shape", "n=64",
                                      "--device", "NVIDIA H200",   "--db",    db};
    words.insert(words.end(), more.begin(), more.end());
    return cli.run(words).out;
  };
  EXPECT_THAT(said({}), HasSubstr("an application that opens this database launches twice from the stored sources"));
  EXPECT_THAT(said({"--also", mine.string()}), Not(HasSubstr("an application that opens this database")));
}

} // namespace
} // namespace warptune
