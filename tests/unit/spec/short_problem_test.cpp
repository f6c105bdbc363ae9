#include "spec/short_problem.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

TEST(ShortProblem, CutsLongListsAlone) {
  EXPECT_EQ(short_problem("rows=32,cols=8;bf16;log=0"), "rows=32,cols=8;bf16;log=0");
  EXPECT_EQ(short_problem("rows=[1,2,3,4,5,6,7,8],n=1;fp32"), "rows=[1,2,3,4,5,6,7,8],n=1;fp32");
  EXPECT_EQ(short_problem("rows=[1,2,3,4,5,6,7,8,9],n=zipf(64,4096,1),k=[7];fp32"),
            "rows=[1,2,3, ... 9 sizes],n=zipf(64,4096,1),k=[7];fp32");
  EXPECT_EQ(short_problem("rows=[1,2"), "rows=[1,2");
}

} // namespace
} // namespace warptune
