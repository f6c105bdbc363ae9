// The output of `space`, for the search space of a kernel or of a file.
#pragma once

#include "space/space.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptune::cli {

nlohmann::json space_json(const SearchSpace& space); // combinations, valid, rejections, and an empty list "configs"
// `implementations`: number of implementations whose combinations are added up in `space`.
void print_space_facts(const SearchSpace& space, const std::string& default_config, std::size_t implementations = 1);
std::int64_t shown_of(const SearchSpace& space, std::int64_t limit); // configurations to show; limit 0: all
// Returns a table of the constraints, and of the number of combinations that each removed. If it is wider than the
// terminal, constraints and reasons are below their counts, wrapped and never cut. `width`: 0 if the output is not a
// terminal.
std::string render_rejections(const std::vector<SearchSpace::Rejection>& all, int width);
void print_rejections(const SearchSpace& space); // largest count first; names each constraint's implementation

} // namespace warptune::cli
