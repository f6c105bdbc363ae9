// A compilation in a separate process: it gives the same cubin as one in the caller's process, and a crash of the
// compiler is a failure of the source, not of the caller.
#include "jit/compile_message.h"
#include "jit/compile_process.h"
#include "support/paths.h"
#include "support/temp_dir.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <unistd.h>

namespace warptune {
namespace {

using test::TempDir;
using testing::HasSubstr;

CompileRequest request_of(const std::string& source) {
  CompileRequest request;
  request.source_name = "kernel.cu";
  request.source = source;
  request.headers = {{"head.cuh", "#define N 3\n"}};
  request.options = {"-arch=sm_90a", "--std=c++17", "-default-device"};
  request.name_expressions = {"k<N>"};
  return request;
}

const std::string kScale = "#include \"head.cuh\"\ntemplate <int M> __global__ void k(int* x) { *x = M; }\n";

struct CompileProcess : testing::Test {
  TempDir dir;
  const CubinCache cache{dir / "cache"};
  Result<CompileResult> compiled(const CompileRequest& request) { return compile_apart(test::cli(), cache, request); }
};

TEST_F(CompileProcess, MakesWhatACompileInPlaceMakes) {
  const CompileRequest request = request_of(kScale);
  const auto apart = compiled(request);
  ASSERT_TRUE(apart) << apart.error().message;
  ASSERT_TRUE(*apart) << (*apart).error().log;
  const auto here = compile(request, 0);
  ASSERT_TRUE(here && *here);
  EXPECT_EQ((*apart)->image, (*here)->image);
  EXPECT_EQ((*apart)->lowered_names, (*here)->lowered_names);
  EXPECT_EQ((*apart)->hash, compile_key(request));
  ASSERT_TRUE(cache.find(compile_key(request))) << "and it is kept";
  EXPECT_EQ(compile_apart("/bin/false", cache, request).value()->image, (*here)->image) << "from the cache";
}

TEST_F(CompileProcess, AnErrorOfTheSourceComesWithItsLog) {
  const auto made = compiled(request_of("this is no source\n"));
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_FALSE(*made);
  EXPECT_THAT((*made).error().log, HasSubstr("kernel.cu(1): error"));
  EXPECT_FALSE((*made).error().passing);
}

// Which sources crash a compiler depends on the compiler; this one crashes on any.
TEST_F(CompileProcess, ASourceThatEndsTheCompilerEndsNothingElse) {
  const auto program = dir / "warptune";
  std::ofstream(program) << "#!/bin/sh\nkill -SEGV $$\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const CompileRequest request = request_of(kScale);
  const auto made = compile_apart(program, cache, request);
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_FALSE(*made);
  EXPECT_THAT((*made).error().log, HasSubstr("the compile process was killed by signal 11"));
  EXPECT_TRUE((*made).error().crashed);
  EXPECT_FALSE(cache.find(compile_key(request))) << "another compiler may do better";
}

TEST_F(CompileProcess, OneThatRanOutOfTimeIsSaidToHave) {
  const auto end_by = [&](const char* signal) {
    const auto program = dir / "warptune";
    std::ofstream(program) << "#!/bin/sh\nkill -" << signal << " $$\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return compile_apart(program, cache, request_of(kScale)).value().error();
  };
  EXPECT_TRUE(end_by("ALRM").timed_out);
  EXPECT_TRUE(end_by("ALRM").passing);
  EXPECT_FALSE(end_by("SEGV").timed_out);
}

TEST_F(CompileProcess, InheritsNoFilesOfTheApplication) {
  const auto program = dir / "warptune";
  std::ofstream(program) << "#!/bin/sh\n[ -e /proc/$$/fd/77 ] && echo inherited >&2 || echo alone >&2\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ASSERT_EQ(::dup2(STDERR_FILENO, 77), 77);
  const auto made = compile_apart(program, cache, request_of(kScale));
  ::close(77);
  ASSERT_FALSE(made);
#if __GLIBC_PREREQ(2, 34)
  EXPECT_THAT(made.error().message, HasSubstr("alone"));
#endif
}

TEST_F(CompileProcess, AProgramThatIsNoWarptuneIsAnError) {
  for (const char* program : {"/bin/true", "/bin/false", "/nonexistent"}) {
    const auto made = compile_apart(program, cache, request_of(kScale));
    ASSERT_FALSE(made) << program;
    EXPECT_THAT(made.error().message, HasSubstr(std::string("cannot compile in a separate process with ") + program));
  }
}

TEST(CompileMessage, OfAnotherVersionOrCutIsNone) {
  const CompileRequest request = request_of(kScale);
  const std::string order = encode_order({request, 1.5});
  const auto read = decode_order(order);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->timeout_s, 1.5);
  EXPECT_EQ(read->request.headers, request.headers);
  EXPECT_EQ(read->request.options, request.options);
  EXPECT_EQ(compile_key(read->request, "x"), compile_key(request, "x"));
  for (std::size_t size = 0; size < order.size(); ++size) EXPECT_FALSE(decode_order(order.substr(0, size))) << size;
  std::string other = order;
  other[other.find("order of") + 9] ^= 1;
  EXPECT_FALSE(decode_order(other));
  const std::string answer =
      encode_answer("key", CompileResult(tl::make_unexpected(CompileFailure{"log", true, true})));
  ASSERT_TRUE(decode_answer("key", answer));
  EXPECT_TRUE((**decode_answer("key", answer)).error().timed_out);
  EXPECT_FALSE(decode_answer("other", answer)) << "the answer to another request";
  for (std::size_t size = 0; size < answer.size(); ++size) EXPECT_FALSE(decode_answer("key", answer.substr(0, size)));
  EXPECT_FALSE(decode_order(order + "x"));
  EXPECT_FALSE(decode_answer("key", answer + "x"));
}

TEST(CompileMessage, AFailureArrivesAsWhatItIs) {
  const auto sent = [](const Result<CompileResult>& answer) {
    return decode_answer("key", encode_answer("key", answer)).value();
  };
  for (const CompileFailure& failure : {CompileFailure{"log", true, false}, CompileFailure{"log", false, true}}) {
    const CompileFailure arrived = sent(CompileResult(tl::make_unexpected(failure))).value().error();
    EXPECT_EQ(arrived.log, "log");
    EXPECT_EQ(arrived.timed_out, failure.timed_out);
    EXPECT_EQ(arrived.passing, failure.passing) << "what passes is not kept";
  }
  for (const ErrorKind kind : {ErrorKind::no_device, ErrorKind::internal}) {
    const auto arrived = sent(fail(kind, "why"));
    ASSERT_FALSE(arrived);
    EXPECT_EQ(arrived.error().kind, kind);
    EXPECT_EQ(arrived.error().message, "why");
  }
}

TEST(FindCompileProgram, IsTheOneThatIsNamedOrNone) {
  ::setenv("WARPTUNE_PROGRAM", test::cli().c_str(), 1);
  EXPECT_EQ(find_compile_program(), test::cli());
  ::setenv("WARPTUNE_PROGRAM", "/nonexistent/warptune", 1);
  EXPECT_FALSE(find_compile_program());
  const TempDir dir;
  std::ofstream(dir / "warptune") << "no program\n";
  for (const auto& none : {dir / "warptune", dir.path()}) {
    ::setenv("WARPTUNE_PROGRAM", none.c_str(), 1);
    EXPECT_FALSE(find_compile_program()) << none;
  }
  ::unsetenv("WARPTUNE_PROGRAM");
}

} // namespace
} // namespace warptune
