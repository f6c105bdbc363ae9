#include "cli/recording_name.h"

#include "core/sha256.h"

#include <string_view>

namespace warptune::cli {
namespace {

constexpr std::size_t kLongest = 80; // bytes of a part; file systems allow 255 per name
constexpr std::size_t kHash = 8;     // digits at the end of a shortened part

std::string clean(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '=' || c == '.';
    if (plain)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  const std::size_t longest = out.size() > kLongest ? kLongest - kHash - 1 : kLongest;
  const bool is_cut = longest < kLongest;
  while (!out.empty() && (out.back() == '-' || out.size() > longest)) out.pop_back();
  if (is_cut) out += "-" + sha256_hex(text).substr(0, kHash); // texts that begin alike get different names
  const std::size_t start = out.find_first_not_of('.');       // neither hidden nor ".."
  return start == std::string::npos ? "unnamed" : out.substr(start);
}

} // namespace

std::string recording_name(const std::string& kernel, const std::string& problem, const std::string& device) {
  return clean(kernel) + "__" + clean(problem) + "__" + clean(device) + ".json";
}

} // namespace warptune::cli
