// `explain` for buffers with less alignment than kernels need: the configuration that an application gets, and the
// smallest alignment that works.
#include "support/paths.h"
#include "support/run_cli.h"
#include "support/temp_dir.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kAxpy = {"explain", "axpy", "--shape", "n=1000003", "--arch", "sm_90"};

CliResult explain(const CliRunner& cli, const std::string& align, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = kAxpy;
  words.insert(words.end(), {"--align", align});
  words.insert(words.end(), more.begin(), more.end());
  return cli.run(words);
}

TEST(CliExplain, AnAlignmentThatNothingServesIsExplained) {
  const CliRunner cli;
  const CliResult two = explain(cli, "2");
  EXPECT_EQ(two.code, 4) << two.err;
  EXPECT_THAT(two.out,
              AllOf(HasSubstr("match    none"), HasSubstr("only 2 bytes are guaranteed"), HasSubstr("WT_NO_CANDIDATE"),
                    HasSubstr("--align 4"), HasSubstr("LOAD_BYTES=4"), HasSubstr("match     expected time"),
                    HasSubstr("to do    before the launch, copy the data of less aligned buffers")));
  const CliResult text = explain(cli, "2", {"--json"});
  EXPECT_EQ(text.code, 4);
  EXPECT_THAT(text.err, HasSubstr("no configuration of axpy"));
  const json out = json::parse(text.out);
  EXPECT_EQ(out["error"]["code"], 4);
  EXPECT_EQ(out["align"], 2);
  EXPECT_THAT(out["to_do"].get<std::string>(), HasSubstr("into buffers that are aligned to 4 bytes; cudaMalloc"));
  EXPECT_EQ(out["aligned"]["align"], 4);
  EXPECT_EQ(out["aligned"]["match"], "expected time");
  EXPECT_EQ(out["aligned"]["config"]["LOAD_BYTES"], 4);
}

TEST(CliExplain, AnAlignmentThatAConfigurationServesIsNotAnError) {
  const CliRunner cli;
  const CliResult four = explain(cli, "4");
  EXPECT_EQ(four.code, 0) << four.err;
  EXPECT_THAT(four.out, AllOf(HasSubstr("LOAD_BYTES=4"), HasSubstr("requires 16-byte alignment"),
                              Not(HasSubstr("WT_NO_CANDIDATE"))));
}

// The kernel's default is an implementation for other dtypes, which is not the obstacle here.
TEST(CliExplain, TheObstacleIsThatOfAnImplementationThatHasTheProblem) {
  CliRunner cli;
  cli.set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string());
  const auto gemm = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"explain", "gemm", "--shape", "m=64,n=64,k=64"};
    words.insert(words.end(), more.begin(), more.end());
    return cli.run(words);
  };
  const CliResult misaligned = gemm({"--dtype", "fp32", "--arch", "sm_90a", "--align", "4", "--json"});
  EXPECT_EQ(misaligned.code, 4);
  EXPECT_THAT(misaligned.err, AllOf(HasSubstr("the default of simt: argument a requires 16-byte alignment"),
                                    HasSubstr("only 4 bytes are guaranteed")));
  const CliResult vendor = gemm({"--dtype", "bf16", "--arch", "sm_80"});
  EXPECT_EQ(vendor.code, 4);
  EXPECT_THAT(vendor.err, HasSubstr("the default of cublaslt: it calls cublaslt.matmul, and library calls need"));
}

// The recorded products have 24 rows or more, so none was measured with `skinny`.
TEST(CliExplain, AnImplementationThatNoSimilarShapeMeasuredIsNamed) {
  CliRunner cli;
  cli.use_shipped();
  const TempDir dir;
  const auto gemm = [&](const char* command, const char* m, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {command, "gemm",      "--shape", std::string("n=4096,k=4096,m=") + m,
                                      "--set", "layout=nt", "--db",    dir / "gemm.db"};
    words.insert(words.end(), more.begin(), more.end());
    return cli.run(words);
  };
  ASSERT_EQ(gemm("tune", "32", {"--device", "recorded", "--budget", "60"}).code, 0);
  const std::string note = "skinny was not measured on any similar shape";
  const CliResult few = gemm("explain", "12");
  ASSERT_EQ(gemm("tune", "64", {"--device", "recorded", "--budget", "60"}).code, 0);
  const CliResult more = gemm("explain", "48");
  EXPECT_THAT(few.out, AllOf(HasSubstr("learned rule"), HasSubstr(note), Not(HasSubstr("cublaslt was not measured"))));
  EXPECT_THAT(more.out, AllOf(HasSubstr("learned rule"), Not(HasSubstr(note)))) << "skinny is not valid here";
}

} // namespace
} // namespace warptune
