// Splits lists as options write them: "n=1024,m=n * 2", or "ceil_div(n, 4), 2". A comma separates only outside brackets
// and quotes. In a list of NAME=VALUE entries, it separates only before the next NAME=, so a value may contain commas.
// Pure.
#pragma once

#include "core/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune {

using Entries = std::vector<std::pair<std::string, std::string>>; // name -> text, in the order in which they were given

// Adds the entries of an option's value. A repeated name gets the newer text. Error (bad_input): an entry is not
// NAME=VALUE; the message names `option`.
Result<void> add_entries(std::string_view option, std::string_view text, Entries& entries);

const std::string* find_entry(const Entries& entries, std::string_view name); // null if there is none

// Returns the parts of a list without NAME=, with blanks around them removed.
std::vector<std::string> split_list(std::string_view text);

} // namespace warptune
