#include "core/units.h"
#include "report/markup.h"
#include "report/svg_panel.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace warptune::report {
namespace {

constexpr std::array kLevelClass = {"wt-d", "wt-l2", "wt-l1"};

double rate_of(const Roof& roof) { return roof.measured > 0 ? roof.measured : roof.theoretical; }

std::string roof_label(const Roof& roof) {
  const std::string rate = fmt::format("{} {}", three_digits(rate_of(roof)), roof.unit);
  return fmt::format("{} {}{}", roof.id == "dram_mix" ? "DRAM" : roof.label, rate,
                     roof.measured > 0 ? "" : " (theoretical)");
}

Labels::Side side_of(const Roof& roof) {
  return roof.measured > 0 && roof.theoretical > roof.measured ? Labels::Side::below : Labels::Side::above;
}

std::string line(double x1, double y1, double x2, double y2, bool measured) {
  return fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", measured ? "wt-r" : "wt-h",
                     coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2));
}

// The name along the line of a roof.
struct RoofName {
  std::string text;
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  Labels::Side side = Labels::Side::above; // away from the theoretical roof
  double lower = 0;                        // for a level line: there is room below this y
};

struct Drawing {
  const View& view;
  LogAxis x, y;
  Labels labels;
  std::vector<RoofName> names = {};
  std::string lines = {}, dots = {}, marks = {}, texts = {};
};

// ---- operations are known: x is operations per byte, y operations per second ----

struct Range {
  double low = 0, high = 0;
  void hold(double value) {
    if (!(value > 0)) return;
    low = low > 0 ? std::min(low, value) : value;
    high = std::max(high, value);
  }
};

double compute_roof(const View& view, double Roof::*rate) {
  double highest = 0;
  for (const Roof& roof : view.roofs)
    if (roof.relevant && roof.level == "compute") highest = std::max(highest, roof.*rate);
  return highest;
}

double best_compute_roof(const View& view) {
  const double measured = compute_roof(view, &Roof::measured);
  return measured > 0 ? measured : compute_roof(view, &Roof::theoretical);
}

// A memory roof rises by its bandwidth until it meets the highest compute roof.
void draw_memory_roof(Drawing& d, const Roof& roof, double gbs, double compute_top, bool measured, bool labelled) {
  const auto tflops = [&](double intensity) { return gbs * intensity * 1e-3; };
  double from = d.x.low, to = d.x.high;
  if (tflops(from) < d.y.low) from = d.y.low / gbs * 1e3;
  const double top = compute_top > 0 ? std::min(compute_top, d.y.high) : d.y.high;
  to = std::min(to, top / gbs * 1e3);
  if (from >= to) return;
  const double x1 = d.x.at(from), y1 = d.y.at(tflops(from)), x2 = d.x.at(to), y2 = d.y.at(tflops(to));
  d.lines += line(x1, y1, x2, y2, measured);
  d.labels.keep_clear_of({x1, y1, x2, y2});
  if (labelled) d.names.push_back({roof_label(roof), x1, y1, x2, y2, side_of(roof)});
}

void draw_compute_roof(Drawing& d, const Roof& roof, double tflops, double bandwidth_gbs, bool measured,
                       bool labelled) {
  if (tflops < d.y.low || tflops > d.y.high) return;
  const double ridge = bandwidth_gbs > 0 ? tflops / bandwidth_gbs * 1e3 : d.x.low;
  if (ridge >= d.x.high) return;
  const double x1 = d.x.at(std::max(ridge, d.x.low)), x2 = d.x.at(d.x.high), at = d.y.at(tflops);
  d.lines += line(x1, at, x2, at, measured);
  d.labels.keep_clear_of({x1, at, x2, at});
  if (!labelled) return;
  // Above the measured and the theoretical line, because other lines reach them from the left and below.
  const double upper = std::min(at, d.y.at(std::max(roof.measured, roof.theoretical)));
  d.names.push_back({roof_label(roof), x1, upper, x2, upper, Labels::Side::above, at});
}

// Called after the marks' names, which are more important.
void name_roofs(Drawing& d) {
  for (const RoofName& name : d.names) {
    const bool level = name.y1 == name.y2;
    const double half = 3.6 * static_cast<double>(name.text.size());
    const double degrees = std::atan2(name.y2 - name.y1, name.x2 - name.x1) * 180 / std::numbers::pi;
    // A level line's name is at its end; it is below the line if others are above.
    const double end = std::max(d.x.last - half - 4, d.x.first + half);
    const auto try_at = [&](double x, double y, Labels::Side side) {
      const std::string text = d.labels.along(x, y, degrees, name.text, "wt-rt", side);
      d.texts += text;
      return !text.empty();
    };
    if (level) {
      if (!try_at(end, name.y1, Labels::Side::above)) try_at(end, name.lower, Labels::Side::below);
      continue;
    }
    for (const double along : {0.45, 0.6, 0.3, 0.75, 0.2})
      if (try_at(name.x1 + (name.x2 - name.x1) * along, name.y1 + (name.y2 - name.y1) * along, name.side)) break;
  }
}

void draw_roofs(Drawing& d) {
  const double compute_top = best_compute_roof(d.view);
  const double theoretical_top = compute_roof(d.view, &Roof::theoretical);
  double bandwidth = 0;
  for (const Roof& roof : d.view.roofs)
    if (roof.relevant && roof.level != "compute") bandwidth = std::max(bandwidth, rate_of(roof));
  for (const Roof& roof : d.view.roofs) {
    if (!roof.relevant) continue;
    const bool compute = roof.level == "compute";
    for (const bool measured : {true, false}) {
      const double rate = measured ? roof.measured : roof.theoretical;
      const bool labelled = rate == rate_of(roof);
      if (rate <= 0) continue;
      if (compute)
        draw_compute_roof(d, roof, rate, bandwidth, measured, labelled);
      else
        draw_memory_roof(d, roof, rate, measured ? compute_top : theoretical_top, measured, labelled);
    }
  }
}

// A dot for each timed configuration and level for which both coordinates are known.
template <class X, class Y> void draw_points(Drawing& d, X&& x_of, Y&& y_of) {
  for (const Level level : kLevels) {
    Dots dots;
    for (const Point& p : d.view.points) {
      if (!p.timed()) continue;
      const double x = x_of(p, level), y = y_of(p, level);
      if (!(x > 0) || !(y > 0)) continue;
      dots.add(d.x.at(x), d.y.at(y));
      if (dots.is_new()) d.labels.keep_free(around(d.x.at(x), d.y.at(y), 3));
    }
    d.dots += dots.path(kLevelClass[static_cast<std::size_t>(level)]);
  }
}

void mark(Drawing& d, Mark kind, double x, double y, const std::string& label) {
  d.marks = mark_at(kind, d.x.at(x), d.y.at(y)) + d.marks; // the most important one on top
  d.labels.keep_free(around(d.x.at(x), d.y.at(y), kMarkRadius));
  d.labels.beside(d.x.at(x), d.y.at(y), kMarkRadius, label, "wt-m");
}

std::string roofline(const View& view, const Panel& p) {
  Range intensity, tflops;
  for (const Point& point : view.points) {
    if (!point.timed()) continue;
    tflops.hold(point.tflops);
    for (const Level level : kLevels) intensity.hold(point.at(level).intensity);
  }
  if (!(intensity.low > 0)) intensity.hold(1);
  const double compute_top = std::max(best_compute_roof(view), compute_roof(view, &Roof::theoretical));
  const double bandwidth = view.roof_gbs(Level::dram);
  const double ridge = bandwidth > 0 && compute_top > 0 ? compute_top / bandwidth * 1e3 : 0;
  Drawing d{
      view,
      {intensity.low / 8, std::max(intensity.high * 8, std::min(ridge * 4, intensity.high * 1e3)), p.left, p.right},
      {tflops.low / 2, std::max(compute_top, tflops.high) * 2, p.bottom, p.top},
      Labels({p.left, p.right, p.top, p.bottom})};
  draw_points(
      d, [](const Point& point, Level level) { return point.at(level).intensity; },
      [](const Point& point, Level) { return point.tflops; });
  for (const auto& [kind, point, name] : marked_points(view))
    if (point.at(Level::dram).intensity > 0) mark(d, kind, point.at(Level::dram).intensity, point.tflops, name);
  if (view.cost && view.best_point >= 0) {
    const Point& best = view.points[static_cast<std::size_t>(view.best_point)];
    const double work = best.timed() ? best.tflops * best.trial.timing->median_us : 0;
    for (const Baseline& b : view.baselines)
      if (work > 0 && best.at(Level::dram).intensity > 0)
        mark(d, Mark::vendor, best.at(Level::dram).intensity, work / b.median_us, b.name);
  }
  draw_roofs(d);
  d.texts += d.labels.place();
  name_roofs(d);
  return frame(p, d.x, d.y, true, "operations per byte", "TFLOP/s") + d.lines + d.dots + d.marks + d.texts;
}

// ---- no operations: x is the time, y bytes per second ----

std::string bandwidth_chart(const View& view, const Panel& p) {
  Range time, gbs;
  for (const Point& point : view.points) {
    if (!point.timed()) continue;
    time.hold(point.trial.timing->median_us);
    for (const Level level : kLevels) gbs.hold(point.at(level).gbs);
  }
  for (const Roof& roof : view.roofs)
    if (roof.relevant && roof.level != "compute") gbs.hold(std::max(roof.measured, roof.theoretical));
  if (!(gbs.low > 0)) gbs.hold(1);
  Drawing d{view,
            {time.low / 1.2, time.high * 1.2, p.left, p.right},
            {gbs.low / 1.4, gbs.high * 1.4, p.bottom, p.top},
            Labels({p.left, p.right, p.top, p.bottom})};
  for (const Roof& roof : view.roofs)
    for (const bool measured : {true, false}) {
      const double rate = measured ? roof.measured : roof.theoretical;
      if (!roof.relevant || roof.level == "compute" || rate <= 0) continue;
      d.lines += line(p.left, d.y.at(rate), p.right, d.y.at(rate), measured);
      d.labels.keep_clear_of({p.left, d.y.at(rate), p.right, d.y.at(rate)});
      if (rate == rate_of(roof))
        d.texts +=
            d.labels.along((p.left + p.right) / 2 + 40, d.y.at(rate), 0, roof_label(roof), "wt-rt", side_of(roof));
    }
  draw_points(
      d, [](const Point& point, Level) { return point.trial.timing->median_us; },
      [](const Point& point, Level level) { return point.at(level).gbs; });
  for (const auto& [kind, point, name] : marked_points(view))
    if (point.at(Level::dram).gbs > 0) mark(d, kind, point.trial.timing->median_us, point.at(Level::dram).gbs, name);
  return frame(p, d.x, d.y, true, "time, us", "GB/s") + d.lines + d.dots + d.marks + d.texts + d.labels.place();
}

} // namespace

std::string roofline_panel(const View& view, const Panel& panel) {
  return view.has_flops() ? roofline(view, panel) : bandwidth_chart(view, panel);
}

} // namespace warptune::report
