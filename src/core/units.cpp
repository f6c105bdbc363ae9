#include "core/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace warptune {

std::string time_text(double us) {
  if (!(us > 0)) return "-";
  if (us < 1e3) return fmt::format("{:.2f} us", us);
  if (us < 1e6) return fmt::format("{:.3f} ms", us / 1e3);
  return fmt::format("{:.3f} s", us / 1e6);
}

std::string energy_text(double millijoules) {
  if (!(millijoules > 0)) return "-";
  if (millijoules < 1) return three_digits(millijoules * 1e3) + " uJ";
  return millijoules < 1e3 ? three_digits(millijoules) + " mJ" : three_digits(millijoules / 1e3) + " J";
}

std::string share_text(double share) { return share > 0 ? fmt::format("{:.1f} %", share * 100) : "-"; }

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (std::abs(value) >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  const bool whole = value == std::floor(value);
  return whole ? fmt::format("{:.0f} {}", value, kUnits[unit]) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string rate_text(double gbs) {
  if (!(gbs > 0)) return "-";
  return gbs >= 1000 ? fmt::format("{:.2f} TB/s", gbs / 1000) : fmt::format("{:.1f} GB/s", gbs);
}

std::string tflops_text(double tflops) { return tflops > 0 ? three_digits(tflops) + " TFLOP/s" : "-"; }

std::string three_digits(double value) {
  if (!(value >= 1e-4)) return "0";
  return value < 100 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

std::string count_text(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string status_text(TrialStatus status) {
  std::string text(status_name(status));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

} // namespace warptune
