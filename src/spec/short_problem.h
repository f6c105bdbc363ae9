// The key of a problem as people read it: in titles, sentences and progress lines. Identities stay whole (problem_key).
#pragma once

#include <string>
#include <string_view>

namespace warptune {

// Lists of more than eight sizes are cut: "rows=[128,64,0, ... 4000 sizes],cols=64;fp32".
std::string short_problem(std::string_view key);

} // namespace warptune
