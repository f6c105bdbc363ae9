// The picture: its marks and names, and the places of its labels.
#include "report/report_svg.h"
#include "report/svg_axis.h"
#include "support/sample_view.h"

#include <cmath>
#include <gmock/gmock.h>

namespace warptune::report {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

// The y of the last text with this prefix.
double height_of(const std::string& svg, const std::string& text) {
  const std::size_t at = svg.rfind(">" + text);
  EXPECT_NE(at, std::string::npos) << text;
  return at == std::string::npos ? 0 : std::stod(svg.substr(svg.rfind(" y=\"", at) + 4));
}

TEST(ReportSvg, MarksAndRoofs) {
  View view = sample_view(40);
  view.baselines.push_back({"cuBLAS 13.1", "torch", 103, 0, 0, true});
  const std::string svg = svg_text(view);
  EXPECT_THAT(svg, AllOf(HasSubstr("prefers-color-scheme:dark"), HasSubstr(">best 100.00 us, 93 % of the roof<"),
                         HasSubstr(">default 100.74 us<"), HasSubstr(">cuBLAS 13.1"), HasSubstr(">DRAM 4300 GB/s<"),
                         HasSubstr(">fp32 64 TFLOP/s<"), HasSubstr(">operations per byte<")));
  EXPECT_THAT(svg, HasSubstr("class=\"wt-h\"")) << "the theoretical roof is dashed";
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  EXPECT_EQ(count(svg, "http"), 1U) << "nothing is loaded: the one is the name of the format";
  EXPECT_THAT(svg, Not(HasSubstr("href")));
}

TEST(ReportSvg, WithoutOperationsItIsABandwidthChart) {
  View view = sample_view();
  view.cost->flops.clear();
  view.roofs.pop_back();
  for (Point& p : view.points) {
    p.tflops = 0;
    p.levels[0].intensity = 0;
  }
  const std::string svg = svg_text(view);
  EXPECT_THAT(svg, AllOf(HasSubstr(">GB/s<"), HasSubstr(">time, us<"), Not(HasSubstr("operations per byte"))));
}

TEST(ReportSvg, NothingTimedAndOneAlone) {
  View nothing = sample_view(2);
  nothing.points.erase(nothing.points.begin());
  nothing.best_point = -1;
  EXPECT_THAT(svg_text(nothing), AllOf(HasSubstr("Nothing was timed."), HasSubstr("</svg>")));
  View one = sample_view(1);
  one.roofs.clear();
  one.best->roofline_share = 0;
  EXPECT_THAT(svg_text(one), AllOf(HasSubstr("</svg>"), Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
}

TEST(ReportSvg, TenThousandPointsStaySmall) { EXPECT_LT(svg_text(sample_view(10000)).size(), 60'000U); }

TEST(ReportSvg, AWinnerThatWasNotTheFastestInTheSearch) {
  View view = sample_view(40);
  EXPECT_THAT(svg_text(view), AllOf(Not(HasSubstr("fastest in the search")), Not(HasSubstr("<circle class=\"wt-q\""))));
  view.best_point = 5;
  const std::string svg = svg_text(view);
  EXPECT_THAT(svg, AllOf(HasSubstr(">best 100.00 us"), HasSubstr(">fastest in the search 100.00 us<")));
  EXPECT_EQ(count(svg, "<circle class=\"wt-q\""), 2U) << "in both panels";
  view.default_point = 0;
  EXPECT_THAT(svg_text(view),
              AllOf(HasSubstr(">default, fastest in the search 100.00 us<"), Not(HasSubstr("<circle class=\"wt-q\""))));
}

TEST(ReportSvg, OfTwoBaselinesTheSlowerOneIsNamedAbove) {
  for (const bool slower_first : {true, false}) {
    View view = sample_view(40);
    const Baseline slower{"eager", "torch", 107.5, 0, 0, true}, faster{"compiled", "torch", 107, 0, 0, true};
    view.baselines = slower_first ? std::vector{slower, faster} : std::vector{faster, slower};
    const std::string svg = svg_text(view);
    EXPECT_LT(height_of(svg, "eager 107"), height_of(svg, "compiled 107")) << slower_first;
  }
}

TEST(ReportSvg, TheWinnerIsNamedAboveItsRoof) {
  View view = sample_view(100);
  for (int i = 0; i < 99; ++i)
    view.points[static_cast<std::size_t>(i)] = sample_point(i, i < 95 ? 145 * std::pow(1.0065, i) : 425);
  view.best->median_us = 145;
  view.best->roofline_share = 0.88;
  const std::string svg = svg_text(view);
  EXPECT_LT(height_of(svg, "best 145"), height_of(svg, "measured DRAM roof"));
}

TEST(Labels, NeverCoverEachOtherNorLeaveTheirPanel) {
  Labels labels({0, 200, 0, 100});
  for (int i = 0; i < 50; ++i) labels.beside(100, 50, 4, "a label", "c");
  const std::size_t placed = count(labels.place(), "<text");
  EXPECT_GT(placed, 3U);
  EXPECT_LT(placed, 30U) << "a panel holds only so many";
  EXPECT_EQ(labels.place(), "") << "each is placed once";
  EXPECT_EQ(labels.along(190, 50, 0, "much too long for the place that is left", "c"), "");
}

TEST(Labels, TheUpperLabelIsThatOfTheUpperPoint) {
  // If the first label took its usual place, none above it would be left for the second.
  for (const bool upper_first : {true, false}) {
    Labels labels({0, 100, 0, 60});
    labels.keep_free({0, 100, 0, 20});
    labels.beside(10, upper_first ? 27 : 34, 4, "one", "c");
    labels.beside(10, upper_first ? 34 : 27, 4, "two", "c");
    const std::string svg = labels.place();
    EXPECT_EQ(height_of(svg, "one") < height_of(svg, "two"), upper_first) << svg;
  }
}

TEST(Labels, CrossNoLineWhileThereIsRoom) {
  const auto side = [](double x1, double y1, double x2, double y2) {
    Labels labels({0, 200, 0, 100});
    labels.keep_clear_of({x1, y1, x2, y2});
    labels.beside(100, 50, 4, "name", "c");
    const std::string svg = labels.place();
    return svg.substr(svg.find("text-anchor"));
  };
  EXPECT_THAT(side(0, 0, 0, 0), HasSubstr("\"start\"")) << "to the right";
  EXPECT_THAT(side(110, 0, 120, 100), HasSubstr("\"end\"")) << "a steep line is there";
  EXPECT_THAT(side(110, 200, 120, 150), HasSubstr("\"start\"")) << "it ends before";
  Labels labels({0, 200, 0, 100});
  for (double y = 0; y < 100; y += 5) labels.keep_clear_of({0, y, 200, y});
  labels.beside(100, 50, 4, "name", "c");
  EXPECT_THAT(labels.place(), HasSubstr("name")) << "no other place is left";
}

TEST(Labels, AreBelowTheirLineWhereAskedFor) {
  Labels labels({0, 200, 0, 100});
  EXPECT_LT(height_of(labels.along(100, 50, 0, "above", "c"), "above"), 50);
  EXPECT_GT(height_of(labels.along(100, 50, 0, "below", "c", Labels::Side::below), "below"), 50);
}

TEST(LogAxis, AnAxisWithoutAnEndHasNoTicks) {
  EXPECT_TRUE((LogAxis{0, 1, 0, 100}.ticks().empty()));
  EXPECT_TRUE((LogAxis{1, INFINITY, 0, 100}.ticks().empty()));
}

TEST(LogAxis, TicksAreFewAndRound) {
  for (const auto& [low, high] :
       {std::pair(134.0, 700.0), std::pair(0.15, 80.0), std::pair(1.0, 1e7), std::pair(3.9, 4.2)}) {
    const std::vector<double> ticks = LogAxis{low, high, 0, 100}.ticks();
    EXPECT_LE(ticks.size(), 9U) << low;
    for (const double tick : ticks) EXPECT_TRUE(tick >= low && tick <= high);
  }
  const std::vector<double> wide = LogAxis{1e-3, 1e11, 0, 100}.ticks();
  ASSERT_EQ(wide.size(), 7U) << "every second power of ten";
  EXPECT_DOUBLE_EQ(wide[1] / wide[0], 100);
  const LogAxis axis{1, 100, 0, 200};
  EXPECT_DOUBLE_EQ(axis.at(10), 100);
  EXPECT_DOUBLE_EQ(axis.at(1e9), 200) << "clamped";
}

} // namespace
} // namespace warptune::report
