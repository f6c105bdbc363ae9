// Constraints on terminals that are too narrow for them: they are never cut.
#include "cli/space_output.h"
#include "cli/table.h"

#include <gmock/gmock.h>
#include <sstream>

namespace warptune::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<SearchSpace::Rejection>& rejections() {
  static const std::vector<SearchSpace::Rejection> all = {
      {"BM * BN / (TM * TN) <= max_threads_per_block && BM % TM == 0",
       "a block holds at most 1024 threads, each with a tile", 12345, "cp_async"},
      {"k % 4 == 0", "loads of 16 bytes", 7, "staged"}};
  return all;
}

TEST(SpaceOutput, ANarrowTerminalHasConstraintsBelowTheirCounts) {
  for (const int width : {60, 80}) {
    const std::string text = render_rejections(rejections(), width);
    EXPECT_THAT(text, AllOf(HasSubstr("   12345  cp_async\n    constraint: BM * BN / (TM * TN)"),
                            HasSubstr("BM % TM == 0\n    why: a block holds at most"), Not(HasSubstr("..."))))
        << text;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(SpaceOutput, WhereAllFitsItStandsBeside) {
  for (const int width : {0, 200}) {
    const std::string text = render_rejections(rejections(), width);
    EXPECT_THAT(text, AllOf(HasSubstr("constraint "), HasSubstr("BM % TM == 0  a block holds")));
  }
  EXPECT_EQ(render_rejections({}, 80), "");
}

} // namespace
} // namespace warptune::cli
