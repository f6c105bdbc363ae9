#include "cli/live_line.h"

#include "cli/table.h"
#include "cli/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune::cli {
namespace {

constexpr std::size_t kBarWidth = 20;

double fraction(std::int64_t done, std::int64_t total) {
  return total > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0) : 0;
}

std::string join(const LineLayout& parts, bool color) {
  std::string line;
  for (const LinePart& part : parts) {
    if (part.text.empty()) continue;
    if (!line.empty()) line += "  ";
    line += color && *part.color != '\0' ? part.color + part.text + "\x1b[0m" : part.text;
  }
  return line;
}

} // namespace

std::string fit_line(const std::vector<LineLayout>& layouts, const ProgressStyle& style) {
  const auto width = static_cast<std::size_t>(std::max(style.width, 1));
  for (const LineLayout& layout : layouts)
    if (display_width(join(layout, false)) <= width) return join(layout, style.color);
  return shorten(join(layouts.back(), false), width);
}

Progress own_count(Progress p) {
  if (p.phase != "checking the winner") return p;
  p.done = p.total = 0;
  p.eta_s = 0;
  return p;
}

std::string bar_text(std::int64_t done, std::int64_t total) {
  if (total <= 0) return "";
  const auto full = static_cast<std::size_t>(fraction(done, total) * kBarWidth);
  return "[" + std::string(full, '#') + std::string(kBarWidth - full, '.') + "]";
}

std::string percent_text(std::int64_t done, std::int64_t total) {
  return total > 0 ? fmt::format("{:.0f} %", fraction(done, total) * 100) : "";
}

std::string done_text(const Progress& p) {
  if (p.total > 0) return fmt::format("{}/{}", p.done, p.total);
  return p.done > 0 ? fmt::format("{}", p.done) : "";
}

std::string best_text(const Progress& p, bool with_share) {
  if (!(p.best_us > 0)) return "";
  std::string text = "best " + time_text(p.best_us);
  if (with_share && p.best_share > 0) text += fmt::format(" ({:.1f} % of roofline)", p.best_share * 100);
  return text;
}

std::string failed_text(const Progress& p, bool by_kind) {
  const std::int64_t failed = failure_count(p.by_status);
  if (failed == 0) return "";
  return by_kind ? fmt::format("{} failed ({})", failed, failures_text(p.by_status)) : fmt::format("{} failed", failed);
}

std::string eta_text(double seconds) { return seconds >= 1 ? "ETA " + duration_text(seconds) : ""; }

} // namespace warptune::cli
