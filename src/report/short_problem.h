// The key of a problem as titles show it.
#pragma once

#include <string>
#include <string_view>

namespace warptune::report {

// Lists of more than eight sizes are cut: "rows=[128,64,0, ... 4000 sizes],cols=64;fp32".
std::string short_problem(std::string_view key);

} // namespace warptune::report
