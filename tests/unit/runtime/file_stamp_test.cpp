// Differences by which a reload recognises a changed file.
#include "runtime/file_stamp.h"
#include "support/temp_dir.h"
#include "support/twice_kernel.h"

#include <chrono>
#include <gtest/gtest.h>

namespace warptune::test {
namespace {

struct Stamp : testing::Test {
  TempDir dir;
  const std::filesystem::path file = dir / "a.db", log = dir / "a.db-wal";
  FileStamp now() const { return stamp_of(file); }
};

TEST_F(Stamp, IsOfTheFile) {
  EXPECT_EQ(now(), FileStamp{});
  write_file(file, "one");
  const FileStamp one = now();
  EXPECT_NE(one, FileStamp{});
  EXPECT_EQ(now(), one);
  write_file(file, "longer");
  EXPECT_NE(now(), one);
}

TEST_F(Stamp, IsOfWhatIsInTheLogOnly) {
  write_file(file, "one");
  const FileStamp one = now();
  write_file(log, "");
  EXPECT_EQ(now(), one) << "what readers leave";
  write_file(log, "two");
  const FileStamp two = now();
  EXPECT_NE(two, one);
  std::filesystem::last_write_time(log, std::filesystem::last_write_time(log) + std::chrono::seconds(1));
  EXPECT_NE(now(), two) << "a log that begins anew keeps its size";
}

} // namespace
} // namespace warptune::test
