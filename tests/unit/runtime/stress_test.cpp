// Many threads in all calls at once, over a stand-in for the driver: for the sanitizers (presets tsan and asan), and
// for errors that they do not detect: each caller must get the operation for its own arguments, whatever is reloaded
// meanwhile.
#include "support/fake_cuda.h"
#include "support/use_fake_cuda.h"
#include "unit/runtime/fixture.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace warptune::test {
namespace {

void* const kWorkspace = reinterpret_cast<void*>(0x400000);

void write_database(const std::filesystem::path& path, const char* config) {
  add_tuned(path, {{"n=1024;fp32;mode=plain", config, "Fake H200", "fake image"},
                   {"n=1024;bf16;mode=plain", config, "Fake H200", "fake image of bf16"}});
}

class RuntimeStress : public testing::Test {
 protected:
  RuntimeStress() {
    write_database(dir_ / "one.db", "WIDTH=4,SPLIT=1");
    write_database(dir_ / "two.db", "WIDTH=8,SPLIT=1");
    std::filesystem::copy_file(dir_ / "one.db", path());
    setenv("WARPTUNE_NVRTC", "libno_such_nvrtc.so", 1);
    setenv("XDG_CACHE_HOME", dir_.path().c_str(), 1);
    library_ = open_library(path());
  }
  std::filesystem::path path() const { return dir_ / "t.db"; }

  // The repeated work of a thread; the sizes are multiples of 16, whose cubins are stored.
  void use(unsigned thread, int rounds) {
    fake_set_context(reinterpret_cast<void*>(0x5000 + 0x100 * (thread % 3)));
    fake_set_arg_count(4);
    for (int i = 0; i < rounds; ++i) {
      const wt_kernel* kernel = find_kernel(library_, "blend", i % 2 == 0 ? "fp32" : "bf16");
      const std::int64_t n = 1024 * (1 + (i * 7 + static_cast<int>(thread)) % 30);
      const std::uint64_t x = 0x10000 + 0x10 * static_cast<unsigned>(i), y = 0x900000;
      const float alpha = 1;
      const std::array<const void*, 3> args = {&x, &alpha, &y};
      switch ((i + static_cast<int>(thread)) % 5) {
      case 0:
        expect_ok(wt_prefetch(kernel, &n, 1, 0));
        break;
      case 1: {
        const char* text = nullptr;
        wt_match match = WT_MATCH_DEFAULT;
        expect_ok(wt_kernel_explain(kernel, &n, 1, 0, "Fake H200", &match, &text));
        break;
      }
      case 2: {
        const wt_operation* operation = nullptr;
        expect_ok(wt_select(kernel, &n, 1, 0, nullptr, &operation));
        if (operation == nullptr) break;
        expect_ok(wt_launch(operation, args.data(), 3, kWorkspace, nullptr));
        if (fake_launch().args[3] != static_cast<std::uint64_t>(n)) ++wrong_;
        break;
      }
      default:
        expect_ok(wt_run(kernel, &n, 1, args.data(), 3, kWorkspace, 1 << 20, nullptr));
        if (fake_launch().args[0] != x || fake_launch().args[3] != static_cast<std::uint64_t>(n)) ++wrong_;
      }
    }
  }
  void expect_ok(wt_status status) {
    if (status == WT_OK) return;
    if (failures_.fetch_add(1) == 0) ADD_FAILURE() << wt_last_error();
  }

  TempDir dir_;
  LibraryHandle library_;
  std::atomic<int> failures_{0}, wrong_{0};
};

// Fewer under valgrind, which is a hundred times slower: `make attack` runs many short rounds.
int rounds_of_a_thread() {
  const char* asked = std::getenv("WARPTUNE_STRESS_ROUNDS");
  return asked != nullptr ? std::max(1, std::atoi(asked)) : 400;
}

TEST_F(RuntimeStress, EverythingAtOnce) {
  constexpr int kThreads = 6;
  const int rounds = rounds_of_a_thread(), reloads = 2 + rounds / 40;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) threads.emplace_back([this, t, rounds] { use(t, rounds); });
  int changes = 0;
  for (int i = 0; i < reloads; ++i) {
    std::filesystem::copy_file(dir_ / (i % 2 == 0 ? "two.db" : "one.db"), dir_ / "next.db");
    std::filesystem::rename(dir_ / "next.db", path());
    int changed = 0;
    expect_ok(wt_reload(library_.get(), &changed));
    changes += changed;
    expect_ok(wt_write_misses(library_.get(), (dir_ / "misses.json").c_str()));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(changes, reloads);
  EXPECT_EQ(failures_, 0);
  EXPECT_EQ(wrong_, 0) << "launches that were not what was asked for";
}

} // namespace
} // namespace warptune::test
