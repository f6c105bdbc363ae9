// What `space` prints of any search space, whoever described it.
#pragma once

#include "space/space.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace warptune::cli {

nlohmann::json space_json(const SearchSpace& space); // combinations, valid, rejections; configs: an empty list
void print_space_facts(const SearchSpace& space, const std::string& default_config);
void print_rejections(const SearchSpace& space); // most first

} // namespace warptune::cli
