// A machine without a usable cuBLASLt. In its own program, because a library is opened once per process.
#include "gpu/cublaslt_functions.h"
#include "support/paths.h"
#include "support/temp_dir.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string stand_in() { return (test::program_dir() / "libwt_fake_cublaslt.so").string(); }

std::string refusal(const std::vector<std::string>& paths) {
  const auto loaded = load_cublaslt(paths);
  EXPECT_FALSE(loaded);
  return loaded ? "" : loaded.error().message;
}

TEST(NoCublasLt, SaysWhereItLookedAndWhatToDo) {
  ASSERT_EQ(setenv("WARPTUNE_CUBLASLT", "/nowhere/libcublasLt.so", 1), 0);
  const auto opened = open_cublaslt();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::no_candidate);
  EXPECT_THAT(opened.error().message, AllOf(HasSubstr("no cuBLASLt"), HasSubstr("/nowhere/libcublasLt.so"),
                                            HasSubstr("install the CUDA Toolkit's cuBLAS")));
}

TEST(NoCublasLt, RefusesAnOlderVersion) {
  for (const char* old : {"111103", "11401", "119999"}) {
    ASSERT_EQ(setenv("WT_FAKE_CUBLASLT_VERSION", old, 1), 0);
    EXPECT_THAT(refusal({stand_in()}), HasSubstr("no usable cuBLASLt: " + stand_in() + " is cuBLASLt ")) << old;
  }
  ASSERT_EQ(setenv("WT_FAKE_CUBLASLT_VERSION", "111103", 1), 0);
  EXPECT_EQ(refusal({stand_in()}), "no usable cuBLASLt: " + stand_in() +
                                       " is cuBLASLt 11.11; install cuBLAS of CUDA Toolkit 12 or newer, or set "
                                       "WARPTUNE_CUBLASLT to cuBLASLt 12.0 or newer");
  ASSERT_EQ(setenv("WT_FAKE_CUBLASLT_VERSION", "120000", 1), 0);
  const auto loaded = load_cublaslt(std::vector<std::string>{stand_in()});
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->path, std::filesystem::canonical(stand_in()).string());
  ASSERT_EQ(unsetenv("WT_FAKE_CUBLASLT_VERSION"), 0);
}

TEST(NoCublasLt, SaysWhyAFileCannotBeLoadedAndTriesTheNext) {
  const test::TempDir dir;
  const std::string text = (dir / "libcublasLt.so.13").string(), absent = (dir / "libcublasLt.so.12").string();
  std::ofstream(text) << "text";
  EXPECT_THAT(refusal({text, absent}), AllOf(HasSubstr(text + " cannot be loaded ("), HasSubstr("file too short"),
                                             Not(HasSubstr(absent)), HasSubstr("install cuBLAS")));
  EXPECT_TRUE(load_cublaslt(std::vector<std::string>{text, absent, stand_in()}));
  EXPECT_THAT(refusal({"libm.so.6"}), HasSubstr("libm.so.6 has no cublasLt"));
}

} // namespace
} // namespace warptune
