// `sweep --run`: a run folder that users or other programs have changed. One message says what is wrong, and no process
// waits forever.
#include "support/shared_run.h"

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/stat.h>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A finished run.
struct ChangedRun : SharedRun {
  ChangedRun() : SharedRun(2) { EXPECT_EQ(cli.run(words()).code, 0); }

  CliResult sweep() const { return cli.run(words()); }
  CliResult merge() const { return cli.run({"merge", "-o", (cli.dir() / "all.db").string(), run}); }
  std::vector<CliResult> all_commands() const {
    return {sweep(), cli.run(words({"--resume"})), cli.run({"sweep", "--status", run}),
            cli.run({"sweep", "--cancel", run}), merge()};
  }
  static void expect_refused(const CliResult& result, const std::string& part, int code = 5) {
    EXPECT_EQ(result.code, code) << part;
    EXPECT_THAT(result.err, AllOf(HasSubstr(part), Not(HasSubstr("\nwarptune:"))));
  }
  json description() const { return json::parse(read_text(folder("run.json"))); }
  void describe(const json& run_json) const { std::ofstream(folder("run.json")) << run_json; }
  std::string model() const { return claims().front().substr(6, 8); }
  void remove_claims() const {
    for (const std::string& name : claims()) std::filesystem::remove(folder("claims") / name);
  }
};

TEST_F(ChangedRun, ValuesThatNoRunHasAreDamage) {
  const json sound = description();
  for (const json& change : {json{{"lease_s", 0}},
                             {{"lease_s", -1}},
                             {{"lease_s", 1e300}},
                             {{"lease_s", "60"}},
                             {{"split", -1}},
                             {{"split", 1e10}},
                             {{"jobs", 5}},
                             {{"warptune_run", "1"}}}) {
    json changed = sound;
    changed.update(change);
    describe(changed);
    for (const CliResult& result : all_commands()) expect_refused(result, "run.json is damaged; restore it");
  }
  std::ofstream(folder("run.json")) << std::string(1000000, '[');
  for (const CliResult& result : all_commands()) expect_refused(result, "run.json is damaged; restore it");
}

// The digest no longer matches the jobs.
TEST_F(ChangedRun, AnotherNumberOfJobsIsDamage) {
  json changed = description();
  changed["jobs"].push_back(changed["jobs"][0]);
  describe(changed);
  expect_refused(sweep(), "run.json is damaged");
  changed["jobs"] = json::array();
  describe(changed);
  expect_refused(sweep(), "run.json is damaged");
  changed = description();
  changed["split"] = 3;
  describe(changed);
  expect_refused(sweep(), "run.json is damaged");
}

TEST_F(ChangedRun, AFileThatIsTooLargeIsNotReadAsAWhole) {
  std::filesystem::resize_file(folder("run.json"), std::uintmax_t{1} << 40); // zeros
  for (const CliResult& result : all_commands()) expect_refused(result, "run.json is larger than 64 MiB");
}

TEST_F(ChangedRun, AMissingRunJsonIsSaidAndItsResultsAreMerged) {
  std::filesystem::remove(folder("run.json"));
  for (const CliResult& result : all_commands())
    expect_refused(result, run + "/run.json is missing or is not a file, but its folder contains other files of a run");
  std::filesystem::create_directory(folder("run.json"));
  expect_refused(sweep(), "run.json is missing or is not a file");
  std::filesystem::remove(folder("run.json"));
  ASSERT_EQ(::mkfifo(folder("run.json").c_str(), 0600), 0);
  expect_refused(sweep(), "run.json is missing or is not a file");
  expect_refused(cli.run({"sweep", "--status", run}), "run.json is damaged");
  // Follows the advice of the message.
  std::vector<std::string> merge = {"merge", "-o", (cli.dir() / "all.db").string()};
  for (const std::string& name : files_in("results")) merge.push_back(folder("results") / name);
  EXPECT_EQ(cli.run(merge).code, 0);
  EXPECT_EQ(trials_of(cli.dir() / "all.db"), undisturbed());
}

TEST_F(ChangedRun, AMissingFolderIsNamed) {
  const std::string copy = run + ".copy";
  std::filesystem::copy(run, copy, std::filesystem::copy_options::recursive);
  for (const char* name : {"results", "claims", "processes"}) {
    std::filesystem::remove_all(folder(name));
    expect_refused(sweep(), "; " + folder(name).string() + " was deleted or moved; put it back");
    if (std::string(name) == "results")
      expect_refused(merge(), "; " + folder(name).string() + " was deleted or moved; put it back");
    else
      expect_refused(cli.run({"sweep", "--status", run}), folder(name).string() + " was deleted or moved");
    std::filesystem::copy(copy + "/" + name, folder(name), std::filesystem::copy_options::recursive);
  }
  EXPECT_EQ(sweep().code, 0) << "all is back";
}

TEST_F(ChangedRun, StrangeFilesInResultsAreNamed) {
  const std::string strange = (folder("results") / "x.db").string();
  std::filesystem::create_directory(strange);
  expect_refused(merge(), strange + " to ");
  expect_refused(merge(), "it is not a file; move it out of results/");
  std::filesystem::remove(strange);
  ASSERT_EQ(::mkfifo(strange.c_str(), 0600), 0);
  expect_refused(merge(), "it is not a file; move it out of results/");
  std::filesystem::remove(strange);
  std::ofstream(strange) << "text";
  expect_refused(merge(), strange);
  for (const std::string& name : files_in("results")) std::filesystem::remove(folder("results") / name);
  expect_refused(merge(), "has finished jobs, but " + folder("results").string() + " has no database");
  remove_claims();
  expect_refused(merge(), "has published no result yet");
}

// No process could end such a claim, or count attempts from it.
TEST_F(ChangedRun, StrangeClaimsHoldNobodyUp) {
  const std::string name = "00000-" + model();
  remove_claims();
  for (const std::string& stray : {name + ".2147483647", name + ".01", name + ".1.finished.back", name + "~.1",
                                   std::string("00000-.1"), std::string("\x1b[31m")})
    std::ofstream(folder("claims") / stray) << "{\"process\": 5";
  std::ofstream(folder("claims") / ("99999" + name.substr(5) + ".1")); // the run has no such job
  std::ofstream(folder("claims") / ("99999" + name.substr(5) + ".1.finished")) << "{\"results\": \"missing.db\"}";
  EXPECT_EQ(sweep().code, 0);
  EXPECT_EQ(count_claims("", ".1.finished"), jobs + 1);
  EXPECT_EQ(status()["models"].size(), 1u);
  EXPECT_EQ(status()["models"][0]["finished"], jobs);
  EXPECT_EQ(status()["complete"], true);
  EXPECT_TRUE(status()["missing"].empty());
  EXPECT_EQ(cli.run({"merge", "-o", (cli.dir() / "strange.db").string(), run}).code, 0);
  // A pipe without a writer looks like a claim without an owner.
  remove_claims();
  ASSERT_EQ(::mkfifo((folder("claims") / (name + ".1")).c_str(), 0600), 0);
  EXPECT_EQ(status()["models"][0]["lost"], 1);
  EXPECT_EQ(sweep().code, 0);
  EXPECT_EQ(count_claims(name, ".2.finished"), 1u);
}

TEST_F(ChangedRun, AFolderInThePlaceOfAClaimIsNamed) {
  const std::filesystem::path claim = folder("claims") / ("00000-" + model() + ".1");
  remove_claims();
  std::filesystem::create_directory(claim);
  expect_refused(sweep(), claim.string() + ": Is a directory; warptune makes a file there, not a folder");
  std::filesystem::remove(claim);
  EXPECT_EQ(sweep().code, 0);
}

TEST_F(ChangedRun, ARunFolderIsNoDatabase) {
  const CliResult shown = cli.run({"show", "best", "--db", run});
  expect_refused(shown, "is the run folder of a sweep; collect its results with `warptune merge -o all.db " + run);
}

TEST_F(SharedRun, AFolderThatCannotBeMadeIsNotCalledDeleted) {
  const CliResult refused = cli.run({"sweep", file, "--devices", "replay:" + recordings.string(), "--run", "/proc/x"});
  EXPECT_EQ(refused.code, 5);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("cannot make /proc/x"), Not(HasSubstr("deleted"))));
}

TEST_F(SharedRun, OtherOptionsAreAnsweredWithTheCommandOfTheRun) {
  EXPECT_EQ(cli.run(words({"--budget", "3"})).code, 0);
  const CliResult other = cli.run(words());
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, AllOf(HasSubstr("the run was made with `"), HasSubstr("warptune sweep " + file),
                               HasSubstr("--budget 3`")));
}

TEST_F(ChangedRun, RecordsOfProcessesMayHaveAnyValues) {
  json record = json::parse(read_text(folder("processes") / files_in("processes").front()));
  record.update({{"jobs", -5}, {"worked_s", 1e-300}, {"trials", INT64_MAX}, {"cost_s", 1e308}, {"host", "h\x1b[31m"}});
  std::ofstream(folder("processes") / "00001-h-1-a") << record;
  std::ofstream(folder("processes") / "00002-h-1-b") << "[]";
  ASSERT_EQ(::mkfifo((folder("processes") / "00003-h-1-c").c_str(), 0600), 0);
  const CliResult shown = cli.run({"sweep", "--status", run});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(status()["processes"].size(), 2u);
}

// The run belongs to another user, or its file system is mounted read-only.
TEST_F(ChangedRun, TheStateIsShownInAFolderThatCannotBeWritten) {
  std::filesystem::remove(folder("clock"));
  std::filesystem::create_symlink("/proc/no/clock", folder("clock"));
  const CliResult shown = cli.run({"sweep", "--status", run});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr(" 0 processes"), HasSubstr("if this clock is wrong")));
  EXPECT_EQ(status()["own_clock"], true);
  // The process is alive by this machine's present clock, and dead an hour later.
  const std::filesystem::path process = folder("processes") / "00001-h-1-a";
  std::filesystem::copy_file(folder("processes") / files_in("processes").front(), process);
  EXPECT_EQ(status()["processes"][1]["alive"], true);
  std::filesystem::last_write_time(process, std::filesystem::last_write_time(process) - std::chrono::hours(1));
  EXPECT_EQ(status()["processes"][1]["alive"], false);
  std::filesystem::remove(folder("clock"));
  EXPECT_EQ(status()["own_clock"], false);
}

// As a task of a cluster may be, before it has a job. Several rounds, because the signal comes at a random moment of
// the start.
TEST_F(SharedRun, AProcessThatIsStoppedAsItBeginsEndsItsPart) {
  for (int i = 0; i < 5; ++i) {
    const pid_t process = start();
    while (!std::filesystem::exists(run)) ::sched_yield();
    ::kill(process, SIGTERM);
    EXPECT_EQ(wait_child(process), 130) << said();
    EXPECT_THAT(files_in("processes"), testing::ElementsAre(testing::EndsWith(".ended")));
    EXPECT_EQ(count_claims(".1"), count_claims(".1.finished") + count_claims(".1.back"));
    std::filesystem::remove_all(run);
  }
}

TEST_F(ChangedRun, AFolderForDatabasesThatDoesNotExistIsNamed) {
  const auto without = [] { ::setenv("TMPDIR", "/proc/no", 1); };
  expect_refused(cli.run({"merge", "-o", (cli.dir() / "all.db").string(), run}, without), "$TMPDIR/warptune-collect-");
  expect_refused(cli.run({"sweep", file, "--devices", "replay:" + recordings.string(), "--run", run}, without),
                 "cannot make a folder for databases in $TMPDIR: ");
}

TEST_F(SharedRun, TheNameOfASweepMayHaveAnyBytes) {
  const_cast<std::string&>(file) = (cli.dir() / "\xff.json").string();
  std::filesystem::rename(cli.dir() / "some.json", file);
  const CliResult result = cli.run(words());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(status()["complete"], true);
}

} // namespace
} // namespace warptune
