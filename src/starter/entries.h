// Lists as options take them: "n=1024,m=n * 2" and "ceil_div(n, 4), 2". A comma separates only outside brackets and
// quotes; in lists of entries only before the next NAME=, so values may contain commas. Pure.
#pragma once

#include "core/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune {

using Entries = std::vector<std::pair<std::string, std::string>>; // name -> text, in the order given

// Adds the entries of an option's value; the newer text replaces that of a known name. Error (bad_input, names
// `option`): an entry is not NAME=VALUE.
Result<void> add_entries(std::string_view option, std::string_view text, Entries& entries);

const std::string* find_entry(const Entries& entries, std::string_view name); // null: there is none

// The parts of a list, without blanks around them.
std::vector<std::string> split_list(std::string_view text);

} // namespace warptune
