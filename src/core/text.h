// Building blocks of error messages, and parsing of user input; shared by all code that reads text. Pure functions.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// Returns the nearest known name by edit distance; differences in letter case count almost nothing. Empty if no name is
// close enough.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

// "; did you mean 'X'?" or "; known: a, b, c" (at most 12 are listed), to append to a sentence. Empty without names.
std::string suggest_name(std::string_view name, const std::vector<std::string>& known);

// "a, b or c".
std::string join_choices(const std::vector<std::string>& names);

// Returns the text in single quotes, shortened to about 100 bytes, without control characters and always valid UTF-8.
std::string quote(std::string_view text);

// Returns the position of the first invalid UTF-8 byte, or npos.
std::size_t find_invalid_utf8(std::string_view text);

// [A-Za-z_][A-Za-z0-9_]*
bool is_identifier(std::string_view text);

enum class IntegerError { none, not_a_number, overflow };
// Parses all of `text` as a decimal integer with an optional sign.
IntegerError parse_integer(std::string_view text, std::int64_t& value);

// Returns the parts between separators, with blanks trimmed; n separators give n + 1 parts.
std::vector<std::string_view> split(std::string_view text, char separator);
// Deleted for temporaries, because the parts would outlive the string.
template <std::same_as<std::string> Text> std::vector<std::string_view> split(Text&& text, char separator) = delete;
std::string_view trim(std::string_view text);

} // namespace warptune
