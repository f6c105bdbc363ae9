// A cubin that a command built, in an application: it is launched as its build.json says, and never built there.
#include "support/fake_cuda.h"
#include "support/use_fake_cuda.h"
#include "unit/runtime/fixture.h"
#include "warptune/warptune.h"

#include <cstdlib>

namespace warptune::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSpec = R"json({
  "format": 2, "name": "copy", "summary": "y = x",
  "problem": {"dims": {"n": {}}, "dtypes": ["fp32"]},
  "params": {"WIDTH": {"values": [1, 2], "default": 1}},
  "build": {"command": ["touch", "RUN"], "inputs": ["build.py"]},
  "arguments": {
    "x": {"buffer": "dtype", "count": "n", "role": "input"},
    "y": {"buffer": "dtype", "count": "n", "role": "output"}
  },
  "launches": [{"kernel": "copy", "grid": [7], "block": [32, 2], "args": ["x", "y"]}],
  "reference": {"launches": [{"kernel": "r", "grid": [1], "block": [32], "args": ["x", "y"]}]},
  "cost": {"bytes_read": "n", "bytes_written": "n", "flops": {}},
  "tolerance": {"default": {"rtol": 1e-6}}
})json";

class RuntimeBuilt : public ::testing::Test {
 protected:
  // `more`: further words of the command.
  explicit RuntimeBuilt(const std::string& more = {}) {
    static std::uintptr_t contexts = 0x9000; // unique, because modules stay loaded in their context
    fake_set_context(reinterpret_cast<void*>(contexts += 0x100));
    fake_set_arg_count(2);
    setenv("XDG_CACHE_HOME", dir_.path().c_str(), 1);
    const DeviceInfo device = fake_device();
    Writer writer = must(Writer::open(path_));
    must(writer.put_device(device));
    std::string spec = kSpec;
    spec.replace(spec.find("RUN\""), 4, (dir_ / "it_ran").string() + "\"" + more);
    const KernelRecord record =
        with_own_hash({0, "copy", "", {{"build.py", "import sys\n"}, {"reference.cu", "//\n"}, {"spec.json", spec}}});
    must(writer.put_kernel(record));
    key_ = cubin_key(record, "n=64;fp32", "WIDTH=1", device);
    BestRecord best;
    best.config = "WIDTH=1";
    best.certified = true;
    best.cubin_hash = key_;
    add_best(writer, device, "copy", record.source_hash, "n=64;fp32", std::move(best));
  }
  void store(const std::string& symbol) const {
    must(must(Writer::open(path_)).put_cubin({key_, "sm_90a", "fake " + symbol, {symbol}}));
  }
  int launch(std::int64_t n = 64) {
    library_ = open_library(path_);
    const wt_operation* operation = nullptr;
    if (const int status = wt_select(find_kernel(library_, "copy"), &n, 1, 0, nullptr, &operation); status != WT_OK)
      return status;
    const void *x = reinterpret_cast<void*>(0x1000), *y = reinterpret_cast<void*>(0x2000);
    const void* args[] = {&x, &y};
    return wt_launch(operation, args, 2, nullptr, nullptr);
  }

  TempDir dir_;
  std::filesystem::path path_ = dir_ / "copy.db";
  std::string key_; // of its cubin
  LibraryHandle library_;
};

TEST_F(RuntimeBuilt, IsLaunchedAsItsCompilerSaid) {
  store("copy_0d1d threads=256 shared=4096");
  ASSERT_EQ(launch(), WT_OK) << wt_last_error();
  const FakeLaunch seen = fake_launch();
  EXPECT_STREQ(seen.function, "copy_0d1d");
  EXPECT_EQ(seen.grid, 7u);
  EXPECT_EQ(seen.block, 256u);
  EXPECT_EQ(seen.shared, 4096u);
}

TEST_F(RuntimeBuilt, AsTheDescriptionSaysWhereTheCompilerDoesNot) {
  store("copy_0d1d");
  ASSERT_EQ(launch(), WT_OK) << wt_last_error();
  EXPECT_EQ(fake_launch().block, 32u);
  EXPECT_EQ(fake_launch().shared, 0u);
}

struct RuntimeBuiltByShape : RuntimeBuilt {
  RuntimeBuiltByShape() : RuntimeBuilt(R"(, "{n}")") {}
};

TEST_F(RuntimeBuilt, ServesAnotherShapeWithTheSameCommand) {
  store("copy_0d1d");
  EXPECT_EQ(launch(128), WT_OK) << wt_last_error();
}

TEST_F(RuntimeBuiltByShape, ServesNoShapeWithAnotherCommand) {
  store("copy_0d1d");
  ASSERT_EQ(launch(64), WT_OK) << wt_last_error();
  EXPECT_NE(launch(128), WT_OK);
  EXPECT_THAT(wt_last_error(), HasSubstr("built by a command"));
}

TEST_F(RuntimeBuilt, NothingIsEverBuilt) {
  EXPECT_NE(launch(), WT_OK);
  EXPECT_THAT(wt_last_error(), HasSubstr("built by a command"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "it_ran"));
}

} // namespace
} // namespace warptune::test
