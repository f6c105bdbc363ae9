// Folders beside a new kernel folder.
#include "starter/new_folder.h"
#include "support/child.h"
#include "support/temp_dir.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <vector>

namespace warptune::test {
namespace {

namespace fs = std::filesystem;

const SourceFiles kFiles{{{"spec.json", "{}"}, {"src/kernel.cu", "// a kernel"}}};

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  return names;
}

TEST(NewFolder, LeavesTheHiddenFoldersOfTheUser) {
  const TempDir dir;
  fs::create_directory(dir / ".scale.new");
  std::ofstream(dir / ".scale.new" / "notes.txt") << "mine";
  ASSERT_TRUE(write_new_folder(dir / "scale", kFiles));
  EXPECT_TRUE(fs::exists(dir / ".scale.new" / "notes.txt"));
  EXPECT_THAT(names_in(dir.path()), testing::UnorderedElementsAre("scale", ".scale.new"));
  EXPECT_THAT(names_in(dir / "scale"), testing::UnorderedElementsAre("spec.json", "src"));
}

TEST(NewFolder, LeavesNoDraftIfItsPlaceIsTaken) {
  const TempDir dir;
  fs::create_directories(dir / "scale" / "full");
  EXPECT_FALSE(write_new_folder(dir / "scale", kFiles));
  EXPECT_THAT(names_in(dir.path()), testing::ElementsAre("scale"));
}

TEST(NewFolder, RunsAtTheSameTimeWriteWholeFolders) {
  const TempDir dir;
  std::vector<pid_t> runs;
  for (int run = 0; run < 4; ++run)
    runs.push_back(start_child([&] {
      for (int again = 0; again < 50; ++again) {
        const auto made = write_new_folder(dir / "scale", kFiles);
        if (!made && made.error().message.find("not empty") == std::string::npos) return 1; // another run was faster
        if (!fs::exists(dir / "scale" / "src" / "kernel.cu")) return 2;
      }
      return 0;
    }));
  for (const pid_t run : runs) EXPECT_EQ(wait_child(run), 0);
  EXPECT_THAT(names_in(dir.path()), testing::ElementsAre("scale"));
}

} // namespace
} // namespace warptune::test
