#include "core/sanitize.h"

#include <cstdint>
#include <fmt/format.h>

namespace warptune {
namespace {

struct Decoded {
  std::uint32_t code = 0;
  std::size_t length = 0; // 0: not UTF-8
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  std::uint32_t code = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3F);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length};
}

bool is_harmful(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0)             // C0, DEL, C1
         || code == 0x61C || code == 0x200E || code == 0x200F     // direction marks
         || (code >= 0x2028 && code <= 0x202E)                    // line separators, embeddings, overrides
         || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF; // isolates, byte order mark
}

// The common escape, such as "\\n"; empty if there is none.
std::string_view short_escape(char c) { return c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : ""; }

std::string clean(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded c = decode(text);
    const std::size_t length = c.length == 0 ? 1 : c.length;
    const char first = text.front();
    if (keep_lines && (first == '\n' || first == '\t')) {
      out += first;
    } else if (const std::string_view name = short_escape(first); !name.empty()) {
      out += name;
    } else if (c.length == 0 || (c.code < 0x100 && is_harmful(c.code))) {
      out += fmt::format("\\x{:02x}", c.length == 0 ? static_cast<unsigned char>(first) : c.code);
    } else if (is_harmful(c.code)) {
      out += fmt::format("\\u{:04x}", c.code);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

} // namespace

std::string sanitize(std::string_view text) { return clean(text, false); }
std::string sanitize_lines(std::string_view text) { return clean(text, true); }

} // namespace warptune
