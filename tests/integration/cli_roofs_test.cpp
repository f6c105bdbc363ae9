// `warptune roofs` without a device: it shows the stored roofs, and having none counts as a missing device.
#include "db/writer.h"
#include "support/paths.h"
#include "support/run_cli.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

struct CliRoofs : testing::Test {
  CliRunner cli;
};

TEST_F(CliRoofs, NothingStoredIsNoDevice) {
  const CliResult result = cli.run({"roofs", "--device", "replay"});
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("--device recorded only shows stored roofs, and there is no database "));
  EXPECT_EQ(json::parse(cli.run({"roofs", "--device", "replay", "--json"}).out)["error"]["code"], 3);
  const std::string named = (cli.dir() / "w.db").string();
  const CliResult missing = cli.run({"roofs", "--device", "recorded", "--db", named});
  EXPECT_EQ(missing.code, 5) << "the database was named, so it must exist";
  EXPECT_THAT(missing.err, HasSubstr("there is no database " + named));
  ASSERT_TRUE(Writer::open(named));
  const CliResult empty = cli.run({"roofs", "--device", "recorded", "--db", named});
  EXPECT_EQ(empty.code, 3);
  EXPECT_THAT(empty.err, HasSubstr("the database has no measured roofs"));
}

TEST_F(CliRoofs, StoredOnesAreShown) {
  ASSERT_EQ(cli.run({"tune", "axpy", "--shape", "n=4194304", "--device", "replay", "--budget", "3"}).code, 0);
  const CliResult shown = cli.run({"roofs", "--device", "replay"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("NVIDIA H200"));
  EXPECT_THAT(shown.out, HasSubstr("DRAM copy"));
  EXPECT_THAT(shown.out, HasSubstr("Not measured now, because --device recorded only shows stored roofs."));
  const json parsed = json::parse(cli.run({"roofs", "--device", "replay", "--json"}).out);
  EXPECT_EQ(parsed["measured_now"], false);
  ASSERT_EQ(parsed["devices"].size(), 1U);
  EXPECT_GT(parsed["devices"][0]["roofs"][0]["measured"], 4000);
  std::ifstream file(share_dir() / "recordings" / "axpy__n_4194304__fp32.json");
  EXPECT_EQ(parsed["devices"][0]["measured_at"], json::parse(file)["recorded_at"]) << "when, not when it was replayed";
}

TEST_F(CliRoofs, TheFormerNameStillWorksAndIsNotShown) {
  const CliResult today = cli.run({"roofs", "--device", "replay"}), former = cli.run({"peaks", "--device", "replay"});
  EXPECT_EQ(former.code, today.code);
  EXPECT_EQ(former.err, today.err);
  EXPECT_THAT(cli.run({"peaks", "--help"}).out, HasSubstr("warptune roofs --json"));
  const std::string help = cli.run({"--help"}).out;
  EXPECT_THAT(help, HasSubstr("roofs"));
  EXPECT_THAT(help, Not(HasSubstr("peaks")));
  EXPECT_THAT(cli.run({"__complete", "warptune", ""}).out, Not(HasSubstr("peaks")));
}

TEST_F(CliRoofs, ADeviceThatIsNone) {
  EXPECT_EQ(cli.run({"roofs", "--device", "cuda:99"}).code, 3);
  EXPECT_EQ(cli.run({"roofs", "--device", "cuda:99", "--remeasure"}).code, 3);
}

} // namespace
} // namespace warptune
