// Recordings without a checksum get one; nothing else in them changes.
#include "recording/recording.h"
#include "recording/recording_seal.h"
#include "support/temp_dir.h"
#include "support/toy.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace warptune {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kChecksumLength = 11 + 64 + 3; // length of ,"sha256":"..."} and the end of the line

std::string written() {
  const Kernel kernel = test::toy_kernel();
  return write_recording(test::toy_recording(kernel, test::toy_problem(kernel)));
}
// As the first versions wrote it.
std::string without_checksum() {
  const std::string text = written();
  return text.substr(0, text.size() - kChecksumLength) + "}";
}

// Changes a digit of a time.
std::string damaged(std::string text) {
  text[text.find("\"median\":[") + 12] ^= 1;
  return text;
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}
std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct RecordingSeal : ::testing::Test {
  Result<SealedRecording> seal(const std::string& text) {
    write_text(file, text);
    return seal_recording(file);
  }
  void expect_refused(const std::string& text, const char* why) {
    const auto sealed = seal(text);
    ASSERT_FALSE(sealed) << why;
    EXPECT_EQ(sealed.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(sealed.error().message, HasSubstr(why));
    EXPECT_EQ(read_text(file), text) << "an error changes nothing";
  }
  test::TempDir dir;
  std::filesystem::path file = dir / "r.json";
};

TEST_F(RecordingSeal, TheFileIsAsIfItHadBeenWrittenWithIt) {
  for (const char* end : {"", "\n", " \r\n\n"}) {
    const auto sealed = seal(without_checksum() + end);
    ASSERT_TRUE(sealed) << sealed.error().message;
    EXPECT_EQ(read_text(file), written());
    EXPECT_FALSE(sealed->had_checksum);
    EXPECT_EQ(sealed->trials, load_recording(file)->trials.size());
  }
}

TEST_F(RecordingSeal, AChangeAfterItIsNoticed) {
  ASSERT_TRUE(seal(without_checksum()));
  write_text(file, damaged(read_text(file)));
  EXPECT_THAT(load_recording(file).error().message, HasSubstr("sha256"));
}

TEST_F(RecordingSeal, AnotherLayoutStays) {
  std::string text = without_checksum();
  text.insert(1, "\n  ").insert(text.rfind('}'), "\n");
  ASSERT_TRUE(seal(text));
  const std::string now = read_text(file);
  EXPECT_EQ(now.substr(0, text.size() - 1), text.substr(0, text.size() - 1));
  EXPECT_TRUE(load_recording(file));
  EXPECT_TRUE(seal_recording(file)->had_checksum);
}

TEST_F(RecordingSeal, OneThatHasItIsNotWritten) {
  const std::string text = written();
  write_text(file, text);
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  const auto before = std::filesystem::last_write_time(file);
  const auto sealed = seal_recording(file);
  ASSERT_TRUE(sealed);
  EXPECT_TRUE(sealed->had_checksum);
  EXPECT_EQ(std::filesystem::last_write_time(file), before);
  EXPECT_EQ(read_text(file), text);
}

TEST_F(RecordingSeal, WhatIsNotSoundIsRefused) {
  expect_refused("my thesis", "not a recording");
  expect_refused(without_checksum().substr(0, 500), "truncated or damaged");
  expect_refused(damaged(written()), "sha256");
  EXPECT_FALSE(seal_recording(dir / "none.json"));
}

TEST_F(RecordingSeal, AChecksumThatIsNotComparedIsNotHiddenByASecond) {
  std::string text = written();
  text.insert(text.size() - 1, " "); // as another program may write it
  expect_refused(damaged(text), "remove the member sha256");
}

} // namespace
} // namespace warptune
