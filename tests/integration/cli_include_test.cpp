// --include: where the headers of other projects are that a kernel's sources include.
#include "support/run_cli.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

namespace fs = std::filesystem;

struct Include : testing::Test {
  Include() {
    fs::create_directories(kernel);
    fs::create_directories(headers / "tools");
    fs::create_directories(other);
    write(kernel / "spec.json", R"({"format": 2, "name": "twice", "summary": "y = 2 x", "include": ["tools"],
      "problem": {"dims": {"n": {}}, "dtypes": ["fp32"]},
      "arguments": {"x": {"buffer": "fp32", "count": "n", "role": "input"},
                    "y": {"buffer": "fp32", "count": "n", "role": "output"}},
      "launches": [{"kernel": "k", "grid": ["n"], "block": [1], "args": ["x", "y"]}],
      "reference": {"launches": [{"kernel": "r", "grid": ["n"], "block": [1], "args": ["x", "y"]}]},
      "cost": {"bytes_read": "4 * n", "bytes_written": "4 * n", "flops": {"fp32": "n"}},
      "tolerance": {"default": {"rtol": 1e-6}}})");
    write(kernel / "kernel.cu",
          "#include <tools/factor.h>\n__global__ void k(float* x, float* y) { *y = kTwo * *x; }\n");
    write(kernel / "reference.cu", "__global__ void r(float* x, float* y) { *y = 2 * *x; }\n");
    write(headers / "tools" / "factor.h", "constexpr float kTwo = 2;\n");
  }

  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

  // Of a command without a GPU, with what follows KERNEL.
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
  write(cli.dir() / "sweep.json",
        R"({"warptune_sweep": 1, "jobs": [{"kernel": ")" + kernel.string() + R"(", "shapes": ["n=64"]}]})");
  const CliResult swept =
      cli.run({"sweep", (cli.dir() / "sweep.json").string(), "--dry-run", "--include", headers.string()});
  EXPECT_EQ(swept.code, 0) << swept.err;
}

TEST_F(Include, TheCommandThatIsProposedNamesTheFolder) {
  EXPECT_THAT(run("explain", {"--include", headers.string()}).out,
              HasSubstr("warptune tune " + kernel.string() + " --shape n=64 --include " + headers.string()));
}

TEST_F(Include, TheFoldersOfTheEnvironmentComeFirst) {
  fs::create_directories(other / "tools");
  write(other / "tools" / "factor.h", "constexpr float kTwo = 2.0f;\n");
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
  const std::string needed = "twice includes headers of 'tools'; give the folder that holds 'tools' with --include DIR";
  refused({}, HasSubstr(needed));
  refused({"--include", other.string()}, HasSubstr(needed + " (given: " + other.string() + ")"));
  fs::remove(headers / "tools" / "factor.h");
  refused({"--include", headers.string()},
          AllOf(HasSubstr("kernel.cu includes 'tools/factor.h'"), HasSubstr(headers.string())));
}

} // namespace
} // namespace warptune
