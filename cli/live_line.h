// The lines of a live display. A line has several layouts of coloured parts, from long to short. The longest layout
// that fits the terminal is shown. Pure.
#pragma once

#include "tuner/session.h"

#include <string>
#include <vector>

namespace warptune::cli {

struct ProgressStyle {
  int width = 80; // columns of the terminal
  bool color = false;
};

inline constexpr const char* kGreen = "\x1b[32m";
inline constexpr const char* kRed = "\x1b[31m";
inline constexpr const char* kDim = "\x1b[2m";

struct LinePart {
  std::string text; // empty: the part is left out
  const char* color = "";
};
using LineLayout = std::vector<LinePart>;

// Returns the first layout that is at most style.width columns wide. If no layout fits, cuts the last one. No line end.
std::string fit_line(const std::vector<LineLayout>& layouts, const ProgressStyle& style);

// If the phase has no count of its own, removes the count, which belongs to the previous phase.
Progress own_count(Progress progress);

// These functions return an empty text if the value is not known.
std::string bar_text(std::int64_t done, std::int64_t total);     // "[#####...............]"
std::string percent_text(std::int64_t done, std::int64_t total); // "25 %"
std::string done_text(const Progress& progress);                 // "410/820"
std::string best_text(const Progress& progress, bool with_share);
std::string failed_text(const Progress& progress, bool by_kind);
std::string eta_text(double seconds); // "ETA 1m20s"

} // namespace warptune::cli
