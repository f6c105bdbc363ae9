// The next run removes the files that a killed merge, backup or pack left beside its output.
#include "db/backup.h"
#include "db/merge.h"
#include "db/merge_source.h"
#include "db/pack_writer.h"
#include "support/temp_dir.h"
#include "support/tuned_db.h"
#include "system/temporary_path.h"

#include <gmock/gmock.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace warptune {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> temporaries(const fs::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".tmp") found.push_back(entry.path().filename().string());
  return found;
}

// As after a kill: no destructor runs.
template <class Leave> void in_a_process_that_dies(Leave leave) {
  const pid_t child = ::fork();
  if (child == 0) {
    leave();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

TEST(LeftBehind, ByAMergeGoesWithTheNextMergeOrBackup) {
  for (const bool is_backup : {false, true}) {
    test::TempDir dir;
    test::TunedDb(dir / "a.db").add("rows=8,cols=4096", {{test::TunedDb::kDefault, 10}}, test::TunedDb::kDefault);
    in_a_process_that_dies([&] {
      const auto scratch = db::ScratchFolder::make(dir.path());
      std::ofstream(scratch->path() / "merged.db") << "a part";
      ::_exit(0);
    });
    ASSERT_EQ(temporaries(dir.path()).size(), 1u);
    if (is_backup)
      test::TunedDb::value(backup_database(dir / "a.db", dir / "b.db"));
    else
      test::TunedDb::value(merge_databases(dir / "b.db", {dir / "a.db"}, {}));
    EXPECT_EQ(temporaries(dir.path()), std::vector<std::string>());
    EXPECT_TRUE(fs::exists(dir / "b.db"));
  }
}

TEST(LeftBehind, ByAPackGoesWithTheNextPack) {
  test::TempDir dir;
  in_a_process_that_dies([&] { std::ofstream(temporary_path(dir / "p.wtpack")) << "a part"; });
  ASSERT_EQ(temporaries(dir.path()).size(), 1u);
  test::TunedDb::value(write_pack(dir / "p.wtpack", {}));
  EXPECT_EQ(temporaries(dir.path()), std::vector<std::string>());
  EXPECT_TRUE(fs::exists(dir / "p.wtpack"));
}

// Such as two sources of one kernel, which no caller passes.
TEST(LeftBehind, APackWhoseRowsDoNotFitIsNoFullDisk) {
  test::TempDir dir;
  PackContent content;
  KernelRecord kernel;
  kernel.name = "scale";
  kernel.source_hash = "abc";
  content.kernels = {kernel, kernel};
  const auto written = write_pack(dir / "p.wtpack", content);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::database);
  EXPECT_THAT(written.error().message,
              testing::AllOf(testing::HasSubstr((dir / "p.wtpack").string()), testing::HasSubstr("UNIQUE"),
                             testing::HasSubstr("with -o"), testing::Not(testing::HasSubstr("full"))));
  EXPECT_EQ(temporaries(dir.path()), std::vector<std::string>());
}

} // namespace
} // namespace warptune
