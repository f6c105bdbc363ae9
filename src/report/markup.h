// Prepares text and numbers for HTML, SVG and JSON. Text from a database is not trusted: control characters are made
// visible (core/sanitize.h), and it is escaped.
#pragma once

#include <string>
#include <string_view>

namespace warptune::report {

// For text between tags and for attributes in double quotes.
std::string escape_markup(std::string_view text);

// Rounds to six significant digits: more than the accuracy of any of these values, and half the file size of unrounded
// ones. Four are enough for values computed from others.
double rounded(double value, int digits = 6);

std::string coordinate(double pixels); // "12.3"

} // namespace warptune::report
