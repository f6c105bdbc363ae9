#include "support/temp_dir.h"
#include "system/text_file.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warptune {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

TEST(TextFile, WritesAllOrNothing) {
  const test::TempDir dir;
  const fs::path file = dir / "new" / "file.txt";
  ASSERT_TRUE(write_text_file(file, "text", "one"));
  ASSERT_TRUE(write_text_file(file, "text", "two"));
  EXPECT_EQ(*read_text_file(file, "text", 100), "two");
  EXPECT_THAT(read_text_file(file, "text", 2).error().message, HasSubstr("larger than"));
  EXPECT_FALSE(write_text_file(dir / "new", "text", "over a folder"));
  std::size_t left = 0;
  for (const auto& entry : fs::recursive_directory_iterator(dir.path())) left += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(left, 1u);
}

TEST(TextFile, AFullPlaceIsNoMistakeOfTheUser) {
  EXPECT_EQ(write_text_file("/dev/full", "text", "one").error().kind, ErrorKind::internal);
  EXPECT_EQ(write_text_file("/dev/null/file", "text", "one").error().kind, ErrorKind::bad_input);
  EXPECT_THAT(read_text_file("/nowhere", "file of traces", 9).error().message, Not(HasSubstr("tracess")));
}

TEST(TextFile, KeepsPermissionsAndLinks) {
  const test::TempDir dir;
  const fs::path file = dir / "mine.txt";
  std::ofstream(file) << "one";
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(file, dir / "link.txt");
  ASSERT_TRUE(write_text_file(dir / "link.txt", "text", "two"));
  EXPECT_TRUE(fs::is_symlink(dir / "link.txt"));
  EXPECT_EQ(*read_text_file(file, "text", 100), "two");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(TextFile, APipeIsWrittenToWhereSomebodyReads) {
  const test::TempDir dir;
  const fs::path pipe = dir / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(write_text_file(pipe, "text", "one").error().message, HasSubstr("this pipe has no reader"));
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(write_text_file(pipe, "text", "two"));
  char text[4] = {};
  EXPECT_EQ(read(reader, text, sizeof text - 1), 3);
  close(reader);
  EXPECT_STREQ(text, "two");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

} // namespace
} // namespace warptune
