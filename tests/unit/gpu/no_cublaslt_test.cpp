// A machine without cuBLASLt. In its own program, because a library is opened once per process.
#include "gpu/cublaslt_functions.h"

#include <cstdlib>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(NoCublasLt, SaysWhereItLookedAndWhatToDo) {
  ASSERT_EQ(setenv("WARPTUNE_CUBLASLT", "/nowhere/libcublasLt.so", 1), 0);
  const auto opened = open_cublaslt();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::no_candidate);
  EXPECT_THAT(opened.error().message, AllOf(HasSubstr("no cuBLASLt"), HasSubstr("/nowhere/libcublasLt.so"),
                                            HasSubstr("install the CUDA Toolkit's cuBLAS")));
}

} // namespace
} // namespace warptune
