#include "cli/progress.h"
#include "cli/table.h"

#include <gtest/gtest.h>

namespace warptune::cli {
namespace {

Progress half_way() {
  Progress p;
  p.phase = "compiling and measuring";
  p.done = 410;
  p.total = 820;
  p.best_us = 150.25;
  p.best_share = 0.921;
  p.by_status = {{TrialStatus::ok, 400}, {TrialStatus::compile_failed, 7}, {TrialStatus::wrong_result, 3}};
  p.elapsed_s = 80;
  p.eta_s = 80;
  return p;
}

TEST(LiveLine, ShowsEverythingWhereThereIsRoom) {
  EXPECT_EQ(
      render_live("softmax", half_way(), {200, false}),
      "softmax  compiling and measuring  [##########..........]  410/820  50 %  best 150.25 us (92.1 % of roofline)  "
      "10 failed (7 compile failed, 3 wrong result)  ETA 1m20s");
}

TEST(LiveLine, FitsEveryWidth) {
  for (int width = 1; width <= 200; ++width)
    EXPECT_LE(display_width(render_live("softmax", half_way(), {width, false})), static_cast<std::size_t>(width));
}

TEST(LiveLine, LeavesOutTheLeastImportantFirst) {
  EXPECT_EQ(render_live("softmax", half_way(), {80, false}),
            "410/820  best 150.25 us (92.1 % of roofline)  10 failed  ETA 1m20s");
  EXPECT_EQ(render_live("softmax", half_way(), {40, false}), "410/820  best 150.25 us  ETA 1m20s");
  EXPECT_EQ(render_live("softmax", half_way(), {10, false}), "410/820");
  EXPECT_EQ(render_live("softmax", half_way(), {5, false}), "41...");
}

TEST(LiveLine, ColoursTakeNoRoom) {
  const std::string plain = render_live("softmax", half_way(), {120, false});
  const std::string colored = render_live("softmax", half_way(), {120, true});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(colored.find("\x1b[32mbest 150.25 us"), std::string::npos);
}

TEST(LiveLine, NothingMeasuredYet) {
  Progress p;
  p.total = 820;
  EXPECT_EQ(render_live("softmax", p, {120, false}), "softmax  [....................]  0/820  0 %");
}

TEST(LiveLine, APhaseWithoutTrials) {
  Progress p;
  p.phase = "preparing the device";
  EXPECT_EQ(render_live("softmax", p, {120, false}), "softmax  preparing the device");
  EXPECT_EQ(render_plain("softmax", p), "softmax: preparing the device");
}

TEST(LiveLine, CheckingTheWinnerHasNoCount) {
  Progress p = half_way();
  p.phase = "checking the winner";
  p.done = 5;
  p.total = 15;
  EXPECT_EQ(render_plain("softmax", own_count(p)), "softmax: checking the winner, best 150.25 us (92.1 % of roofline), "
                                                   "10 failed (7 compile failed, 3 wrong result)");
  p.phase = "certifying";
  EXPECT_NE(render_plain("softmax", own_count(p)).find("5/15 (33 %)"), std::string::npos);
}

TEST(LiveLine, TitlesFromOutsideAreSanitised) {
  Progress p;
  p.total = 1;
  EXPECT_EQ(render_live("a\x1b[2J", p, {120, false}).find('\x1b'), std::string::npos);
}

TEST(PlainLine, IsASentenceForALog) {
  EXPECT_EQ(render_plain("softmax", half_way()),
            "softmax: compiling and measuring: 410/820 (50 %), best 150.25 us (92.1 % of roofline), "
            "10 failed (7 compile failed, 3 wrong result), ETA 1m20s");
}

TEST(PlainLine, LeavesOutWhatIsNotKnown) {
  Progress p;
  p.done = 3;
  EXPECT_EQ(render_plain("softmax", p), "softmax: 3");
}

} // namespace
} // namespace warptune::cli
