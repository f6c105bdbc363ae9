// The lines of a live display: coloured parts in several layouts, from long to short, and the longest layout that fits
// the terminal. Pure.
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
  std::string text; // empty: left out
  const char* color = "";
};
using LineLayout = std::vector<LinePart>;

// Returns the first layout that is at most style.width wide; if none is, returns the last one, cut. The result has no
// newline.
std::string fit_line(const std::vector<LineLayout>& layouts, const ProgressStyle& style);

// Removes the count of the previous phase in a phase that has no count of its own.
Progress own_count(Progress progress);

// Each string is empty while its value is not known.
std::string bar_text(std::int64_t done, std::int64_t total);     // "[#####...............]"
std::string percent_text(std::int64_t done, std::int64_t total); // "25 %"
std::string done_text(const Progress& progress);                 // "410/820"
std::string best_text(const Progress& progress, bool with_share);
std::string failed_text(const Progress& progress, bool by_kind);
std::string eta_text(double seconds); // "ETA 1m20s"

} // namespace warptune::cli
