// Prepares texts and numbers for HTML, SVG and JSON. Texts from a database are not trusted, so they are escaped, and
// control characters are made visible (core/sanitize.h).
#pragma once

#include <string>
#include <string_view>

namespace warptune::report {

// Escapes a text for use between tags, and in attributes in double quotes.
std::string escape_markup(std::string_view text);

// Rounds to `digits` significant digits. Six digits exceed the accuracy of all these values, and halve the file size.
// Four digits are enough for values computed from others.
double rounded(double value, int digits = 6);

std::string coordinate(double pixels); // "12.3"

} // namespace warptune::report
