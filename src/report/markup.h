// Text and numbers on their way into HTML, SVG and JSON. What comes from a database is not believed: it is made visible
// (core/sanitize.h) and escaped.
#pragma once

#include <string>
#include <string_view>

namespace warptune::report {

// For text between tags and for attributes in double quotes.
std::string escape_markup(std::string_view text);

// Six significant digits: more than any of these is known to, and half the size of a file. Four are enough for what
// follows from others.
double rounded(double value, int digits = 6);

std::string coordinate(double pixels); // "12.3"

} // namespace warptune::report
