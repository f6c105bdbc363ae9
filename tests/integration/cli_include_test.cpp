// --include: the folders of other projects' headers that a kernel's sources include.
#include "jit/template_store.h"
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

struct Include : testing::Test {
  Include() {
    write_twice_kernel(kernel, "twice", R"("format": 2, "include": ["tools"],)",
                       "#include <tools/factor.h>\n__global__ void k(float* x, float* y) { *y = kTwo * *x; }\n");
    fs::create_directories(headers / "tools");
    fs::create_directories(other);
    write_file(headers / "tools" / "factor.h", "constexpr float kTwo = 2;\n");
  }

  // Runs a command without a GPU; `words` follow KERNEL.
  CliResult run(const std::string& command, std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {command, kernel.string()});
    if (command != "kernels") words.insert(words.end(), {"--shape", "n=64", "--arch", "sm_90"});
    return cli.run(words);
  }

  CliRunner cli;
  fs::path kernel = cli.dir() / "twice", headers = cli.dir() / "headers", other = cli.dir() / "other";
};

TEST_F(Include, EveryCommandThatTakesAKernelFindsTheHeaders) {
  for (const char* command : {"kernels", "space", "explain"}) {
    const CliResult found = run(command, {"--include", other.string(), "--include", headers.string()});
    EXPECT_EQ(found.code, 0) << command << found.err;
    EXPECT_THAT(found.out, HasSubstr("twice")) << command;
  }
  write_file(cli.dir() / "sweep.json",
             R"({"warptune_sweep": 1, "jobs": [{"kernel": ")" + kernel.string() + R"(", "shapes": ["n=64"]}]})");
  const CliResult swept =
      cli.run({"sweep", (cli.dir() / "sweep.json").string(), "--dry-run", "--include", headers.string()});
  EXPECT_EQ(swept.code, 0) << swept.err;
}

TEST_F(Include, TheCommandThatIsProposedNamesTheFolder) {
  EXPECT_THAT(run("explain", {"--include", headers.string()}).out,
              HasSubstr("warptune tune " + kernel.string() + " --shape n=64 --include " + headers.string()));
}

TEST_F(Include, VerifyFindsTheSourcesOfAResult) {
  CliRunner store;
  store.set("WARPTUNE_TEMPLATES", cli.dir().path().string()); // so that the kernel is found by its name
  const std::string recording = (store.dir() / "twice.json").string(), db = (store.dir() / "w.db").string();
  Recording r = scale_recording();
  const auto loaded = TemplateStore({}, {headers}).load(kernel.string());
  ASSERT_TRUE(loaded) << loaded.error().message;
  r.kernel = "twice";
  r.source_hash = loaded->source_hash;
  r.problem = "n=64;fp32";
  r.param_names.clear();
  r.trials.resize(1);
  r.trials.front().config.clear();
  ASSERT_TRUE(save_recording(r, recording));
  const std::vector<std::string> tune = {
      "tune", "twice", "--shape", "n=64", "--device", "replay:" + recording, "--include", headers.string(), "--db", db};
  const CliResult tuned = store.run(tune);
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const auto verified = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"verify", "--device", "none", "--db", db});
    const CliResult result = store.run(more);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  EXPECT_THAT(verified({}), HasSubstr("the stored sources of twice were not compared"));
  EXPECT_THAT(verified({"--include", headers.string()}), Not(HasSubstr("not compared")));
  EXPECT_THAT(verified({"--kernel", kernel.string(), "--include", headers.string()}), HasSubstr("1 result"));
}

TEST_F(Include, TheFoldersOfTheEnvironmentComeFirst) {
  fs::create_directories(other / "tools");
  write_file(other / "tools" / "factor.h", "constexpr float kTwo = 2.0f;\n");
  const auto hash = [&](const CliRunner& runner, const std::vector<std::string>& options) {
    std::vector<std::string> words = {"kernels", kernel.string(), "--json"};
    words.insert(words.end(), options.begin(), options.end());
    const CliResult result = runner.run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? json::parse(result.out)["source_hash"].get<std::string>() : std::string();
  };
  CliRunner with_variable;
  with_variable.set("WARPTUNE_INCLUDE", other.string());
  const std::string of_headers = hash(cli, {"--include", headers.string()}), of_other = hash(with_variable, {});
  EXPECT_NE(of_headers, of_other);
  EXPECT_EQ(hash(with_variable, {"--include", headers.string()}), of_other);
}

TEST_F(Include, AHeaderThatIsNowhereIsOneSentence) {
  const auto refused = [&](const std::vector<std::string>& options, const auto& expected) {
    for (const char* command : {"kernels", "space", "explain"}) {
      const CliResult result = run(command, options);
      EXPECT_EQ(result.code, 2) << command;
      EXPECT_EQ(result.out, "") << command;
      EXPECT_THAT(result.err, expected) << command;
    }
  };
  const std::string needed =
      "twice includes headers of 'tools'; name the folder that contains 'tools' with --include DIR";
  refused({}, HasSubstr(needed));
  refused({"--include", other.string()}, HasSubstr(needed + " (given: " + other.string() + ")"));
  fs::remove(headers / "tools" / "factor.h");
  refused({"--include", headers.string()},
          AllOf(HasSubstr("kernel.cu includes 'tools/factor.h'"), HasSubstr(headers.string())));
}

} // namespace
} // namespace warptune
