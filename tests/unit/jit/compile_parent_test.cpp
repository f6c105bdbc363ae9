// A compile process whose parent ended before the compile process could ask to be killed with it.
#include "jit/compile_message.h"
#include "jit/compile_process.h"
#include "support/child.h"
#include "support/temp_dir.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warptune::test {
namespace {

TEST(CompileParent, NothingIsCompiledForAParentThatHasEnded) {
  const TempDir dir;
  std::ofstream(dir / "order", std::ios::binary) << encode_order({CompileRequest{}, 1.0});
  const pid_t test = ::getpid();
  const auto code_of = [&](const std::string& parent) {
    return run_child([&] {
      ::dup2(::open((dir / "order").c_str(), O_RDONLY), STDIN_FILENO);
      ::dup2(::open((dir / "answer").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
      return compile_process_main(parent);
    });
  };
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(ended, nullptr, 0), ended);
  EXPECT_EQ(code_of(std::to_string(ended)), static_cast<int>(ErrorKind::internal));
  EXPECT_EQ(std::filesystem::file_size(dir / "answer"), 0U);
  EXPECT_EQ(code_of(std::to_string(test)), 0) << "the answer may be an error, because the order names no source";
  EXPECT_GT(std::filesystem::file_size(dir / "answer"), 0U);
  EXPECT_EQ(code_of(std::to_string(::getppid())), 0) << "a script between both has another pid, and may go on";
}

} // namespace
} // namespace warptune::test
