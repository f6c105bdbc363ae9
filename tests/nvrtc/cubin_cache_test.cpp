// The cubin cache: round trips, damage, many writers, a folder that cannot be written.
#include "jit/cubin_cache.h"
#include "support/temp_dir.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

namespace warptune {
namespace {

namespace fs = std::filesystem;
const std::string kKey(64, 'a');

Cubin sample() {
  Cubin cubin;
  cubin.hash = kKey;
  cubin.image = std::string("\x7f"
                            "ELF\0\n\xff",
                            7) +
                std::string(5000, 'x');
  cubin.lowered_names = {"_Z1k", "_Z1l"};
  cubin.resources = {{40, 8, 1024, 0}, {255, 0, 0, 0}};
  cubin.log = "kernel.cu(1): warning";
  return cubin;
}

fs::path only_file(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) return entry.path();
  return {};
}

TEST(CubinCache, returnsWhatWasStored) {
  const test::TempDir folder;
  const CubinCache cache(folder.path());
  EXPECT_FALSE(cache.find(kKey));
  ASSERT_TRUE(cache.store(kKey, sample()));
  const auto found = cache.find(kKey);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->image, sample().image);
  EXPECT_EQ((*found)->hash, kKey);
  EXPECT_EQ((*found)->lowered_names, sample().lowered_names);
  EXPECT_EQ((*found)->resources[0].registers, 40);
  EXPECT_EQ((*found)->resources[0].spill_bytes, 8);
  EXPECT_EQ((*found)->resources[0].static_shared_bytes, 1024);
  EXPECT_EQ((*found)->log, sample().log);
  EXPECT_FALSE(cache.find(std::string(64, 'b')));
}

TEST(CubinCache, keepsFailuresButNoneThatMayPass) {
  const test::TempDir folder;
  const CubinCache cache(folder.path());
  ASSERT_TRUE(cache.store(kKey, tl::make_unexpected(CompileFailure{"kernel.cu(3): error", false})));
  const auto found = cache.find(kKey);
  ASSERT_TRUE(found);
  ASSERT_FALSE(*found);
  EXPECT_EQ(found->error().log, "kernel.cu(3): error");
  const std::string other(64, 'c');
  ASSERT_TRUE(cache.store(other, tl::make_unexpected(CompileFailure{"cancelled", true})));
  EXPECT_FALSE(cache.find(other));
  ASSERT_TRUE(cache.store(other, tl::make_unexpected(CompileFailure{"out of memory", false, true})));
  EXPECT_FALSE(cache.find(other)) << "the machine's trouble, not the kernel's";
}

TEST(CubinCache, damageIsAMissAndIsMendedByTheNextStore) {
  const test::TempDir folder;
  const CubinCache cache(folder.path());
  ASSERT_TRUE(cache.store(kKey, sample()));
  const fs::path file = only_file(folder.path());
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto write = [&](const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  };
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{10}, std::size_t{90}, whole.size() / 2, whole.size() - 1}) {
    write(whole.substr(0, size));
    EXPECT_FALSE(cache.find(kKey)) << size;
  }
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x20);
    write(flipped);
    EXPECT_FALSE(cache.find(kKey)) << at;
  }
  write(whole + "more");
  EXPECT_FALSE(cache.find(kKey));
  ASSERT_TRUE(cache.store(kKey, sample()));
  EXPECT_TRUE(cache.find(kKey));
}

TEST(CubinCache, anEntryUnderAnotherNameIsAMiss) {
  const test::TempDir folder;
  const CubinCache cache(folder.path());
  ASSERT_TRUE(cache.store(kKey, sample()));
  const fs::path file = only_file(folder.path());
  const std::string other = "aa" + std::string(62, 'b');
  fs::copy_file(file, file.parent_path() / (other + ".cubin"));
  EXPECT_FALSE(cache.find(other));
  EXPECT_FALSE(cache.find("../../etc/passwd"));
  EXPECT_FALSE(cache.store("../escape", sample()));
}

// Readers in other processes see a complete entry or none while eight writers replace it.
TEST(CubinCache, manyProcessesShareIt) {
  const test::TempDir folder;
  std::vector<pid_t> children;
  for (int child = 0; child < 8; ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      const CubinCache cache(folder.path());
      bool ok = true;
      for (int i = 0; i < 40; ++i) {
        ok = ok && cache.store(kKey, sample());
        const auto found = cache.find(kKey);
        ok = ok && found && *found && (*found)->image == sample().image;
      }
      _exit(ok ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 1;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 1) << "no temporary file is left";
}

TEST(CubinCache, aPlaceThatCannotBeWrittenIsNamed) {
  const test::TempDir folder;
  std::ofstream(folder / "file") << "in the way";
  const CubinCache cache(folder / "file");
  const auto stored = cache.store(kKey, sample());
  ASSERT_FALSE(stored);
  EXPECT_THAT(stored.error().message, testing::HasSubstr((folder / "file").string()));
  EXPECT_FALSE(cache.find(kKey));
}

TEST(CubinCache, theStandardPlaceFollowsTheEnvironment) {
  ::setenv("XDG_CACHE_HOME", "/some/where", 1);
  EXPECT_EQ(CubinCache().directory(), "/some/where/warptune");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/somewhere/else", 1);
  EXPECT_EQ(CubinCache().directory(), "/somewhere/else/.cache/warptune");
}

} // namespace
} // namespace warptune
