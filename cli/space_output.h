// What `space` prints of any search space, whoever described it.
#pragma once

#include "space/space.h"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptune::cli {

nlohmann::json space_json(const SearchSpace& space); // combinations, valid, rejections; configs: an empty list
// `implementations`: how many the combinations are of.
void print_space_facts(const SearchSpace& space, const std::string& default_config, std::size_t implementations = 1);
// The constraints with what each removed. Where the table is wider than the terminal, constraints and reasons are below
// their counts, wrapped and never cut. `width` 0: no terminal.
std::string render_rejections(const std::vector<SearchSpace::Rejection>& all, int width);
void print_rejections(const SearchSpace& space); // most first; with the implementation whose constraint it is

} // namespace warptune::cli
