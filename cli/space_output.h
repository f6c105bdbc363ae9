// The output of `space` for any search space, from a kernel or a file.
#pragma once

#include "space/space.h"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptune::cli {

nlohmann::json space_json(const SearchSpace& space); // combinations, valid, rejections; configs: an empty list
// `implementations`: the number of implementations over which the combinations are summed.
void print_space_facts(const SearchSpace& space, const std::string& default_config, std::size_t implementations = 1);
// Prints the constraints, and the number of combinations that each removed. If the table is wider than the terminal,
// constraints and reasons are below their counts, wrapped and never cut. `width` 0: no terminal.
std::string render_rejections(const std::vector<SearchSpace::Rejection>& all, int width);
void print_rejections(const SearchSpace& space); // the most frequent first, with each constraint's implementation

} // namespace warptune::cli
