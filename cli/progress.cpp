#include "cli/progress.h"

#include "cli/output.h"
#include "cli/sanitize.h"

#include <algorithm>

namespace warptune::cli {
namespace {

// Plain output: one line per 5 %, but at most one per five trials or rounds.
constexpr std::int64_t kMaxSteps = 20, kStepSize = 5;
constexpr auto kFrame = std::chrono::milliseconds(100);

} // namespace

std::string render_live(const std::string& title, const Progress& p, const ProgressStyle& style) {
  const LinePart name{sanitize(title), kDim}, phase{p.phase, kDim};
  const LinePart bar{bar_text(p.done, p.total)}, count{done_text(p)}, percent{percent_text(p.done, p.total)};
  const LinePart best_long{best_text(p, true), kGreen}, best_short{best_text(p, false), kGreen};
  const LinePart failed_long{failed_text(p, true), kRed}, failed_short{failed_text(p, false), kRed};
  const LinePart eta{eta_text(p.eta_s)};
  return fit_line({{name, phase, bar, count, percent, best_long, failed_long, eta},
                   {name, bar, count, percent, best_long, failed_long, eta},
                   {name, bar, count, percent, best_long, failed_short, eta},
                   {name, count, percent, best_long, failed_short, eta},
                   {count, best_long, failed_short, eta},
                   {count, best_short, failed_short, eta},
                   {count, best_short, eta},
                   {count, eta},
                   {count}},
                  style);
}

std::string render_plain(const std::string& title, const Progress& p) {
  std::string line = sanitize(title);
  if (!p.phase.empty()) line += ": " + p.phase;
  if (!done_text(p).empty()) line += ": " + done_text(p);
  if (p.total > 0) line += " (" + percent_text(p.done, p.total) + ")";
  for (const std::string& part : {best_text(p, true), failed_text(p, true), eta_text(p.eta_s)})
    if (!part.empty()) line += ", " + part;
  return line;
}

ProgressPrinter::ProgressPrinter(std::string title, std::FILE* stream, bool quiet)
    : title_(std::move(title)), stream_(stream), fd_(stream == stdout ? 1 : 2), live_(is_terminal(fd_)), quiet_(quiet) {
}

void ProgressPrinter::show(const Progress& progress) {
  const Progress p = own_count(progress);
  if (p.last != nullptr && p.last->status != TrialStatus::ok) first_failures_.try_emplace(p.last->status, *p.last);
  if (quiet_) return;
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
  print_now(stream_, "\r" + render_live(title_, p, {terminal_width(fd_) - 1, wants_color(fd_)}) + "\x1b[K");
}

void ProgressPrinter::show_plain(const Progress& p) {
  const bool new_phase = p.phase != phase_;
  if (new_phase) next_step_ = 0;
  if (new_phase && !held_back_.empty()) print_now(stream_, held_back_);
  held_back_.clear();
  const std::string line = render_plain(title_, p) + "\n";
  if (p.total <= 0) { // if the phase fails at once, only the error is shown
    if (new_phase && p.by_status.empty())
      held_back_ = line;
    else if (new_phase)
      print_now(stream_, line);
    return;
  }
  const std::int64_t steps = std::clamp(p.total / kStepSize, std::int64_t{1}, kMaxSteps);
  const std::int64_t step = p.done * steps / p.total;
  if (!new_phase && step < next_step_) return;
  next_step_ = step + 1;
  print_now(stream_, line);
}

void ProgressPrinter::finish() {
  if (live_ && drawn_) print_now(stream_, "\r\x1b[K"); // the summary replaces it
  drawn_ = false;
}

} // namespace warptune::cli
