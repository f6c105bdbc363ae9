// Shortens a problem key for titles, sentences and progress lines. To identify a problem, use the full problem_key.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

// Lists of more than eight sizes are cut: "rows=[128,64,0, ... 4000 sizes],cols=64;fp32".
std::string short_problem(std::string_view key);

} // namespace warptune
