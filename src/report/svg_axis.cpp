#include "report/svg_axis.h"

#include "report/markup.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <utility>

namespace warptune::report {
namespace {

constexpr double kLetter = 7.2, kLine = 14; // upper limits for the bold 12 px font

double width_of(std::string_view text) { return kLetter * static_cast<double>(text.size()); }

std::string text_element(double x, double y, std::string_view anchor, std::string_view text, std::string_view css_class,
                         const std::string& turn = {}) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", css_class, coordinate(x),
                     coordinate(y), anchor, turn, escape_markup(text));
}

} // namespace

double LogAxis::at(double value) const {
  const double share = std::log(std::clamp(value, low, high) / low) / std::log(high / low);
  return first + (last - first) * share;
}

std::vector<double> LogAxis::ticks() const {
  if (!(low > 0) || !std::isfinite(high)) return {}; // no powers of ten to count
  const auto with = [&](const std::vector<double>& steps, int every) {
    std::vector<double> found;
    const int from = static_cast<int>(std::floor(std::log10(low))), to = static_cast<int>(std::ceil(std::log10(high)));
    for (int power = from; power <= to; ++power) {
      if (every > 1 && power % every != 0) continue;
      for (const double step : steps)
        if (const double value = step * std::pow(10.0, power); value >= low && value <= high) found.push_back(value);
    }
    return found;
  };
  constexpr std::size_t kFewest = 4, kMost = 8;
  const std::array<std::vector<double>, 4> finer = {std::vector<double>{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 7}};
  std::vector<double> ticks;
  for (const auto& steps : finer) {
    ticks = with(steps, 1);
    if (ticks.size() >= kFewest) break;
  }
  return ticks.size() > kMost ? with({1}, 2) : ticks;
}

std::string tick_text(double value) {
  if (value >= 1e6) return fmt::format("{:g}M", value / 1e6);
  return value >= 1e4 ? fmt::format("{:g}k", value / 1e3) : fmt::format("{:g}", value);
}

bool Labels::claim(Area area) {
  if (area.left < bounds_.left || area.right > bounds_.right || area.top < bounds_.top || area.bottom > bounds_.bottom)
    return false;
  for (const Area& other : taken_)
    if (area.left < other.right && other.left < area.right && area.top < other.bottom && other.top < area.bottom)
      return false;
  taken_.push_back(area);
  return true;
}

// Whether a label in this area, whose point is at height `y`, has the same vertical order relative to each other label
// as their points have.
bool Labels::keeps_order(Area area, double y) const {
  return std::none_of(labels_.begin(), labels_.end(), [&](const Label& other) {
    const bool share_a_column = area.left < other.area.right && other.area.left < area.right;
    return share_a_column && (area.top - other.area.top) * (y - other.y) < 0;
  });
}

// Clips each line to the area (Liang and Barsky): `from` to `to` is the part of its length inside.
bool Labels::crosses_a_line(Area area) const {
  return std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) {
    const double dx = line.x2 - line.x1, dy = line.y2 - line.y1;
    double from = 0, to = 1;
    const auto clip = [&](double step, double room) { // step * t <= room
      if (step == 0) return room >= 0;
      (step < 0 ? from : to) = step < 0 ? std::max(from, room / step) : std::min(to, room / step);
      return from <= to;
    };
    return clip(-dx, line.x1 - area.left) && clip(dx, area.right - line.x1) && clip(-dy, line.y1 - area.top) &&
           clip(dy, area.bottom - line.y1);
  });
}

void Labels::beside(double x, double y, double radius, std::string text, std::string css_class) {
  requests_.push_back({x, y, radius, std::move(text), std::move(css_class)});
}

// The nearest free place; empty: there is none.
std::string Labels::find_place(const Request& request, Strictness strictness) {
  const auto& [x, y, radius, text, css_class] = request;
  const double near = radius + 5, width = width_of(text);
  for (double rise = 0; rise <= 6 * kLine; rise += kLine / 2)
    for (const double gap : {near, near + kLine})
      for (const double direction : {1.0, -1.0})
        for (const bool right : {true, false}) {
          const double middle = y - direction * rise, left = right ? x + gap : x - gap - width;
          const Area area{left, left + width, middle - kLine / 2, middle + kLine / 2};
          if (strictness.in_order && !keeps_order(area, y)) continue;
          if ((strictness.clear_of_lines && crosses_a_line(area)) || !claim(area)) continue;
          labels_.push_back({area, y});
          return text_element(right ? left : left + width, middle + 4, right ? "start" : "end", text, css_class);
        }
  return {};
}

std::string Labels::place() {
  const std::size_t taken = taken_.size(), labels = labels_.size();
  std::string out;
  // A label that finds no place in order comes first in the next attempt.
  std::vector<Request> turn = requests_;
  for (std::size_t attempt = 0; attempt < 2 * requests_.size(); ++attempt) {
    out.clear();
    const auto stuck = std::find_if(turn.begin(), turn.end(), [&](const Request& request) {
      const std::string text = find_place(request, {});
      out += text;
      return text.empty();
    });
    if (stuck == turn.end()) break;
    out.clear();
    taken_.resize(taken);
    labels_.resize(labels);
    std::rotate(turn.begin(), stuck, stuck + 1);
  }
  if (out.empty())
    for (const Request& request : requests_)
      for (const Strictness& strictness : {Strictness{true, true}, {false, true}, {true, false}, {false, false}}) {
        const std::string text = find_place(request, strictness);
        out += text;
        if (!text.empty()) break;
      }
  requests_.clear();
  return out;
}

std::string Labels::under(double x, double y, std::string_view text, std::string_view css_class) {
  const double width = width_of(text);
  const Area area{x - width / 2, x + width / 2, y + 2, y + 2 + kLine};
  if (!claim(area)) return {};
  labels_.push_back({area, y});
  return text_element(x, area.bottom - 4, "middle", text, css_class);
}

std::string Labels::along(double x, double y, double degrees, std::string_view text, std::string_view css_class,
                          Side side) {
  const double angle = degrees * std::numbers::pi / 180, width = width_of(text);
  const double ahead_x = std::cos(angle), ahead_y = std::sin(angle); // along the line
  const double sign = side == Side::below ? -1 : 1;
  const double out_x = sign * ahead_y * kLine,
               out_y = -sign * ahead_x * kLine; // direction from the line to the text's other edge
  // The bounding box of slanted text is mostly empty, so a band of pieces is used instead.
  constexpr int kPieces = 12;
  std::vector<Area> pieces;
  for (int i = 0; i < kPieces; ++i) {
    const double from = width * (static_cast<double>(i) / kPieces - 0.5), to = from + width / kPieces;
    const auto [left, right] =
        std::minmax({x + ahead_x * from, x + ahead_x * to, x + ahead_x * from + out_x, x + ahead_x * to + out_x});
    const auto [top, bottom] =
        std::minmax({y + ahead_y * from, y + ahead_y * to, y + ahead_y * from + out_y, y + ahead_y * to + out_y});
    pieces.push_back({left, right, top, bottom});
  }
  for (const Area& piece : pieces)
    if (piece.left < bounds_.left || piece.right > bounds_.right || piece.top < bounds_.top ||
        piece.bottom > bounds_.bottom)
      return {};
  const std::size_t before = taken_.size();
  for (const Area& piece : pieces)
    if (std::any_of(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(before), [&](const Area& other) {
          return piece.left < other.right && other.left < piece.right && piece.top < other.bottom &&
                 other.top < piece.bottom;
        }))
      return {};
  taken_.insert(taken_.end(), pieces.begin(), pieces.end());
  return text_element(
      x, side == Side::below ? y + kLine - 2 : y - 4, "middle", text, css_class,
      fmt::format(" transform=\"rotate({} {} {})\"", coordinate(degrees), coordinate(x), coordinate(y)));
}

} // namespace warptune::report
