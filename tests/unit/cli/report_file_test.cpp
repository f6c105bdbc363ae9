// Writing reports: completely or not at all, and never over another kind of file.
#include "cli/report_file.h"
#include "support/child.h"
#include "support/run_cli.h"

#include <gmock/gmock.h>

namespace warptune::cli {
namespace {

using namespace test;
using testing::HasSubstr;
namespace fs = std::filesystem;

struct ReportFile : testing::Test {
  TempDir dir;
  fs::path file = dir / "r.html";
  void put(const std::string& text) { std::ofstream(file) << text; }
  std::string refusal(const fs::path& path) {
    const auto done = write_report(path, "new", false);
    EXPECT_FALSE(done);
    return done ? std::string() : done.error().message;
  }
};

TEST_F(ReportFile, IsWrittenAndReplacedWhenItIsOurs) {
  ASSERT_TRUE(write_report(file, "<!doctype html><script id=\"wt-data\">one", false));
  ASSERT_TRUE(write_report(file, "{\"format\":1,\"title\":", false));
  EXPECT_EQ(read_text(file), "{\"format\":1,\"title\":");
  put("<svg>\n<!-- made by warptune report -->");
  ASSERT_TRUE(write_report(file, "two", false));
  put("session,kernel,problem,device,driver\r\n");
  EXPECT_TRUE(write_report(file, "three", false));
  put("");
  EXPECT_TRUE(write_report(file, "four", false));
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()), 1) << "nothing is left over";
}

TEST_F(ReportFile, AnythingElseIsKeptUnlessForced) {
  put("my notes on warptune");
  EXPECT_THAT(refusal(file), HasSubstr("was not made by `warptune report`; use --force to replace it"));
  EXPECT_EQ(read_text(file), "my notes on warptune");
  EXPECT_TRUE(write_report(file, "new", true));
  EXPECT_EQ(read_text(file), "new");
}

TEST_F(ReportFile, ADatabaseIsKeptEvenIfForced) {
  const std::string database("SQLite format 3\0 and more", 25);
  put(database);
  const auto done = write_report(file, "new", true);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("is a database or a pack and would be overwritten"));
  EXPECT_EQ(read_text(file), database);
}

TEST_F(ReportFile, TheLogOfADatabaseIsKeptEvenIfForced) {
  put(std::string("SQLite format 3\0 and more", 25));
  const fs::path log = file.string() + "-wal";
  std::ofstream(log) << "what is not yet in the database";
  const auto done = write_report(log, "new", true);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("is the name of the log that SQLite keeps for the database"));
  EXPECT_EQ(read_text(log), "what is not yet in the database");
}

TEST_F(ReportFile, RefusalsNameTheCause) {
  EXPECT_THAT(refusal(dir.path()), HasSubstr("is a directory"));
  EXPECT_THAT(refusal(dir / "none" / "r.html"), HasSubstr("there is no directory"));
}

TEST_F(ReportFile, AFolderThatMayNotBeWrittenIsARefusal) {
  fs::permissions(dir.path(),
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  EXPECT_EQ(run_child([&] {
              if (!drop_root()) return 2;
              const auto done = write_report(file, "new", false);
              if (!done && done.error().message.find("no permission to create files") != std::string::npos) return 0;
              std::cerr << (done ? "it was written" : done.error().message) << std::endl;
              return 1;
            }),
            0);
  fs::permissions(dir.path(), fs::perms::owner_all);
}

TEST_F(ReportFile, AFullDiskLeavesWhatWasThere) {
  put("warptune, the old one");
  EXPECT_THAT(refusal("/dev/full"), HasSubstr("No space left"));
  EXPECT_EQ(read_text(file), "warptune, the old one");
}

TEST_F(ReportFile, ALinkStaysALink) {
  put("");
  fs::create_symlink(file, dir / "link.html");
  ASSERT_TRUE(write_report(dir / "link.html", "new", false));
  EXPECT_TRUE(fs::is_symlink(dir / "link.html"));
  EXPECT_EQ(read_text(file), "new");
}

} // namespace
} // namespace warptune::cli
