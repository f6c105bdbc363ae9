#include "core/text.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace warptune {
namespace {

constexpr std::size_t kLongestName = 64; // bounds the quadratic cost for hostile input
constexpr int kEdit = 64;                // a letter in the other case costs 1

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Edit distance in units of kEdit; swapping neighbouring letters is one edit (optimal string alignment).
int distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = kEdit * static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = kEdit * static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = a[i - 1] == b[j - 1] ? 0 : lower(a[i - 1]) == lower(b[j - 1]) ? 1 : kEdit;
      row[j] = std::min({previous[j] + kEdit, row[j - 1] + kEdit, previous[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + kEdit);
    }
    before.swap(previous);
    previous.swap(row);
  }
  return previous[b.size()];
}

} // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  if (name.empty() || name.size() > kLongestName) return {};
  // Allows one edit per three letters; for a name of one letter, only the other case.
  const int limit = name.size() == 1 ? kEdit - 1 : kEdit * std::max(1, static_cast<int>(name.size()) / 3) + kEdit / 2;
  int best = limit + 1;
  const std::string* found = nullptr;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestName) continue;
    const int d = distance(name, candidate);
    if (d < best) {
      best = d;
      found = &candidate;
    }
  }
  return found ? *found : std::string();
}

std::string suggest_name(std::string_view name, const std::vector<std::string>& known) {
  if (known.empty()) return {};
  const std::string nearest = nearest_name(name, known);
  if (!nearest.empty()) return "; did you mean '" + nearest + "'?";
  std::string text = "; known: ";
  constexpr std::size_t kListed = 16;
  for (std::size_t i = 0; i < known.size() && i < kListed; ++i) text += (i ? ", " : "") + known[i];
  return known.size() > kListed ? text + ", ..." : text;
}

std::string unknown_name(std::string_view name, std::string_view what, const std::vector<std::string>& known,
                         std::string_view advice) {
  const std::string nearest = nearest_name(name, known);
  const std::string sentence = quote(name) + " is not " + std::string(what);
  return with_advice(nearest.empty() ? sentence : sentence + "; did you mean '" + nearest + "'?", advice);
}

std::string with_advice(const std::string& sentence, std::string_view advice) {
  if (!sentence.ends_with('?')) return sentence + "; " + std::string(advice);
  std::string next(advice);
  if (!next.empty() && next[0] >= 'a' && next[0] <= 'z') next[0] = static_cast<char>(next[0] - 'a' + 'A');
  return sentence + " " + next;
}

std::string with_column(std::string_view what, std::size_t column, std::string_view formula) {
  const bool has_advice = what.ends_with('?') || what.find("; ") != std::string_view::npos;
  const std::string place = "column " + std::to_string(column) + " of " + quote(formula);
  return std::string(what) + (has_advice ? " (" + place + ")" : " at " + place);
}

std::string join_choices(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || i + length > text.size()) return i;
    std::uint32_t code = lead & (0xFFu >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      if ((byte & 0xC0) != 0x80) return i;
      code = code << 6 | (byte & 0x3Fu);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string quote(std::string_view text) {
  constexpr std::size_t kShown = 100;
  std::string shown(text.substr(0, kShown));
  if (text.size() > kShown) {
    // Do not split a UTF-8 character.
    while (!shown.empty() && (static_cast<unsigned char>(text[shown.size()]) & 0xC0) == 0x80) shown.pop_back();
  }
  const bool utf8 = find_invalid_utf8(shown) == std::string_view::npos;
  for (char& c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      c = ' ';
    else if (byte >= 0x80 && !utf8)
      c = '?';
  }
  return "'" + shown + (text.size() > kShown ? "...'" : "'");
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool is_identifier(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), is_word);
}

IntegerError parse_integer(std::string_view text, std::int64_t& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return IntegerError::not_a_number;
  }
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return IntegerError::not_a_number;
  return error == std::errc::result_out_of_range ? IntegerError::overflow : IntegerError::none;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    pieces.push_back(trim(text.substr(begin, end - begin)));
    if (end == std::string_view::npos) return pieces;
    begin = end + 1;
  }
}

} // namespace warptune
