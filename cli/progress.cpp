#include "cli/progress.h"

#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/table.h"
#include "cli/units.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace warptune::cli {
namespace {

constexpr std::int64_t kSteps = 20; // plain lines: one about each 5 %
constexpr std::size_t kBarWidth = 20;
constexpr auto kFrame = std::chrono::milliseconds(100);

double fraction(const Progress& p) {
  return p.total > 0 ? std::clamp(static_cast<double>(p.done) / static_cast<double>(p.total), 0.0, 1.0) : 0;
}

std::string bar(const Progress& p) {
  const auto full = static_cast<std::size_t>(fraction(p) * kBarWidth);
  return "[" + std::string(full, '#') + std::string(kBarWidth - full, '.') + "]";
}

std::string count(const Progress& p) {
  return p.total > 0 ? fmt::format("{}/{}", p.done, p.total) : fmt::format("{}", p.done);
}

std::string best(const Progress& p, bool with_share) {
  if (!(p.best_us > 0)) return "";
  std::string text = "best " + time_text(p.best_us);
  if (with_share && p.best_share > 0) text += fmt::format(" ({:.1f} % of roofline)", p.best_share * 100);
  return text;
}

std::string failures(const Progress& p, bool by_kind) {
  const std::int64_t failed = failure_count(p.by_status);
  if (failed == 0) return "";
  return by_kind ? fmt::format("{} failed ({})", failed, failures_text(p.by_status)) : fmt::format("{} failed", failed);
}

std::string eta(const Progress& p) {
  const double seconds = remaining_seconds(p);
  return seconds > 0 ? "ETA " + duration_text(seconds) : "";
}

struct Part {
  std::string text;
  const char* color = "";
};

std::string join(const std::vector<Part>& parts, bool color) {
  std::string line;
  for (const Part& part : parts) {
    if (part.text.empty()) continue;
    if (!line.empty()) line += "  ";
    line += color && *part.color != '\0' ? part.color + part.text + "\x1b[0m" : part.text;
  }
  return line;
}

constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kRed = "\x1b[31m";
constexpr const char* kDim = "\x1b[2m";

} // namespace

double remaining_seconds(const Progress& p) {
  if (p.eta_s > 0) return p.eta_s;
  const std::int64_t fresh = p.done - p.reused; // what was taken over from an earlier run cost nothing
  if (fresh <= 0 || p.total <= p.done || !(p.elapsed_s > 0)) return 0;
  return p.elapsed_s / static_cast<double>(fresh) * static_cast<double>(p.total - p.done);
}

std::string render_live(const std::string& title, const Progress& p, const ProgressStyle& style) {
  const Part name{sanitize(title), kDim}, phase{p.phase, kDim};
  const Part percent{fmt::format("{:.0f} %", fraction(p) * 100), ""};
  const Part best_long{best(p, true), kGreen}, best_short{best(p, false), kGreen};
  const Part failed_long{failures(p, true), kRed}, failed_short{failures(p, false), kRed};
  // From rich to poor; the first that fits is shown.
  const std::vector<std::vector<Part>> layouts = {
      {name, phase, {bar(p), ""}, {count(p), ""}, percent, best_long, failed_long, {eta(p), ""}},
      {name, {bar(p), ""}, {count(p), ""}, percent, best_long, failed_long, {eta(p), ""}},
      {name, {bar(p), ""}, {count(p), ""}, percent, best_long, failed_short, {eta(p), ""}},
      {name, {count(p), ""}, percent, best_long, failed_short, {eta(p), ""}},
      {{count(p), ""}, best_long, failed_short, {eta(p), ""}},
      {{count(p), ""}, best_short, failed_short, {eta(p), ""}},
      {{count(p), ""}, best_short, {eta(p), ""}},
      {{count(p), ""}, {eta(p), ""}},
      {{count(p), ""}},
  };
  const auto width = static_cast<std::size_t>(std::max(style.width, 1));
  for (const auto& layout : layouts)
    if (display_width(join(layout, false)) <= width) return join(layout, style.color);
  return shorten(count(p), width);
}

std::string render_plain(const std::string& title, const Progress& p) {
  std::string line = sanitize(title) + ": ";
  if (!p.phase.empty()) line += p.phase + ": ";
  line += fmt::format("{} ({:.0f} %)", count(p), fraction(p) * 100);
  for (const std::string& part : {best(p, true), failures(p, true), eta(p)})
    if (!part.empty()) line += ", " + part;
  return line;
}

ProgressPrinter::ProgressPrinter(std::string title, std::FILE* stream)
    : title_(std::move(title)), stream_(stream), fd_(stream == stdout ? 1 : 2), live_(is_terminal(fd_)) {}

void ProgressPrinter::show(const Progress& p) {
  if (p.last != nullptr && p.last->status != TrialStatus::ok) first_failures_.try_emplace(p.last->status, *p.last);
  if (live_)
    show_live(p);
  else
    show_plain(p);
  phase_ = p.phase;
}

void ProgressPrinter::show_live(const Progress& p) {
  const auto now = Clock::now();
  if (drawn_ && p.phase == phase_ && now - last_drawn_ < kFrame && p.done != p.total) return;
  last_drawn_ = now;
  drawn_ = true;
  // One column stays free: a full line would wrap on some terminals.
  write("\r" + render_live(title_, p, {terminal_width(fd_) - 1, wants_color(fd_)}) + "\x1b[K");
}

void ProgressPrinter::show_plain(const Progress& p) {
  const bool new_phase = p.phase != phase_;
  if (new_phase) next_step_ = 0;
  const std::int64_t step = p.total > 0 ? p.done * kSteps / p.total : 0;
  if (!new_phase && step < next_step_) return;
  next_step_ = step + 1;
  write(render_plain(title_, p) + "\n");
}

void ProgressPrinter::finish() {
  if (live_ && drawn_) write("\n");
  drawn_ = false;
}

void ProgressPrinter::write(const std::string& text) {
  if (fd_ == 1) {
    print(text);
    flush_output();
  } else {
    std::fwrite(text.data(), 1, text.size(), stream_);
    std::fflush(stream_);
  }
}

} // namespace warptune::cli
