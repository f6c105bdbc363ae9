#include "cli/space_output.h"

#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/units.h"

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
  for (std::size_t i = 0; i < space.rejections().size(); ++i)
    if (const std::string& name = space.rejections()[i].implementation; !name.empty())
      out["rejections"][i]["implementation"] = name;
  return out;
}

void print_space_facts(const SearchSpace& space, const std::string& default_config, std::size_t implementations) {
  const double product = space.cartesian_size();
  const double share = product > 0 ? static_cast<double>(space.size()) / product * 100 : 0;
  print(std::string_view(render_facts(
      {{implementations > 1 ? "sum" : "product",
        fmt::format("{:.0f} {} of {}", product, product == 1 ? "combination" : "combinations",
                    implementations > 1 ? count_text(static_cast<std::int64_t>(implementations), "implementation")
                                        : count_text(space.param_count(), "parameter"))},
       {"valid", fmt::format("{} ({:.3g} %)", space.size(), share)},
       {"default", default_config}},
      terminal_width(1))));
}

std::int64_t shown_of(const SearchSpace& space, std::int64_t limit) {
  return limit == 0 ? space.size() : std::min(space.size(), limit);
}

std::string render_rejections(const std::vector<SearchSpace::Rejection>& all, int width) {
  const bool reasons = std::any_of(all.begin(), all.end(), [](const auto& r) { return !r.why.empty(); });
  const bool owners = std::any_of(all.begin(), all.end(), [](const auto& r) { return !r.implementation.empty(); });
  std::vector<Column> columns = {right("rejected")};
  if (owners) columns.push_back(left("implementation"));
  columns.push_back(whole("constraint"));
  if (reasons) columns.push_back(whole("why"));
  Table table(columns);
  for (const auto& r : all) {
    std::vector<std::string> cells = {std::to_string(r.count)};
    if (owners) cells.push_back(r.implementation);
    cells.push_back(r.expr);
    if (reasons) cells.push_back(r.why);
    table.add(std::move(cells));
  }
  return table.empty() ? "" : table.render(width);
}

void print_rejections(const SearchSpace& space) {
  if (const std::string text = render_rejections(space.rejections(), terminal_width(1)); !text.empty())
    print("\n{}", text);
}

} // namespace warptune::cli
