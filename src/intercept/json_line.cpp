#include "intercept/json_line.h"

#include <cstddef>
#include <cstdio>

namespace warptune::intercept {
namespace {

// The length in bytes of the UTF-8 character at `at`; 0 if it is invalid.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : 2;
  if (length == 1) return 1;
  if (first < 0xc2 || first >= 0xf5 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  const unsigned char second = byte(at + 1);
  const bool is_too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_no_character = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return is_too_long || is_no_character ? 0 : length;
}

} // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::size_t length = utf8_length(text, at);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += escaped;
    } else if (length == 0) {
      out += '?';
    } else {
      out += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return out + "\"";
}

JsonObject& JsonObject::raw(const char* key, std::string_view json) {
  if (!members_.empty()) members_ += ',';
  members_ += json_text(key);
  members_ += ':';
  members_ += json;
  return *this;
}

} // namespace warptune::intercept
