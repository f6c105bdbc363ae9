#include "report/view.h"

#include <algorithm>
#include <utility>

namespace warptune::report {

const char* level_name(Level level) {
  constexpr std::array kNames = {"DRAM", "L2", "L1"};
  return kNames[static_cast<std::size_t>(level)];
}

bool View::has_flops() const {
  return std::any_of(points.begin(), points.end(), [](const Point& p) { return p.tflops > 0; });
}

double View::roof_gbs(Level level) const {
  for (const Roof& roof : roofs)
    if (roof.relevant && roof.level == level_name(level)) return roof.measured > 0 ? roof.measured : roof.theoretical;
  return 0;
}

std::vector<int> by_time(const View& view) {
  std::vector<int> order;
  for (std::size_t i = 0; i < view.points.size(); ++i)
    if (view.points[i].timed()) order.push_back(static_cast<int>(i));
  const auto time = [&](int i) { return view.points[static_cast<std::size_t>(i)].trial.timing->median_us; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return time(a) < time(b); });
  return order;
}

std::string marks_of(const View& view, int index) {
  const bool best = index == view.best_point;
  const bool tie = std::find(view.ties.begin(), view.ties.end(), index) != view.ties.end();
  std::string marks;
  for (const auto& [is_so, name] : {std::pair(best, "best"), std::pair(index == view.fastest_point && !best, "fastest"),
                                    std::pair(index == view.default_point, "default"), std::pair(tie && !best, "tie")})
    if (is_so) marks += (marks.empty() ? "" : ", ") + std::string(name);
  return marks;
}

} // namespace warptune::report
