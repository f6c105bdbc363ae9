// Mistakes of users, one row each: the exit code, one message on standard error that says what, where and what to do,
// nothing on standard output, and no data lost. Rows about recordings are in the tests of replay.
#include "db/writer.h"
#include "recording/recording.h"
#include "support/run_cli.h"
#include "support/scale_recording.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>
#include <gmock/gmock.h>
#include <sys/resource.h>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

struct BadInput : testing::Test {
  CliRunner cli;

  static std::string spec(const std::string& name) { return (data_dir() / "specs" / name).string(); }

  // Expects one line on standard error that begins with the program's name and contains each part.
  void expect_error(const CliResult& result, int code, const std::vector<std::string>& parts) {
    EXPECT_EQ(result.code, code) << result.err;
    // If opening the device fails, `tune` has already printed that it prepares it.
    EXPECT_THAT(result.out, testing::AnyOf("", testing::MatchesRegex("scale: preparing the device[^\n]*\n")));
    EXPECT_THAT(result.err, testing::StartsWith("warptune: "));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    for (const std::string& part : parts) EXPECT_THAT(result.err, HasSubstr(part));
  }
  void expect_error(const std::vector<std::string>& arguments, int code, const std::vector<std::string>& parts) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    expect_error(cli.run(arguments), code, parts);
  }
};

// --- kernel and problem ---------------------------------------------------------------------------------------------

TEST_F(BadInput, UnknownKernelSuggestsTheNearest) {
  for (const char* command : {"space", "tune", "explain", "run"})
    expect_error({command, "scael", "--shape", "rows=1,cols=1"}, 2, {"scael", "did you mean 'scale'"});
  expect_error({"kernels", "scael"}, 2, {"scael", "did you mean 'scale'"});
  expect_error({"space", "./nowhere", "--shape", "rows=1"}, 2, {"./nowhere", "no such folder"});
}

TEST_F(BadInput, Dims) {
  const auto shape = [&](const std::string& text, const std::vector<std::string>& parts) {
    for (const char* command : {"space", "tune", "explain"})
      expect_error({command, "scale", "--shape", text}, 2, parts);
  };
  shape("rows=4", {"cols"});
  shape("rows=4,cols=4,depth=4", {"depth"});
  shape("rows=4,clos=4", {"clos", "cols"});
  shape("rows=4,rows=5,cols=4", {"rows"});
  shape("rows=0,cols=4", {"rows", "0"});
  shape("rows=-4,cols=4", {"rows", "-4"});
  shape("rows=many,cols=4", {"rows", "many"});
  shape("rows=99999999999999999999,cols=4", {"rows", "99999999999999999999"});
  shape("rows=4,cols=1048577", {"cols", "1048576"});
  shape("rows", {"rows"});
}

TEST_F(BadInput, DtypesAndFlags) {
  expect_error({"space", "scale", "--shape", "rows=4,cols=4", "--dtype", "bf17"}, 2, {"bf17"});
  expect_error({"space", "scale", "--shape", "rows=4,cols=4", "--dtype", "int8"}, 2, {"int8", "fp32"});
  expect_error({"space", "scale", "--shape", "rows=4,cols=4", "--set", "moed=fancy"}, 2, {"moed", "mode"});
  expect_error({"space", "scale", "--shape", "rows=4,cols=4", "--set", "mode=odd"}, 2, {"odd", "plain"});
}

TEST_F(BadInput, Usage) {
  expect_error({"tnue"}, 2, {"tnue"});
  expect_error({"space"}, 2, {"KERNEL"});
  expect_error({"space", "scale"}, 2, {"--shape"});
  expect_error({"tune", "scale", "--shape", "rows=4,cols=4", "--budget", "lots"}, 2, {"lots"});
  expect_error({"tune", "scale", "--shape", "rows=4,cols=4", "--seed", "x"}, 2, {"seed"});
  expect_error({"tune", "scale", "--shape", "rows=4,cols=4", "--device", "gpu7"}, 2, {"gpu7"});
  expect_error({"explain", "scale", "--shape", "rows=4,cols=4", "--arch", "sm_1"}, 2, {"sm_1", "sm_90"});
}

// --- specs
// ------------------------------------------------------------------------------------------------------------

TEST_F(BadInput, Specs) {
  const auto broken = [&](const std::string& name, std::vector<std::string> parts) {
    parts.push_back(spec(name));
    expect_error({"space", spec(name), "--shape", "rows=64,cols=64"}, 2, parts);
  };
  broken("no_spec", {"spec.json"});
  broken("not_json", {"line"});
  broken("wrong_type", {"/params/VEC/values"});
  broken("unknown_key", {"constrants", "constraints"});
  broken("cyclic_derived", {"tile", "step"});
  broken("empty_values", {"/params/VEC/values"});
  broken("unknown_name", {"THREDS", "THREADS"});
  broken("missing_source", {"lost.cu"});
}

TEST_F(BadInput, DivisionByZeroInAFormula) {
  expect_error({"space", spec("division_by_zero"), "--shape", "rows=64,cols=64"}, 2, {"256 / (cols - 64)", "zero"});
}

TEST_F(BadInput, ConstraintsThatLeaveNothing) {
  expect_error({"space", spec("nothing_left"), "--shape", "rows=64,cols=64"}, 4,
               {"VEC > cols", "a thread has more than a row"});
}

TEST_F(BadInput, ABrokenFolderDoesNotHideTheOthers) {
  const CliResult kernels = cli.run({"kernels"}); // tests/data/specs has many broken ones
  EXPECT_EQ(kernels.code, 0) << kernels.err;
  EXPECT_THAT(kernels.out, HasSubstr("scale"));
}

// --- no device
// --------------------------------------------------------------------------------------------------------

TEST_F(BadInput, NoDriver) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a driver";
  expect_error({"tune", "scale", "--shape", "rows=64,cols=64"}, 3, {"driver", "recorded"});
  expect_error({"run", "scale", "--shape", "rows=64,cols=64"}, 3, {"driver"}); // no recording can
  for (const char* command : {"tune", "run"})
    expect_error({command, "scale", "--shape", "rows=64,cols=64", "--device", "cuda:0"}, 3, {"driver"});
  EXPECT_FALSE(fs::exists(cli.dir() / "data")) << "no database for a sweep that cannot start";
}

TEST_F(BadInput, DriverTooOld) {
  cli.set("WARPTUNE_LIBCUDA", (test::program_dir() / "libwt_fake_driver.so").string());
  cli.set("FAKE_DRIVER", "old");
  expect_error({"tune", "scale", "--shape", "rows=64,cols=64"}, 3, {"driver is too old", "11.4", "12.0"});
  EXPECT_FALSE(fs::exists(cli.dir() / "data"));
}

// --- database
// ---------------------------------------------------------------------------------------------------------

struct BadDatabase : BadInput {
  fs::path file = cli.dir() / "w.db";

  void make() { ASSERT_TRUE(Writer::open(file)); }
  void sql(const std::string& text) {
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(text);
  }

  // A sweep of `scale` as a GPU would have measured it, so that `tune` writes without a GPU.
  fs::path recording() {
    const fs::path path = cli.dir() / "scale.json";
    if (Result<void> saved = save_recording(scale_recording(), path); !saved)
      throw std::runtime_error(saved.error().message);
    return path;
  }
  std::vector<std::string> tune() {
    return {"tune", "scale",      "--shape", "rows=64,cols=1024", "--device", "replay:" + recording().string(),
            "--db", file.string()};
  }
  std::vector<std::string> show() const { return {"show", "sessions", "--db", file.string()}; }

  // The sweep's progress may be printed first, so only the last line is the message.
  void expect_write_error(const CliResult& result, const std::string& part) {
    EXPECT_EQ(result.code, 5) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("warptune: "), HasSubstr(file.string()), HasSubstr(part)));
  }
  void expect_both(const std::string& part) {
    expect_write_error(cli.run(tune()), part);
    expect_error(cli.run(show()), 5, {file.string(), part});
  }
};

TEST_F(BadDatabase, TheRecordingOfTheseTestsIsSound) {
  const CliResult tuned = cli.run(tune());
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(cli.run(show()).out, HasSubstr("scale"));
}

TEST_F(BadDatabase, Missing) { expect_error(show(), 5, {file.string(), "there is no database", "--db"}); }

TEST_F(BadDatabase, IsNoDatabase) {
  std::ofstream(file) << std::string(5000, 'x');
  expect_both("is not a warptune database");
  EXPECT_EQ(read_text(file), std::string(5000, 'x'));
}

TEST_F(BadDatabase, IsAFolder) {
  fs::create_directory(file);
  expect_both("is a folder");
}

TEST_F(BadDatabase, OfAnotherProgram) {
  sql("CREATE TABLE bookmarks (id INTEGER)");
  expect_both("another program");
}

TEST_F(BadDatabase, NewerSchema) {
  make();
  sql("PRAGMA user_version = 99");
  expect_both("schema 99");
}

TEST_F(BadDatabase, Locked) {
  make();
  cli.set("WARPTUNE_DB_TIMEOUT", "0.05");
  SQLite::Database other(file.string(), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  expect_write_error(cli.run(tune()), "locked by another program");
  EXPECT_EQ(cli.run(show()).code, 0) << "reading goes on beside a writer";
}

TEST_F(BadDatabase, ReadOnly) {
  make();
  const std::vector<std::string> command = tune();
  fs::permissions(file, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  const auto without_rights = [] { // root may write to any file
    if (!drop_root()) ::_exit(77);
  };
  const CliResult result = cli.run(command, without_rights);
  if (result.code == 77 || result.code == 97) GTEST_SKIP() << "no other user can run the program here";
  expect_write_error(result, "read-only");
  EXPECT_EQ(cli.run(show(), without_rights).code, 0);
}

TEST_F(BadDatabase, DiskFullKeepsWhatWasStored) {
  make();
  const std::vector<std::string> command = tune();
  const CliResult result = cli.run(command, [] {
    const rlimit limit{32'768, 32'768}; // less than the tables and their log need
    ::setrlimit(RLIMIT_FSIZE, &limit);
  });
  expect_write_error(result, "disk is full");
  EXPECT_EQ(SQLite::Database(file.string()).execAndGet("PRAGMA integrity_check").getString(), "ok");
  EXPECT_EQ(cli.run(command).code, 0) << "with space again it goes on";
}

// --- output
// -----------------------------------------------------------------------------------------------------------

TEST_F(BadDatabase, OutputClosed) {
  ASSERT_EQ(cli.run(tune()).code, 0);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"kernels"}, {"space", "scale", "--shape", "rows=64,cols=1024"}, show(), {"--help"}}) {
    const CliResult result = cli.run_into_closed_pipe(command);
    EXPECT_EQ(result.err, "") << command[0];
    EXPECT_THAT(result.code, testing::AnyOf(0, 128 + SIGPIPE)) << command[0];
  }
}

TEST_F(BadInput, OutputOnAFullDisk) {
  const CliResult result = cli.run({"kernels"}, [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); });
  EXPECT_EQ(result.code, 6);
  EXPECT_THAT(result.err, HasSubstr("warptune: "));
}

} // namespace
} // namespace warptune
