#include "cli/space_output.h"

#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {

using nlohmann::json;

json space_json(const SearchSpace& space) {
  json out = {{"combinations", count_json(space.cartesian_size())},
              {"valid", space.size()},
              {"rejections", json::array()},
              {"configs", json::array()}};
  for (const auto& r : space.rejections())
    out["rejections"].push_back({{"expr", r.expr}, {"why", r.why}, {"count", r.count}});
  return out;
}

void print_space_facts(const SearchSpace& space, const std::string& default_config) {
  const double product = space.cartesian_size();
  const double share = product > 0 ? static_cast<double>(space.size()) / product * 100 : 0;
  print(std::string_view(render_facts(
      {{"product", fmt::format("{:.0f} {} of {} {}", product, product == 1 ? "combination" : "combinations",
                               space.param_count(), space.param_count() == 1 ? "parameter" : "parameters")},
       {"valid", fmt::format("{} ({:.3g} %)", space.size(), share)},
       {"default", default_config}})));
}

void print_rejections(const SearchSpace& space) {
  const auto& all = space.rejections();
  const bool reasons = std::any_of(all.begin(), all.end(), [](const auto& r) { return !r.why.empty(); });
  std::vector<Column> columns = {right("rejected"), text("constraint")};
  if (reasons) columns.push_back(text("why"));
  Table table(columns);
  for (const auto& r : all) {
    std::vector<std::string> cells = {std::to_string(r.count), r.expr};
    if (reasons) cells.push_back(r.why);
    table.add(std::move(cells));
  }
  if (!table.empty()) print("\n{}", table.render(terminal_width(1)));
}

} // namespace warptune::cli
