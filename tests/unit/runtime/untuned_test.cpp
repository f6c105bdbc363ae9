// Kernels without a usable result: of a shipped kernel, the configuration with the shortest expected time is launched.
#include "support/fake_cuda.h"
#include "support/paths.h"
#include "unit/runtime/fixture.h"
#include "warptune/warptune.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace warptune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// WIDTH=8,SPLIT=1 has the shortest expected time.
KernelRecord estimated_record() {
  KernelRecord record = blend_record();
  std::string spec = kBlendSpec;
  spec.replace(spec.find("\"format\": 1"), 11, "\"format\": 2");
  spec.insert(spec.find("\"launches\""), "\"expected_us\": \"100.0 / WIDTH + 10 * SPLIT\",\n  ");
  for (auto& [name, text] : record.files)
    if (name == "spec.json") text = spec;
  return with_own_hash(std::move(record));
}

// The database has a result and the default's program for mode=plain; the tests ask for mode=clamped.
class RuntimeUntuned : public testing::Test {
 protected:
  RuntimeUntuned() {
    setenv("WARPTUNE_LIBCUDA", (program_dir() / "libwt_fake_cuda.so").c_str(), 1);
    setenv("XDG_CACHE_HOME", dir_.path().c_str(), 1);
    fake_set_context(reinterpret_cast<void*>(0x3000));
    fake_fail_launches(0);
    fake_set_arg_count(4);
    const KernelRecord record = estimated_record();
    add_tuned(dir_ / "t.db", {{"n=1024;fp32;mode=plain", "WIDTH=1,SPLIT=1", "Fake H200", "fake image"}}, record);
    std::filesystem::create_directories(dir_ / "templates" / "blend");
    for (const auto& [name, text] : record.files) std::ofstream(dir_ / "templates" / "blend" / name) << text;
  }
  ~RuntimeUntuned() override {
    unsetenv("WARPTUNE_TEMPLATES");
    unsetenv("WARPTUNE_NVRTC");
    unsetenv("XDG_CACHE_HOME");
  }
  void ship() { setenv("WARPTUNE_TEMPLATES", (dir_ / "templates").c_str(), 1); }

  TempDir dir_;
};

TEST_F(RuntimeUntuned, OnlyOfAShippedKernelIsAChoiceByExpectedTime) {
  const auto explained = [&](int jit) {
    const warptune::Library library((dir_ / "t.db").string(), {jit, {}});
    return library.kernel("blend", "fp32", "mode=clamped").explain({1024}, "Fake H200");
  };
  EXPECT_EQ(explained(0).match, WT_MATCH_DEFAULT);
  EXPECT_EQ(explained(1).match, WT_MATCH_DEFAULT) << "the kernel is not shipped";
  ship();
  EXPECT_EQ(explained(0).match, WT_MATCH_DEFAULT) << "nothing may be compiled";
  const auto found = explained(1);
  EXPECT_EQ(found.match, WT_MATCH_EXPECTED_TIME);
  EXPECT_THAT(found.text, AllOf(HasSubstr("WIDTH=8,SPLIT=1 (expected time: "),
                                HasSubstr("of 8 configurations (22.5 us; the default: 110 us)")));
}

TEST_F(RuntimeUntuned, TheDefaultRunsIfTheChoiceByExpectedTimeDoesNotCompile) {
  ship();
  setenv("WARPTUNE_NVRTC", "libno_such_nvrtc.so", 1);
  const warptune::Library library((dir_ / "t.db").string(), {1, {}});
  const warptune::Operation operation = library.prepare("blend", "n=1024", "fp32", "mode=clamped");
  EXPECT_EQ(operation.config(), "WIDTH=1,SPLIT=1");
  EXPECT_EQ(operation.match(), WT_MATCH_DEFAULT);
  EXPECT_THAT(operation.explain(), AllOf(HasSubstr("the choice by expected time failed: "), HasSubstr("NVRTC")));
  EXPECT_THROW(library.prepare("blend", "n=1032", "fp32", "mode=clamped"), warptune::v0::Error)
      << "the default needs another program for this shape, which cannot be compiled either";
}

} // namespace
} // namespace warptune::test
