// Packs in the runtime, over a stand-in for the driver: cubins are found by their key and never compiled unless the
// application allows it; then the real compiler works in the background while existing cubins run.
#include "jit/compiler.h"
#include "support/count_allocations.h"
#include "unit/runtime/pack_fixture.h"
#include "warptune/warptune.hpp"

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

namespace warptune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void* const kStream = reinterpret_cast<void*>(0x99);

TEST_F(RuntimePack, ProgramsAreFoundByTheirKey) {
  const std::string path =
      write("WIDTH=4,SPLIT=1", {program("n=1024", "WIDTH=4,SPLIT=1"), program("n=1023", "WIDTH=1,SPLIT=1")});
  const warptune::v0::Library library(path);
  EXPECT_EQ(library.kernels(), std::vector<std::string>{"blend"});
  const warptune::v0::Kernel kernel = library.kernel("blend");
  const warptune::v0::Operation exact = kernel.select({1024});
  EXPECT_EQ(exact.match(), WT_MATCH_EXACT);
  EXPECT_EQ(exact.predicted_loss(), 0);
  EXPECT_EQ(kernel.select({2048}).config(), "WIDTH=4,SPLIT=1") << "another shape, the same program";
  const warptune::v0::Operation odd = kernel.select({1020});
  EXPECT_EQ(odd.config(), "WIDTH=1,SPLIT=1") << odd.explain();
  EXPECT_EQ(odd.match(), WT_MATCH_DEFAULT);
  EXPECT_THAT(odd.explain(), HasSubstr("no cubin"));
  auto* x = reinterpret_cast<float*>(0x10000);
  kernel(kStream, {1020}, x, 2.0F, x);
  EXPECT_STREQ(fake_launch().function, "WIDTH=1,SPLIT=1");
  EXPECT_THROW(library.kernel("softmax"), warptune::v0::Error) << "a pack is all there is";
}

// The key of a cubin depends on its source: a pack that a better compiler built again has the same keys.
TEST_F(RuntimePack, AnotherProgramOfTheSameKeyIsAnotherProgram) {
  auto* x = reinterpret_cast<float*>(0x10000);
  CubinRecord made = program("n=1024", "WIDTH=4,SPLIT=1");
  warptune::v0::Library library(write("WIDTH=4,SPLIT=1", {made}));
  const warptune::v0::Kernel kernel = library.kernel("blend");
  const warptune::v0::Operation before = kernel.select({1024});
  before.launch(kStream, x, 1.0F, x);
  EXPECT_STREQ(fake_launch().function, "WIDTH=4,SPLIT=1");

  made.lowered_names = {"cured"};
  const std::string path = write("WIDTH=4,SPLIT=1", {made});
  ASSERT_TRUE(library.reload());
  kernel(kStream, {1024}, x, 1.0F, x);
  EXPECT_STREQ(fake_launch().function, "cured");
  before.launch(kStream, x, 1.0F, x);
  EXPECT_STREQ(fake_launch().function, "WIDTH=4,SPLIT=1") << "what was handed out stays";

  const int loaded = fake_modules_loaded();
  kernel(kStream, {2048}, x, 1.0F, x);
  EXPECT_EQ(fake_modules_loaded(), loaded) << "the same program, shared";
  const warptune::v0::Library same(path);
  same.kernel("blend")(kStream, {1024}, x, 1.0F, x);
  EXPECT_EQ(fake_modules_loaded(), loaded) << "by all that have the file";

  made.image += " of a newer compiler";
  const warptune::v0::Library other(write("WIDTH=4,SPLIT=1", {made}));
  other.kernel("blend")(kStream, {1024}, x, 1.0F, x);
  EXPECT_EQ(fake_modules_loaded(), loaded + 1);

  const warptune::v0::Library none(write("WIDTH=4,SPLIT=1", {}));
  EXPECT_THROW(none.kernel("blend").select({1024}), warptune::v0::Error) << "another file's program serves nobody else";
}

// A database has cubins that no result names, under the compiler's key.
TEST_F(RuntimePack, AnotherDatabasesProgramOfTheCompilersKeyIsAnotherProgram) {
  const auto database = [&](const std::string& name) {
    const std::filesystem::path path = dir_ / (name + ".db");
    add_tuned(path, {{"n=1024;fp32;mode=plain", "WIDTH=4,SPLIT=1"}}, record_);
    const CompileRequest request =
        must(request_of(spec_, SourceFiles{record_.files}, must(make_problem(spec_, "n=1024", "", {})),
                        must(parse_config(spec_, "WIDTH=4,SPLIT=1")), fake_device()));
    must(must(Writer::open(path)).put_cubin({compile_key(request), "sm_90a", "fake " + name, {name}}));
    return path.string();
  };
  auto* x = reinterpret_cast<float*>(0x10000);
  const warptune::v0::Library one(database("one")), other(database("other"));
  one.kernel("blend")(kStream, {1024}, x, 1.0F, x);
  EXPECT_STREQ(fake_launch().function, "one");
  other.kernel("blend")(kStream, {1024}, x, 1.0F, x);
  EXPECT_STREQ(fake_launch().function, "other");
}

TEST_F(RuntimePack, WithoutAProgramNothingIsCompiled) {
  const warptune::v0::Library library(write("WIDTH=4,SPLIT=1", {program("n=1024", "WIDTH=4,SPLIT=1")}));
  try {
    library.kernel("blend").select({1020});
    FAIL();
  } catch (const warptune::v0::Error& error) {
    EXPECT_EQ(error.status(), WT_NO_CANDIDATE) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("no cubin"));
  }
}

TEST_F(RuntimePack, ATunedShapeWhoseProgramTheFileLacksFallsBack) {
  const std::string path = write("WIDTH=4,SPLIT=1", {program("n=1024", "WIDTH=1,SPLIT=1")});
  const warptune::v0::Library library(path);
  const warptune::v0::Kernel kernel = library.kernel("blend");
  const warptune::v0::Operation other = kernel.select({1024});
  EXPECT_EQ(other.config(), "WIDTH=1,SPLIT=1");
  EXPECT_EQ(other.match(), WT_MATCH_DEFAULT);
  EXPECT_THAT(other.explain(), HasSubstr("no cubin"));
  EXPECT_EQ(kernel.explain({1024}, "Fake H200").text, other.explain());
}

// A changed byte in an image is found when the image is read; the rest of the pack still works.
TEST_F(RuntimePack, ADamagedProgramIsPassedOver) {
  CubinRecord damaged = program("n=1024", "WIDTH=4,SPLIT=1");
  damaged.image.resize(20000, '#'); // large enough for separate pages
  damaged.image.replace(9000, 12, "a bad sector");
  const std::string path = write("WIDTH=4,SPLIT=1", {damaged, program("n=1024", "WIDTH=1,SPLIT=1")});
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t at = bytes.find("a bad sector");
  ASSERT_NE(at, std::string::npos);
  file.clear();
  file.seekp(static_cast<std::streamoff>(at));
  file << "A";
  file.close();
  const warptune::v0::Library library(path);
  const warptune::v0::Kernel kernel = library.kernel("blend");
  const warptune::v0::Operation other = kernel.select({1024});
  EXPECT_EQ(other.config(), "WIDTH=1,SPLIT=1") << other.explain();
  EXPECT_THAT(other.explain(), AllOf(HasSubstr("none of the 1 tuned"), HasSubstr("its stored cubin cannot be used"),
                                     HasSubstr("is damaged: page")));
  EXPECT_EQ(kernel.select({2048}).config(), "WIDTH=1,SPLIT=1");
  EXPECT_EQ(kernel.explain({1024}, "Fake H200").text, other.explain());
}

// Only the driver finds these: an image that it refuses, or one that lacks a kernel.
TEST_F(RuntimePack, AProgramThatCannotBeLoadedIsPassedOver) {
  CubinRecord broken = program("n=1024", "WIDTH=4,SPLIT=1");
  broken.image = "no program";
  const std::string path = write("WIDTH=4,SPLIT=1", {broken, program("n=1024", "WIDTH=1,SPLIT=1")});
  const warptune::v0::Library library(path);
  const warptune::v0::Kernel kernel = library.kernel("blend");
  const warptune::v0::Operation other = kernel.select({1024});
  EXPECT_EQ(other.config(), "WIDTH=1,SPLIT=1") << other.explain();
  EXPECT_THAT(other.explain(), HasSubstr("its stored cubin cannot be used: cannot load a compiled kernel"));
  auto* x = reinterpret_cast<float*>(0x10000);
  kernel(kStream, {1024}, x, 1.0F, x);
  EXPECT_STREQ(fake_launch().function, "WIDTH=1,SPLIT=1");

  const warptune::v0::Library none(write("WIDTH=4,SPLIT=1", {broken}));
  try {
    none.kernel("blend").select({1024});
    FAIL();
  } catch (const warptune::v0::Error& error) {
    EXPECT_EQ(error.status(), WT_NO_CANDIDATE) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("its stored cubin cannot be used"));
  }
}

TEST_F(RuntimePack, ATunedShapeWhoseProgramTheFileLacksIsCompiled) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const std::string path = write("WIDTH=4,SPLIT=1", {program("n=1024", "WIDTH=1,SPLIT=1")});
  const warptune::v0::Library library(path, {1, {}});
  const warptune::v0::Kernel kernel = library.kernel("blend");
  const warptune::v0::Operation first = kernel.select({1024});
  EXPECT_EQ(first.config(), "WIDTH=1,SPLIT=1") << first.explain();
  EXPECT_THAT(first.explain(), HasSubstr("is being compiled in the background"));
  kernel.prefetch({1024});
  EXPECT_EQ(kernel.select({1024}).match(), WT_MATCH_EXACT);
}

TEST_F(RuntimePack, TheDefaultRunsUntilTheBetterOneIsCompiled) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const std::string path =
      write("WIDTH=4,SPLIT=1", {program("n=1024", "WIDTH=4,SPLIT=1"), program("n=1023", "WIDTH=1,SPLIT=1")});
  const warptune::v0::Library library(path, {1, {}});
  const warptune::v0::Kernel kernel = library.kernel("blend");
  const warptune::v0::Operation first = kernel.select({1020});
  EXPECT_EQ(first.config(), "WIDTH=1,SPLIT=1") << first.explain();
  EXPECT_THAT(first.explain(), HasSubstr("WIDTH=4,SPLIT=1 is being compiled in the background"));
  kernel.prefetch({1020}); // waits for the compiler
  const warptune::v0::Operation better = kernel.select({1020});
  EXPECT_EQ(better.config(), "WIDTH=4,SPLIT=1") << better.explain();
  auto* x = reinterpret_cast<float*>(0x10000);
  first.launch(kStream, x, 1.0F, x); // an operation that the application has stays valid
}

// The default that was withdrawn when the better configuration was compiled still serves a capture, which must not load
// a module.
TEST_F(RuntimePack, WhatWasWithdrawnServesACapture) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const std::string path =
      write("WIDTH=4,SPLIT=1", {program("n=1024", "WIDTH=4,SPLIT=1"), program("n=1023", "WIDTH=1,SPLIT=1")});
  const warptune::v0::Library library(path, {1, {}});
  const warptune::v0::Kernel kernel = library.kernel("blend");
  EXPECT_EQ(kernel.select({1020}, 0, kStream).config(), "WIDTH=1,SPLIT=1");
  kernel.prefetch({1016}); // another shape with the same cubin: waits for the compiler, but selects nothing for 1020
  fake_capture(kStream);
  EXPECT_EQ(kernel.select({1020}, 0, kStream).config(), "WIDTH=1,SPLIT=1");
  fake_capture(nullptr);
  EXPECT_EQ(kernel.select({1020}, 0, kStream).config(), "WIDTH=4,SPLIT=1");
}

TEST_F(RuntimePack, NotReadyWhereNothingCanRunYet) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const warptune::v0::Library library(write("WIDTH=4,SPLIT=1", {}), {1, {}});
  const warptune::v0::Kernel kernel = library.kernel("blend");
  try {
    kernel.select({1024});
    FAIL();
  } catch (const warptune::v0::Error& error) {
    EXPECT_EQ(error.status(), WT_NOT_READY) << error.what();
    EXPECT_THAT(error.what(), AllOf(HasSubstr("compiled in the background"), HasSubstr("wt_prefetch")));
  }
  kernel.prefetch({1024});
  EXPECT_EQ(kernel.select({1024}).config(), "WIDTH=4,SPLIT=1");
}

// A compiler that takes a second longer.
std::string slow_compiler(const std::filesystem::path& file) {
  std::ofstream(file) << "#!/bin/sh\nsleep 1\nexec '" << cli().string() << "' \"$@\"\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file.string();
}

wt_status status_of_select(const warptune::v0::Kernel& kernel, std::int64_t n) {
  try {
    kernel.select({n});
    return WT_OK;
  } catch (const warptune::v0::Error& error) {
    return error.status();
  }
}

// Applications call in a loop until the kernel can run.
TEST_F(RuntimePack, WaitingForACompileDoesNotSelectAgain) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  setenv("WARPTUNE_PROGRAM", slow_compiler(dir_ / "warptune").c_str(), 1);
  const warptune::v0::Library library(write("WIDTH=4,SPLIT=1", {}), {1, {}});
  const warptune::v0::Kernel kernel = library.kernel("blend");
  const auto status_and_work = [&](std::int64_t n) {
    const long before = allocation_count();
    const wt_status status = status_of_select(kernel, n);
    return std::pair(status, allocation_count() - before);
  };
  const auto [first, work] = status_and_work(1024);
  const auto [second, less_work] = status_and_work(1024);
  EXPECT_EQ(first, WT_NOT_READY);
  EXPECT_EQ(second, WT_NOT_READY);
  EXPECT_LT(less_work, work / 10);
  EXPECT_GT(status_and_work(2048).second, work / 10) << "another shape is selected on its own";
  kernel.prefetch({1024});
  EXPECT_EQ(status_and_work(1024).first, WT_OK) << "the compilation is done";
}

TEST_F(RuntimePack, WhatIsCompiledForAnotherShapeRunsMeanwhile) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  setenv("WARPTUNE_PROGRAM", slow_compiler(dir_ / "warptune").c_str(), 1);
  const warptune::v0::Library library(write("WIDTH=4,SPLIT=1", {}), {1, {}});
  const warptune::v0::Kernel kernel = library.kernel("blend");
  EXPECT_EQ(status_of_select(kernel, 1021), WT_NOT_READY);
  EXPECT_EQ(status_of_select(kernel, 1020), WT_NOT_READY);
  while (status_of_select(kernel, 1021) == WT_NOT_READY) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(status_of_select(kernel, 1020), WT_OK) << "its own program takes another second";
}

// Its source is not a shipped template, so this process does not compile it.
TEST_F(RuntimePack, AStrangersSourceWithoutTheProgramIsNotCompiled) {
  setenv("WARPTUNE_PROGRAM", "/nonexistent/warptune", 1);
  const std::string path = write("WIDTH=4,SPLIT=1", {program("n=1023", "WIDTH=1,SPLIT=1")});
  const warptune::v0::Library library(path, {1, {}});
  const warptune::v0::Kernel kernel = library.kernel("blend");
  kernel.prefetch({1020});
  const warptune::v0::Operation chosen = kernel.select({1020});
  EXPECT_EQ(chosen.config(), "WIDTH=1,SPLIT=1");
  EXPECT_THAT(chosen.explain(), HasSubstr("its source did not come with this library"));
  const warptune::v0::Library none(write("WIDTH=4,SPLIT=1", {}), {1, {}});
  try {
    none.kernel("blend").select({1024});
    FAIL();
  } catch (const warptune::v0::Error& error) {
    EXPECT_EQ(error.status(), WT_NO_CANDIDATE) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("WARPTUNE_PROGRAM"));
  }
}

TEST_F(RuntimePack, ASourceThatEndsTheCompilerEndsNoApplication) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const auto program_file = dir_ / "warptune"; // a compiler that crashes on any source
  std::ofstream(program_file) << "#!/bin/sh\nkill -SEGV $$\n";
  std::filesystem::permissions(program_file, std::filesystem::perms::owner_all);
  setenv("WARPTUNE_PROGRAM", program_file.c_str(), 1);
  const std::string path = write("WIDTH=4,SPLIT=1", {program("n=1023", "WIDTH=1,SPLIT=1")});
  const warptune::v0::Library library(path, {1, {}});
  const warptune::v0::Kernel kernel = library.kernel("blend");
  kernel.prefetch({1020});
  EXPECT_THAT(kernel.select({1020}).explain(), HasSubstr("the compile process was killed by signal"));
}

TEST_F(RuntimePack, WhatDoesNotCompileIsPassedOver) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  record_.files.front().second = std::string(kSource) + "#error not today\n";
  record_ = with_own_hash(std::move(record_));
  const std::string path = write("WIDTH=4,SPLIT=1", {program("n=1023", "WIDTH=1,SPLIT=1")});
  const warptune::v0::Library library(path, {1, {}});
  const warptune::v0::Kernel kernel = library.kernel("blend");
  EXPECT_EQ(kernel.select({1020}).config(), "WIDTH=1,SPLIT=1");
  kernel.prefetch({1020});
  const warptune::v0::Operation still = kernel.select({1020});
  EXPECT_EQ(still.config(), "WIDTH=1,SPLIT=1");
  EXPECT_THAT(still.explain(), HasSubstr("could not be compiled"));
}

} // namespace
} // namespace warptune::test
