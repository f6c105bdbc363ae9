#include "core/units.h"
#include "report/markup.h"
#include "report/svg_panel.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace warptune::report {
namespace {

struct Times {
  double floor = 0, slowest = 0; // floor 0: no roof is known
};

Times times_of(const View& view, const std::vector<int>& order) {
  Times t;
  const auto time = [&](int i) { return view.points[static_cast<std::size_t>(i)].trial.timing->median_us; };
  t.slowest = time(order.back());
  if (view.best) t.floor = view.best->median_us * view.best->roofline_share;
  for (const Baseline& b : view.baselines) t.slowest = std::max(t.slowest, b.median_us);
  return t;
}

} // namespace

std::string frame(const Panel& p, const LogAxis& x, const LogAxis& y, bool x_ticks, std::string_view x_title,
                  std::string_view y_title) {
  std::string out;
  for (const double tick : y.ticks())
    out += fmt::format("<line class=\"wt-g\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/><text class=\"wt-f\" x=\"{}\" "
                       "y=\"{}\" text-anchor=\"end\">{}</text>\n",
                       coordinate(p.left), coordinate(p.right), coordinate(y.at(tick)), coordinate(y.at(tick)),
                       coordinate(p.left - 7), coordinate(y.at(tick) + 4), tick_text(tick));
  if (x_ticks)
    for (const double tick : x.ticks())
      out += fmt::format("<line class=\"wt-g\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/><text class=\"wt-f\" x=\"{}\" "
                         "y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                         coordinate(x.at(tick)), coordinate(x.at(tick)), coordinate(p.top), coordinate(p.bottom),
                         coordinate(x.at(tick)), coordinate(p.bottom + 16), tick_text(tick));
  out += fmt::format("<text class=\"wt-f\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n"
                     "<text class=\"wt-f\" x=\"{}\" y=\"{}\">{}</text>\n",
                     coordinate((p.left + p.right) / 2), coordinate(p.bottom + 36), escape_markup(x_title),
                     coordinate(p.left - 44), coordinate(p.top - 8), escape_markup(y_title));
  return out;
}

void Dots::add(double x, double y) { is_new_ = places_.emplace(std::lround(2 * x), std::lround(2 * y)).second; }

Labels::Area around(double x, double y, double radius) { return {x - radius, x + radius, y - radius, y + radius}; }

std::string Dots::path(std::string_view css_class) const {
  if (places_.empty()) return {};
  std::string out = fmt::format("<path class=\"{}\" d=\"", css_class);
  long last_x = 0, last_y = 0; // relative coordinates make the text half as long
  for (const auto& [x, y] : places_) {
    out += fmt::format("m{:g} {:g}h0", static_cast<double>(x - last_x) / 2, static_cast<double>(y - last_y) / 2);
    last_x = x;
    last_y = y;
  }
  return out + "\"/>\n";
}

std::string mark_at(Mark mark, double x, double y) {
  const std::string cx = coordinate(x), cy = coordinate(y);
  if (mark == Mark::best)
    return fmt::format("<circle class=\"wt-b\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", cx, cy, kMarkRadius);
  if (mark == Mark::fastest) // larger than the mark of the best, so that both are visible
    return fmt::format("<circle class=\"wt-q\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", cx, cy, kMarkRadius + 3);
  const bool vendor = mark == Mark::vendor;
  return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"10\" height=\"10\"{}/>\n", vendor ? "wt-v" : "wt-s",
                     coordinate(x - 5), coordinate(y - 5),
                     vendor ? fmt::format(" transform=\"rotate(45 {} {})\"", cx, cy) : "");
}

std::vector<MarkedPoint> marked_points(const View& view) {
  std::vector<MarkedPoint> found;
  const auto add = [&](Mark mark, int index, const char* name) {
    if (index < 0 || (index == view.best_point && mark != Mark::best)) return;
    const Point& point = view.points[static_cast<std::size_t>(index)];
    if (point.timed()) found.push_back({mark, point, name});
  };
  const bool default_is_fastest = view.default_point == view.fastest_point;
  add(Mark::best, view.best_point, "best");
  if (!default_is_fastest) add(Mark::fastest, view.fastest_point, "fastest in the search");
  add(Mark::fallback, view.default_point, default_is_fastest ? "default, fastest in the search" : "default");
  return found;
}

std::string best_label(const View& view) {
  return fmt::format(
      "best {}{}", time_text(view.best->median_us),
      view.best->roofline_share > 0 ? fmt::format(", {:.0f} % of the roof", 100 * view.best->roofline_share) : "");
}

// Every timed configuration, fastest first: shows how much could be gained and how many come close.
std::string rank_panel(const View& view, const Panel& p) {
  const std::vector<int> order = by_time(view);
  const Times t = times_of(view, order);
  const double fastest = view.points[static_cast<std::size_t>(order.front())].trial.timing->median_us;
  // Room for texts: a sixth of the height below the floor.
  const double lowest = t.floor > 0 ? std::min(t.floor, fastest) : fastest;
  const double high = std::max(t.slowest * 1.08, lowest * 1.5);
  const LogAxis y{lowest / std::pow(high / lowest, 0.2), high, p.bottom, p.top};
  const auto x_of = [&](std::size_t rank) {
    const double share = order.size() > 1 ? static_cast<double>(rank) / static_cast<double>(order.size() - 1) : 0.5;
    return p.left + 8 + (p.right - p.left - 16) * share;
  };
  std::string out = frame(p, {}, y, false, "configurations, fastest first", "us");
  std::string marks, texts;
  Dots dots;
  Labels labels({p.left, p.right, p.top, p.bottom});
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double time = view.points[static_cast<std::size_t>(order[rank])].trial.timing->median_us;
    const double x = x_of(rank), at = y.at(time);
    dots.add(x, at);
    if (dots.is_new()) labels.keep_free(around(x, at, 3));
  }
  for (const Baseline& b : view.baselines)
    labels.keep_free({p.left, p.right, y.at(b.median_us) - 1, y.at(b.median_us) + 1});
  if (t.floor > 0) {
    const double at = y.at(t.floor);
    labels.keep_free({p.left, p.right, at, at + 1});
    out += fmt::format("<line class=\"wt-r\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\n", coordinate(p.left),
                       coordinate(p.right), coordinate(at), coordinate(at));
    texts += labels.under((p.left + p.right) / 2 + 60, at,
                          fmt::format("{} {} roof: {}", view.device.roofs.measured ? "measured" : "theoretical",
                                      view.best->bound, time_text(t.floor)),
                          "wt-rt");
  }
  for (const MarkedPoint& marked : marked_points(view)) {
    const auto rank = std::find(order.begin(), order.end(), static_cast<int>(&marked.point - view.points.data()));
    const double time = marked.point.trial.timing->median_us;
    const double x = x_of(static_cast<std::size_t>(rank - order.begin())), at = y.at(time);
    marks = mark_at(marked.mark, x, at) + marks; // the most important one on top
    labels.keep_free(around(x, at, kMarkRadius));
    labels.beside(x, at, kMarkRadius,
                  marked.mark == Mark::best ? best_label(view) : fmt::format("{} {}", marked.name, time_text(time)),
                  "wt-m");
  }
  for (const Baseline& b : view.baselines) {
    const double at = y.at(b.median_us);
    out += fmt::format("<line class=\"wt-vl\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\n", coordinate(p.left),
                       coordinate(p.right), coordinate(at), coordinate(at));
    marks += mark_at(Mark::vendor, p.right - 8, at);
    labels.keep_free(around(p.right - 8, at, kMarkRadius));
    labels.beside(p.right - 8, at, kMarkRadius, b.name + " " + time_text(b.median_us), "wt-m");
  }
  return out + dots.path("wt-d") + marks + texts + labels.place();
}

} // namespace warptune::report
