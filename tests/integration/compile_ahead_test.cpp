// Compiling ahead for a description with build commands.
#include "support/built_kernel.h"
#include "support/session_fixture.h"
#include "tuner/compile_ahead.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warptune {
namespace {

TEST(CompileAheadOfBuilt, AVersionCommandThatTakesLongHoldsUpNoSession) {
  const test::TempDir dir;
  const test::BuiltKernel folder;
  const std::string begun = (dir / "begun").string(), answer = (dir / "answer").string();
  ASSERT_EQ(::mkfifo(begun.c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(answer.c_str(), 0600), 0);
  auto kernel = std::make_shared<Kernel>(folder.load());
  for (Implementation& one : kernel->spec.implementations)
    if (one.build) one.build->version = {"sh", "-c", "echo > " + begun + "; read line < " + answer + "; echo $line"};
  SweepJob job{kernel, test::toy_problem(*kernel), {}};
  job.options.allow_build = true;
  job.options.device = "toy:";
  const std::atomic<bool> stop{false};
  CompilePool pool(1);
  CompileAhead ahead(pool, dir / "t.db", stop);
  ahead.want(7, job, {test::program_dir() / "test_worker", "toy:", dir.path().string()}, test::toy_device());
  test::read_text(begun);
  ahead.forget(7);                                 // as a session does when it begins
  const int fd = ::open(answer.c_str(), O_WRONLY); // the command is still waiting for it
  ASSERT_GE(fd, 0);
  EXPECT_EQ(::write(fd, "1.0\n", 4), 4);
  ::close(fd);
}

} // namespace
} // namespace warptune
