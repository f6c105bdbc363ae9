// A sweep over shipped recordings that is stopped or killed and then resumed has the trials of an undisturbed one. The
// sweep is held by its own output, so it cannot end before the signal comes.
#include "core/text.h"
#include "db/reader.h"
#include "recording/recording.h"
#include "support/held_cli.h"

#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

// By kernel, problem and configuration.
using Trials = std::map<std::string, TrialStatus>;

struct CliSweepStop : testing::Test {
  CliRunner cli;
  const std::string file = (cli.dir() / "all.json").string();
  const std::string db = (cli.dir() / "w.db").string();
  std::size_t jobs = 0;

  // Writes a sweep of every `step`-th recording; signals come within the first dozen jobs.
  void write_sweep(std::size_t step) {
    cli.set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string());
    json sweep = {{"warptune_sweep", 1}, {"defaults", {{"budget", 25}, {"seed", 5}}}, {"jobs", json::array()}};
    std::size_t index = 0;
    for (const RecordingEntry& entry : list_recordings(share_dir() / "recordings")) {
      if (index++ % step != 0) continue;
      const std::vector<std::string_view> parts = split(entry.problem, ';');
      json job = {{"kernel", entry.kernel}, {"shapes", {parts[0]}}, {"dtypes", {parts[1]}}};
      if (parts.size() > 2)
        for (const std::string_view flag : split(parts[2], ',')) {
          const auto equals = flag.find('=');
          const std::string_view value = flag.substr(equals + 1);
          json& choice = job["flags"][std::string(flag.substr(0, equals))];
          if (value.find_first_not_of("0123456789") == std::string_view::npos)
            choice = std::stoll(std::string(value));
          else
            choice = value;
        }
      sweep["jobs"].push_back(std::move(job));
      ++jobs;
    }
    std::ofstream(file) << sweep;
  }

  std::vector<std::string> words(const std::string& database, bool resume) const {
    std::vector<std::string> all = {"sweep", file,    "--devices", "replay:" + (share_dir() / "recordings").string(),
                                    "--db",  database};
    if (resume) all.emplace_back("--resume");
    return all;
  }
  static Trials trials(const std::string& database) {
    Trials all;
    const auto reader = Reader::open(database);
    if (!reader) ADD_FAILURE() << reader.error().message;
    const auto sessions = reader->sessions();
    for (const SessionRecord& session : *sessions) {
      EXPECT_EQ(session.state, SessionState::finished);
      const auto rows = reader->trials(session.id);
      for (const TrialRow& row : *rows) {
        const std::string key = session.identity.kernel + " " + session.identity.problem + " " + row.config;
        EXPECT_TRUE(all.emplace(key, row.trial.status).second) << key << " was measured twice";
      }
    }
    return all;
  }
  Trials undisturbed() const {
    const std::string other = (cli.dir() / "undisturbed.db").string();
    const CliResult result = cli.run(words(other, false));
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("[" + std::to_string(jobs) + "/" + std::to_string(jobs) + "]"));
    return trials(other);
  }
  void finish_and_compare() const {
    const CliResult last = cli.run(words(db, true));
    EXPECT_EQ(last.code, 0) << last.err << last.out;
    const Trials expected = undisturbed();
    EXPECT_EQ(expected.size(), jobs * 25 + 0U) << "at least the budget of each job";
    EXPECT_EQ(trials(db), expected);
  }
};

// The second signal also goes to its workers, as from timeout(1) and batch systems.
TEST_F(CliSweepStop, StoppedTwiceAndResumedTwice) {
  write_sweep(6);
  for (const std::size_t room : {400U, 1500U}) {
    HeldCli held(cli, words(db, room > 400), room);
    ASSERT_TRUE(held.wait_for_output(room / 4)) << "it has begun";
    room > 400 ? held.signal_group(SIGTERM) : held.signal(SIGINT);
    const std::string out = held.drain();
    EXPECT_EQ(held.wait(), 130);
    EXPECT_THAT(out, AllOf(HasSubstr("stopped: sweep "), HasSubstr(" not started"), HasSubstr("To resume:\n  "),
                           HasSubstr("--db " + db + " --resume")));
  }
  finish_and_compare();
}

TEST_F(CliSweepStop, KilledAgainAndAgain) {
  write_sweep(6);
  bool resume = false;
  for (const std::size_t room : {300U, 600U, 900U, 1400U}) {
    HeldCli held(cli, words(db, resume), room);
    ASSERT_TRUE(held.wait_for_output(room / 4));
    held.signal(SIGKILL);
    EXPECT_EQ(held.wait(), 128 + SIGKILL);
    resume = true;
  }
  finish_and_compare();
}

} // namespace
} // namespace warptune
