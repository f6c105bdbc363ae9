// `explain` for buffers that are aligned less than kernels like: what an application gets, and from which alignment on.
#include "support/run_cli.h"

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
                    HasSubstr("--align 4"), HasSubstr("LOAD_BYTES=4"), HasSubstr("match     default")));
  const CliResult text = explain(cli, "2", {"--json"});
  EXPECT_EQ(text.code, 4);
  EXPECT_THAT(text.err, HasSubstr("no configuration of axpy"));
  const json out = json::parse(text.out);
  EXPECT_EQ(out["error"]["code"], 4);
  EXPECT_EQ(out["align"], 2);
  EXPECT_EQ(out["aligned"]["align"], 4);
  EXPECT_EQ(out["aligned"]["match"], "default");
  EXPECT_EQ(out["aligned"]["config"]["LOAD_BYTES"], 4);
}

TEST(CliExplain, AnAlignmentThatAConfigurationServesIsNotAnError) {
  const CliRunner cli;
  const CliResult four = explain(cli, "4");
  EXPECT_EQ(four.code, 0) << four.err;
  EXPECT_THAT(four.out, AllOf(HasSubstr("LOAD_BYTES=4"), HasSubstr("requires 16-byte alignment"),
                              Not(HasSubstr("WT_NO_CANDIDATE"))));
}

} // namespace
} // namespace warptune
