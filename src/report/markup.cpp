#include "report/markup.h"

#include "core/sanitize.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace warptune::report {

std::string escape_markup(std::string_view text) {
  std::string out;
  for (const char c : sanitize(text)) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += c;
    }
  }
  return out;
}

double rounded(double value, int digits) {
  if (!std::isfinite(value)) return value;
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

std::string coordinate(double pixels) { return fmt::format("{:.1f}", pixels); }

} // namespace warptune::report
