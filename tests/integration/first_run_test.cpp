// An application's first run, without a database: NVRTC compiles shipped kernels and the library launches them, shapes
// are collected however the process ends, and after a sweep the selection is exact. Over a stand-in for the driver.
#include "gpu/real_rows.h"
#include "runtime/misses_file.h"
#include "support/child.h"
#include "support/fake_cuda.h"
#include "support/paths.h"
#include "support/temp_dir.h"
#include "warptune/warptune.hpp"

#include <array>
#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <thread>

namespace warptune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void redirect(const fs::path& path, int to) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ::dup2(file, to);
  ::close(file);
}

class FirstRun : public testing::Test {
 protected:
  struct Ended {
    int code;
    std::string out, err;
  };

  // Launches y = alpha * x + y for n elements.
  static void launch(const v0::Library& library, std::int64_t n) {
    fake_set_context(reinterpret_cast<void*>(0x5000));
    fake_set_arg_count(4);
    const v0::Kernel axpy = library.kernel("axpy");
    const int before = fake_launch().count;
    axpy(nullptr, {n}, reinterpret_cast<void*>(0x10000), reinterpret_cast<void*>(0x20000), 2.0F);
    std::printf("%d launched, %s\n", fake_launch().count - before, wt_match_name(axpy.select({n}).match()));
  }

  // Runs `body` in its own process with these variables; `body` returns the exit code.
  Ended run(const std::function<int()>& body, const std::vector<std::pair<std::string, std::string>>& more = {}) const {
    std::fflush(nullptr); // otherwise the child would write it again
    const int code = run_child([&] {
      redirect(dir_ / "out.txt", STDOUT_FILENO);
      redirect(dir_ / "err.txt", STDERR_FILENO);
      for (const char* name : {"WARPTUNE_DB", "WARPTUNE_MISSES", "WARPTUNE_TEMPLATES"}) ::unsetenv(name);
      ::setenv("XDG_DATA_HOME", (dir_ / "data").c_str(), 1);
      ::setenv("XDG_CACHE_HOME", (dir_ / "cache").c_str(), 1);
      ::setenv("WARPTUNE_LIBCUDA", (program_dir() / "libwt_fake_cuda.so").c_str(), 1);
      for (const auto& [name, value] : more) ::setenv(name.c_str(), value.c_str(), 1);
      const int ended = body();
      std::fflush(nullptr);
      return ended;
    });
    return {code, text_of(dir_ / "out.txt"), text_of(dir_ / "err.txt")};
  }
  Ended run_sizes(const std::vector<std::int64_t>& sizes,
                  const std::vector<std::pair<std::string, std::string>>& more = {}, int signal = 0) const {
    return run(
        [&] {
          const v0::Library& library = *new v0::Library; // never closed
          for (const std::int64_t n : sizes) launch(library, n);
          std::fflush(nullptr);
          if (signal != 0) ::raise(signal);
          return 0;
        },
        more);
  }

  fs::path database() const { return dir_.path() / "data" / "warptune" / "warptune.db"; }
  fs::path collected() const { return dir_.path() / "data" / "warptune" / "warptune.untuned.json"; }
  static std::size_t shapes(const fs::path& path) { return must(parse_misses(text_of(path), "t")).counts.size(); }

  TempDir dir_;
};

TEST_F(FirstRun, LaunchesCollectsAndIsExactAfterwards) {
  const Ended first = run_sizes({4096, 1000, 4096});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, "1 launched, default\n1 launched, default\n1 launched, default\n");
  EXPECT_THAT(first.err, AllOf(HasSubstr("no database at " + database().string()),
                               HasSubstr("`warptune sweep " + collected().string() + "`")));
  EXPECT_EQ(std::count(first.err.begin(), first.err.end(), '\n'), 1) << first.err;
  EXPECT_EQ(shapes(collected()), 2u);
  EXPECT_FALSE(fs::exists(database()));

  DeviceInfo device; // a sweep there would store it
  device.name = "Fake H200";
  device.uuid = "GPU-11111111-1111-1111-1111-111111111111";
  device.arch = "sm_90a";
  add_real_rows(database(), device, "axpy", {"n=4096", "n=1000"}, "UNROLL=4", false);
  const std::string before = text_of(collected());
  const Ended again = run_sizes({4096, 1000});
  EXPECT_EQ(again.out, "1 launched, exact\n1 launched, exact\n");
  EXPECT_THAT(again.err, IsEmpty());
  EXPECT_EQ(text_of(collected()), before);
}

TEST_F(FirstRun, IsCollectedHoweverTheProcessEnds) {
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    fs::remove_all(dir_ / "data");
    EXPECT_EQ(run_sizes({4096, 1000}, {}, signal).code, 128 + signal);
    EXPECT_EQ(shapes(collected()), 2u) << signal;
  }
}

TEST_F(FirstRun, ALibraryThatFoundNoDatabaseTakesTheLaterOne) {
  const Ended ended = run([&] {
    const v0::Library library;
    launch(library, 4096);
    if (library.reload()) return 1;
    DeviceInfo device;
    device.name = "Fake H200";
    device.uuid = "GPU";
    device.arch = "sm_90a";
    add_real_rows(database(), device, "axpy", {"n=4096"}, "UNROLL=4", false);
    if (!library.reload()) return 2;
    launch(library, 4096);
    return 0;
  });
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "1 launched, default\n1 launched, exact\n");
}

TEST_F(FirstRun, TheEnvironmentNamesTheDatabaseAndTheFile) {
  const std::string db = (dir_ / "mine.db").string(), file = (dir_ / "shapes.json").string();
  const Ended beside = run_sizes({4096}, {{"WARPTUNE_DB", db}});
  EXPECT_THAT(beside.err, HasSubstr("mine.untuned.json"));
  EXPECT_EQ(shapes(dir_ / "mine.untuned.json"), 1u);

  const Ended named = run_sizes({4096}, {{"WARPTUNE_MISSES", file}});
  EXPECT_EQ(named.code, 0);
  EXPECT_THAT(named.err, IsEmpty()) << "whoever named it knows where it is";
  EXPECT_EQ(shapes(file), 1u);
  EXPECT_FALSE(fs::exists(collected()));
}

TEST_F(FirstRun, OffIsSilent) {
  const Ended ended = run_sizes({4096}, {{"WARPTUNE_MISSES", "off"}});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "1 launched, default\n");
  EXPECT_THAT(ended.err, IsEmpty());
  EXPECT_FALSE(fs::exists(dir_ / "data"));
  const Ended option = run([&] {
    v0::Options options;
    options.misses_path = "off";
    launch(v0::Library(nullptr, options), 4096);
    return 0;
  });
  EXPECT_THAT(option.err, IsEmpty());
  EXPECT_FALSE(fs::exists(dir_ / "data"));
}

TEST_F(FirstRun, AFolderThatTakesNoFileIsOneLineAndNoError) {
  std::ofstream(dir_ / "data") << "no folder\n";
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>{"TZ", ""}, {"WARPTUNE_MISSES", (dir_ / "no" / "folder.json").string()}}) {
    const Ended ended = run_sizes({4096, 1000}, {{name, value}});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.out, "1 launched, default\n1 launched, default\n");
    EXPECT_THAT(ended.err, HasSubstr("cannot write the untuned shapes"));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  }
}

TEST_F(FirstRun, AnIncompleteLastLineIsRemovedInOneLine) {
  const std::string named = (dir_ / "shapes.json").string();
  for (const std::string& file : {named, collected().string()}) {
    const auto name = file == named ? std::pair<std::string, std::string>{"WARPTUNE_MISSES", file}
                                    : std::pair<std::string, std::string>{"TZ", ""};
    run_sizes({4096, 1000}, {name});
    fs::resize_file(file, text_of(file).find("n=1000"));
    const Ended ended = run_sizes({2000}, {name});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("repaired " + file + ": the end of this file of untuned shapes was incomplete"));
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_EQ(shapes(file), 2u);
    EXPECT_THAT(text_of(file), AllOf(HasSubstr("n=4096"), HasSubstr("n=2000")));
  }
}

TEST_F(FirstRun, ThreadsAndForkedProcessesShareOneFile) {
  const Ended ended = run([&] {
    const v0::Library library;
    const int child = run_child([&] { // before CUDA is used
      const v0::Library own;
      launch(own, 1000);
      launch(own, 2000);
      return 0;
    });
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (const std::int64_t n : {1000, 3000 + t, 5000}) launch(library, n);
      });
    for (std::thread& thread : threads) thread.join();
    return child;
  });
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(shapes(collected()), 7u) << text_of(collected()); // 1000, 2000, 3000 to 3003, 5000
}

TEST_F(FirstRun, AFileThatTheApplicationNamedMustBeThere) {
  const auto opens = [&](const char* path) {
    return [path] {
      wt_library* library = nullptr;
      const wt_status status = wt_open(path, &library);
      std::printf("%s\n", status == WT_OK ? "" : wt_last_error());
      wt_close(library);
      return static_cast<int>(status);
    };
  };
  const Ended named = run(opens("absent.db"));
  EXPECT_EQ(named.code, WT_DATABASE);
  EXPECT_THAT(named.out, HasSubstr("there is no database"));
  const Ended empty = run(opens(""));
  EXPECT_EQ(empty.code, WT_BAD_INPUT) << "only NULL means the default";
  EXPECT_THAT(empty.out, HasSubstr("the path is empty; name a pack or a database, or pass NULL"));
  EXPECT_EQ(run(opens(nullptr), {{"WARPTUNE_DB", (dir_ / "absent.wtpack").string()}}).code, WT_DATABASE);
  EXPECT_EQ(run(opens(nullptr), {{"WARPTUNE_DB", (dir_ / "absent.db").string()}}).code, WT_OK);
}

} // namespace
} // namespace warptune::test
