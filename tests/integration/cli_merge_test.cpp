// Merges the databases of two machines as a user does; then tests the configurations that an application gets.
#include "db/writer.h"
#include "support/recorded_cli.h"
#include "tuner/session_lock.h"

#include <csignal>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

struct CliMerge : RecordedCli {
  const std::string a = in_dir("a.db"), b = in_dir("b.db"), out = in_dir("out.db");

  CliMerge() {
    for (const std::string& file : {a, b}) EXPECT_EQ(tune({"--db", file}).code, 0);
  }
};

TEST_F(CliMerge, TwoDatabasesBecomeOneThatAnApplicationIsServedFrom) {
  const json dry = parsed({"merge", "-o", out, a, b, "--dry-run"});
  EXPECT_EQ(dry["total"]["sessions_added"], 2);
  EXPECT_EQ(dry["dry_run"], true);
  EXPECT_FALSE(fs::exists(out));

  const CliResult merged = cli.run({"merge", "-o", out, a, b});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_THAT(merged.out, AllOf(HasSubstr("sessions added"), HasSubstr(a), HasSubstr("total"), HasSubstr(out)));

  const json sessions = parsed({"show", "sessions", "--db", out});
  ASSERT_EQ(sessions["sessions"].size(), 2U);
  for (const json& session : sessions["sessions"])
    EXPECT_EQ(
        parsed({"show", "trials", "--db", out, "--session", std::to_string(session["id"].get<int>())})["trials"].size(),
        9U);
  EXPECT_EQ(parsed({"show", "best", "--db", out})["best"][0]["config_text"], "THREADS=64,VEC=1");
  const std::vector<std::string> explain = {"explain", "scale", "--shape", kScaleShape, "--db"};
  auto from_a = explain, from_out = explain;
  from_a.push_back(a);
  from_out.push_back(out);
  EXPECT_EQ(parsed(from_out)["config"], parsed(from_a)["config"]);

  const json again = parsed({"merge", "-o", out, b, a});
  EXPECT_EQ(again["total"]["sessions_known"], 2);
  EXPECT_EQ(again["total"]["trials_added"], 0);
  EXPECT_TRUE(again["conflicts"].empty());
}

TEST_F(CliMerge, TuneGoesOnWithWhatWasMerged) {
  ASSERT_EQ(cli.run({"merge", "-o", out, a}).code, 0);
  const CliResult resumed =
      cli.run({"tune", "scale", "--shape", kScaleShape, "--device", "replay:" + recording, "--db", out, "--resume"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(parsed({"show", "sessions", "--db", out})["sessions"].size(), 1U);
}

TEST_F(CliMerge, ASessionThatSomebodyWorksOnIsNoted) {
  // As after a kill: a session that has begun and has no result.
  {
    Writer writer = *Writer::open(a);
    ASSERT_TRUE(writer.reopen_session(1));
  }
  std::string holder;
  const auto lock = SessionLock::take(a, 1, holder);
  ASSERT_TRUE(lock && *lock);
  const CliResult merged = cli.run({"merge", "-o", out, a});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_THAT(merged.out, AllOf(HasSubstr("note: process " + std::to_string(::getpid())), HasSubstr("merge again")));
  EXPECT_EQ(parsed({"show", "sessions", "--db", out})["sessions"][0]["state"], "interrupted");
}

TEST_F(CliMerge, MistakesAreOneSentence) {
  EXPECT_THAT(cli.run({"merge", a}).err, HasSubstr("merge needs --output"));
  EXPECT_THAT(cli.run({"merge", "-o", out}).err, HasSubstr("merge needs INPUT"));
  const CliResult itself = cli.run({"merge", "-o", a, a, b});
  EXPECT_EQ(itself.code, 2);
  EXPECT_THAT(itself.err, HasSubstr("is both the output and an input"));
  EXPECT_EQ(parsed({"merge", "-o", out, recording}, 5)["error"]["kind"], "database");
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(CliMerge, AFullDiskIsAProblemOfTheOutput) {
  const auto with_limit = [&](const std::vector<std::string>& words) {
    return cli.run(words, [] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{32'768, 32'768};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    });
  };
  const CliResult merged = with_limit({"merge", "-o", out, a, b});
  EXPECT_EQ(merged.code, 5) << merged.out;
  EXPECT_THAT(merged.err, AllOf(HasSubstr("cannot write the database " + out + ":"), HasSubstr("with -o"),
                                testing::Not(HasSubstr("--db")), testing::Not(HasSubstr(".warptune-merge"))));
  const std::string copy = (cli.dir() / "copy.db").string();
  const CliResult copied = with_limit({"backup", a, copy});
  EXPECT_EQ(copied.code, 5) << copied.out;
  EXPECT_THAT(copied.err, AllOf(HasSubstr(copy), testing::Not(HasSubstr("--db")), testing::Not(HasSubstr(a))));
}

} // namespace
} // namespace warptune
