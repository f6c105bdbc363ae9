// Building blocks of error messages and parsers of user input, shared by all code that reads text. Pure functions.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// Returns the known name with the smallest edit distance to `name`; a difference only in letter case counts almost
// nothing. Empty if no name is close enough.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

// Returns the names of the items, as a list of known names.
template <class Items> std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const auto& item : items) names.emplace_back(item.name);
  return names;
}

// Returns a hint to append to a sentence: "; did you mean 'X'?" or "; known: a, b, c" (at most 12 names). Empty if
// `known` is empty.
std::string suggest_name(std::string_view name, const std::vector<std::string>& known);

// Returns "'recored' is not a device; did you mean 'recorded'? Use ADVICE", or without the question if no known name is
// near. `what`: "a device".
std::string unknown_name(std::string_view name, std::string_view what, const std::vector<std::string>& known,
                         std::string_view advice);

// Appends advice to a sentence: "...; see X", or, if the sentence is a question, "...? See X".
std::string with_advice(const std::string& sentence, std::string_view advice);

// "a, b or c".
std::string join_choices(const std::vector<std::string>& names);

// Returns the text in single quotes, shortened to about 100 bytes. The result is valid UTF-8 without control
// characters.
std::string quote(std::string_view text);

// Appends the place of an error in a formula: "what at column 3 of 'a / 0'". If `what` ends with advice or a question,
// the place follows in parentheses: "what; advice (column 3 of 'a / 0')".
std::string with_column(std::string_view what, std::size_t column, std::string_view formula);

// Returns the position of the first invalid UTF-8 byte, or npos.
std::size_t find_invalid_utf8(std::string_view text);

// [A-Za-z0-9_]
bool is_word(char c);

// [A-Za-z_][A-Za-z0-9_]*
bool is_identifier(std::string_view text);

// The reason why a text is not an integer.
enum class IntegerError { none, not_a_number, overflow };
// Parses all of `text` as a decimal integer with an optional sign.
IntegerError parse_integer(std::string_view text, std::int64_t& value);

// Returns the parts between separators, without blanks around them; n separators give n + 1 parts.
std::vector<std::string_view> split(std::string_view text, char separator);
// Deleted for temporaries, because the returned views would outlive the string.
template <std::same_as<std::string> Text> std::vector<std::string_view> split(Text&& text, char separator) = delete;
std::string_view trim(std::string_view text);

} // namespace warptune
