// The winners of the recorded matrix products as one pack, as `make demo` shows them, checked for every product.
#include "jit/compiler.h"
#include "support/run_cli.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using nlohmann::json;
using test::CliResult;
using test::CliRunner;
using test::share_dir;

struct PackedWinners : testing::Test {
  CliRunner cli;
  const std::string db = (cli.dir() / "w.db").string(), pack = (cli.dir() / "gemm.wtpack").string();

  PackedWinners() { cli.use_shipped(); }
  json parsed(std::vector<std::string> words) const {
    words.emplace_back("--json");
    const CliResult result = cli.run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }
};

TEST_F(PackedWinners, ServeEveryRecordedProductWithinTheCover) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const json sweep = parsed({"sweep", "recorded", "--devices", "recorded", "--db", db});
  ASSERT_EQ(sweep["jobs"].size(), 13U);
  const json made = parsed({"pack", "--db", db, "--kernels", "gemm", "--extra", "0", "--programs", "0", "-o", pack});
  ASSERT_EQ(made["variants"].size(), 1U);
  EXPECT_EQ(made["variants"][0]["shapes"], 13);
  EXPECT_LE(made["variants"][0]["worst_loss"].get<double>(), 0.03);
  EXPECT_LT(made["variants"][0]["configs"], 13) << "one configuration serves several products";

  for (const json& job : sweep["jobs"]) {
    const std::string problem = job["best"]["problem"];
    SCOPED_TRACE(problem);
    const json chosen = parsed({"explain", "gemm", "--shape", problem.substr(0, problem.find(';')), "--dtype", "bf16",
                                "--set", "layout=nt", "--db", pack, "--device", "NVIDIA H200", "--allow-vendor"});
    EXPECT_EQ(chosen["match"], "exact");
    // The cover uses the times of the search; those of the finals differ a little.
    EXPECT_LE(chosen["median_us"].get<double>(), 1.05 * job["best"]["median_us"].get<double>());
  }
  EXPECT_EQ(cli.run({"pack", "check", pack}).code, 0);
}

} // namespace
} // namespace warptune
