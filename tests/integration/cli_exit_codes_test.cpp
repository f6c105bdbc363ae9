// One exit code per cause, the same in every command: the table of docs/reliability.md.
#include "support/recorded_cli.h"
#include "support/sanitized.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct ExitCodes : RecordedCli {
  const std::string pack = in_dir("ops.wtpack"), folder = in_dir("none/x");
  Words tune(const std::string& file) const { return tuning({"--db", file, "--quiet"}); }
  void expect(int code, const std::vector<Words>& commands, const std::function<void()>& before = {}) {
    for (const Words& words : commands) {
      const CliResult result = cli.run(words, before);
      EXPECT_EQ(result.code, code) << testing::PrintToString(words) << result.err;
    }
  }
};

TEST_F(ExitCodes, WhatIsMissing) {
  const std::string none = (cli.dir() / "none.db").string();
  expect(5, {{"show", "best", "--db", none},
             {"pack", "--db", none, "-o", pack},
             {"merge", "-o", db, none},
             {"backup", none, db},
             {"recheck", "--db", none, "--device", "none"},
             {"pack", "check", none}});
  EXPECT_THAT(cli.run({"show", "best", "--db", none}).err, HasSubstr("; check the path (--db or WARPTUNE_DB); "));
  expect(2, {{"replay", none + ".json"}, {"sweep", none + ".json"}});
}

// By kernel, problem, device and session; with results, and in a database without any.
TEST_F(ExitCodes, ResultsThatTheDatabaseDoesNotHave) {
  ASSERT_EQ(cli.run(tune(db)).code, 0);
  const std::string file = in_dir("out"), empty = in_dir("empty.db");
  expect(4, {{"show", "best", "--kernel", "axpy", "--db", db},
             {"show", "trials", "--session", "9", "--db", db},
             {"report", "--kernel", "axpy", "--db", db, "-o", file},
             {"report", "--device", "A100", "--db", db, "-o", file},
             {"report", "--session", "9", "--db", db, "-o", file},
             {"compare", db, db, "--kernel", "axpy"},
             {"recheck", "--kernel", "axpy", "--db", db, "--device", "none"},
             {"pack", "--kernels", "axpy", "--db", db, "-o", file},
             {"pack", "--gpus", "A100", "--db", db, "-o", file},
             {"record", "scale", "--session", "9", "--db", db, "-o", file},
             {"record", "axpy", "--db", db, "-o", file},
             {"export", "axpy", "--format", "t4", "--db", db, "-o", file},
             {"why", "scale", "--shape", "rows=1,cols=8", "--device", "H200", "--db", db}});
  ASSERT_EQ(cli.run({"backup", db, empty}).code, 0);
  SQLite::Database(empty, SQLite::OPEN_READWRITE)
      .exec("PRAGMA foreign_keys = OFF; DELETE FROM best; DELETE FROM trials; DELETE FROM sessions");
  expect(4, {{"show", "trials", "--db", empty},
             {"report", "--db", empty, "-o", file},
             {"compare", db, empty},
             {"recheck", "--db", empty, "--device", "none"},
             {"pack", "--db", empty, "-o", file},
             {"record", "--db", empty, "-o", file}});
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(ExitCodes, PlacesThatTakeNoFile) {
  ASSERT_EQ(cli.run(tune(db)).code, 0);
  std::ofstream(cli.dir() / "none") << "a file where a folder is named";
  expect(5, {tune(folder), {"merge", "-o", folder, db}, {"backup", db, folder}});
  const std::string other = in_dir("other.db"), page = in_dir("page.html"), long_name = in_dir(std::string(300, 'n'));
  for (const std::string& place : {folder, long_name, std::string("/proc/none")}) {
    Words traced = tune(other);
    traced.insert(traced.end(), {"--trace", place});
    expect(2, {{"pack", "--db", db, "--no-compile", "-o", place},
               {"record", "scale", "--db", db, "-o", place},
               {"export", "scale", "--db", db, "--format", "t4", "-o", place},
               {"import", recording, "-o", place},
               {"replay", recording, "--strategy", "random", "--seeds", "1", "--budget", "2", "-o", place},
               {"report", "--db", db, "-o", place},
               {"report", "--db", db, "-o", page, "--svg", place},
               {"report", "--db", db, "-o", page, "--csv", place},
               {"new", place, "--template", "scale"},
               {"capture", "-o", place, "--", "/bin/true"},
               traced});
  }
  expect(5, {tune(long_name), {"merge", "-o", long_name, db}, {"backup", db, long_name}});
}

TEST_F(ExitCodes, OutputsThatAreCutByAFullDisk) {
  ASSERT_EQ(cli.run(tune(db)).code, 0);
  const auto little = [] {
    const rlimit limit{2048, 2048};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  expect(6,
         {{"pack", "--db", db, "--no-compile", "-o", pack},
          {"report", "--db", db, "-o", (cli.dir() / "page.html").string()}},
         little);
  EXPECT_FALSE(fs::exists(pack));
  const std::string said = cli.run({"pack", "--db", db, "--no-compile", "-o", pack}, little).err;
  EXPECT_THAT(said, testing::AllOf(HasSubstr("name another file with -o"), testing::Not(HasSubstr("--db"))));
  EXPECT_THAT(cli.run({"report", "--db", db, "-o", (cli.dir() / "page.html").string()}, little).err,
              HasSubstr("File too large; free some space, raise the limit on file sizes, or name another file"));
  expect(5, {{"backup", db, (cli.dir() / "copy.db").string()}, {"merge", "-o", (cli.dir() / "m.db").string(), db}},
         little);
  const auto least = [] {
    const rlimit limit{128, 128};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  expect(6, {{"new", in_dir("copy"), "--template", "scale"}}, least);
  EXPECT_FALSE(fs::exists(in_dir("copy")));
}

TEST_F(ExitCodes, OutputsOnAFullDevice) {
  ASSERT_EQ(cli.run(tune(db)).code, 0);
  const std::string full = "/dev/full", page = in_dir("page.html"), other = in_dir("other.db");
  expect(6, {{"record", "scale", "--db", db, "-o", full},
             {"export", "scale", "--db", db, "--format", "t4", "-o", full},
             {"import", recording, "-o", full},
             {"replay", recording, "--strategy", "random", "--seeds", "1", "--budget", "2", "-o", full},
             {"report", "--db", db, "-o", full},
             {"report", "--db", db, "-o", page, "--svg", full},
             {"report", "--db", db, "-o", page, "--csv", full}});
  Words traced = tune(other);
  traced.insert(traced.end(), {"--trace", full, "--json"});
  const CliResult result = cli.run(traced);
  EXPECT_EQ(result.code, 6) << result.err;
  EXPECT_THAT(result.err, HasSubstr("the trace /dev/full could not be written completely: No space left on device"));
  EXPECT_TRUE(nlohmann::json::accept(result.out)) << "one document";
  EXPECT_THAT(cli.run({"show", "best", "--db", other}).out, HasSubstr("scale")) << "the result is stored";
}

TEST_F(ExitCodes, StandardOutputThatTakesNothing) {
  ASSERT_EQ(cli.run(tune(db)).code, 0);
  const auto full = [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); };
  Words loud = tune((cli.dir() / "other.db").string());
  loud.pop_back();
  expect(6, {{"kernels"}, {"show", "best", "--db", db}, {"backup", db, (cli.dir() / "copy.db").string()}, loud}, full);
  loud.back() = (cli.dir() / "third.db").string();
  const CliResult stopped = cli.run(loud, full);
  EXPECT_THAT(stopped.err, AllOf(HasSubstr("No space left"), testing::Not(HasSubstr("reader")))) << "nobody went away";
}

TEST_F(ExitCodes, TooFewFilesAreSaidInWords) {
  const CliResult result = cli.run(tune(db), [] {
    const rlimit limit{16, 16};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  });
  EXPECT_EQ(result.code, 6) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("only 16 files may be open at once"), HasSubstr("ulimit -n")));
}

TEST_F(ExitCodes, ALittleStackIsSaidInWords) {
  for (const rlim_t kib : {32U, 96U, 500U}) {
    const CliResult result = cli.run(tune(db), [kib] {
      const rlimit limit{kib << 10, kib << 10};
      ::setrlimit(RLIMIT_STACK, &limit);
    });
    EXPECT_EQ(result.code, 6) << kib << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("the stack is limited to"), HasSubstr("ulimit -s")));
  }
}

// Memory may run out anywhere, including in the compiler, which is a separate process.
TEST_F(ExitCodes, ALittleMemoryEndsNothingBySignal) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer reserves terabytes";
  ASSERT_EQ(cli.run(tune(db)).code, 0);
  const std::string sweep = (cli.dir() / "sweep.json").string();
  std::ofstream(sweep) << R"({"warptune_sweep": 1, "jobs": [{"kernel": "scale", "shapes": [")" << kScaleShape
                       << R"("]}]})";
  for (rlim_t mib = 20; mib <= 180; mib += mib < 40 ? 4 : 20) {
    const auto little = [mib] {
      const rlimit limit{mib << 20, mib << 20};
      ::setrlimit(RLIMIT_AS, &limit);
    };
    const std::string name = (cli.dir() / std::to_string(mib)).string();
    for (const Words& words :
         {tune(name + ".db"), Words{"pack", "--db", db, "-o", name + ".wtpack"},
          Words{"sweep", sweep, "--devices", "replay:" + recording, "--db", name + "s.db", "-q"}}) {
      const CliResult result = cli.run(words, little);
      EXPECT_LE(result.code, 6) << mib << " MiB: " << words.front() << ": " << result.err;
      EXPECT_THAT(result.err, testing::Not(HasSubstr("internal error"))) << mib << " MiB: " << words.front();
    }
  }
}

// Starts at the smallest limit at which the program starts and can report that memory is too small.
TEST_F(ExitCodes, LittleMoreMemoryThanToStartEndsNothingBySignal) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer reserves terabytes";
  const auto run = [&](const Words& words, rlim_t kib) {
    return cli.run(words, [kib] {
      const rlimit limit{kib << 10, kib << 10};
      ::setrlimit(RLIMIT_AS, &limit);
    });
  };
  rlim_t least = 64 << 10;
  while (least > 0 && run({"--version"}, least - 512).code <= 6) least -= 512;
  EXPECT_EQ(run({"--version"}, least).code, 6) << "nothing is begun that could not end well";
  for (rlim_t kib = least; kib < least + (6 << 10); kib += 256) {
    const CliResult result = run(tune((cli.dir() / std::to_string(kib)).string()), kib);
    EXPECT_EQ(result.code, 6) << kib << " KiB: " << result.err;
    EXPECT_THAT(result.err, HasSubstr("warptune: ")) << kib << " KiB";
  }
}

TEST_F(ExitCodes, ContentThatIsNotWhatWasStored) {
  ASSERT_EQ(cli.run(tune(db)).code, 0);
  SQLite::Database(db, SQLite::OPEN_READWRITE)
      .exec("UPDATE kernel_files SET text = text || '// ' || char(10) WHERE name LIKE '%.cu'");
  const CliResult packed = cli.run({"pack", "--db", db, "--no-compile", "-o", pack});
  EXPECT_EQ(packed.code, 5);
  EXPECT_THAT(packed.err, HasSubstr("its files do not match its source hash"));
  EXPECT_FALSE(fs::exists(pack));
  EXPECT_EQ(cli.run({"record", "scale", "--db", db, "-o", (cli.dir() / "r.json").string()}).code, 5);
  ASSERT_EQ(cli.run(tune(db)).code, 0) << "which puts the true files back";
  EXPECT_EQ(cli.run({"record", "scale", "--db", db, "-o", (cli.dir() / "r.json").string()}).code, 0);
}

TEST_F(ExitCodes, AResultWhoseTrialIsGoneIsShownAndNotExplained) {
  ASSERT_EQ(cli.run(tune(db)).code, 0);
  SQLite::Database(db, SQLite::OPEN_READWRITE)
      .exec("DELETE FROM trials WHERE config_id = (SELECT config_id FROM best)");
  EXPECT_THAT(cli.run({"show", "best", "--db", db}).out, HasSubstr("the database contradicts this result"));
  EXPECT_THAT(cli.run({"explain", "scale", "--shape", kScaleShape, "--db", db, "--arch", "sm_90a"}).out,
              HasSubstr("the database contradicts this result"));
}

TEST_F(ExitCodes, ABackupIsMadeAndToldOf) {
  ASSERT_EQ(cli.run(tune(db)).code, 0);
  const std::string copy = (cli.dir() / "copy.db").string();
  const CliResult made = cli.run({"backup", db, copy, "--json"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(nlohmann::json::parse(made.out)["bytes"], fs::file_size(copy));
  EXPECT_EQ(cli.run({"show", "best", "--db", copy}).out, cli.run({"show", "best", "--db", db}).out);
  for (const std::string& taken : {copy, db, db + "-wal"}) EXPECT_EQ(cli.run({"backup", db, taken}).code, 2) << taken;
}

} // namespace
} // namespace warptune
