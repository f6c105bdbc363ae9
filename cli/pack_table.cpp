#include "cli/pack_table.h"

#include "cli/units.h"

#include <cassert>
#include <fmt/format.h>

namespace warptune::cli {
namespace {

std::vector<Column> rule_columns() {
  return {left("kernel"),
          left_out(7, whole("variant")),
          left_out(6, whole("device")),
          right("shapes"),
          left_out(4, right("configs")),
          right("worst loss"),
          left_out(3, right("guarded")),
          left_out(1, right("untuned mean")),
          left_out(2, right("untuned worst")),
          right("served"),
          left_out(5, right("as chosen"))};
}

std::string loss_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string served_text(std::size_t count, std::size_t of) {
  return of == 0 ? "-" : loss_text(static_cast<double>(count) / static_cast<double>(of));
}

std::vector<std::string> rule_cells(const PackRule& r, const UntunedShare& untuned) {
  return {r.kernel,
          r.variant,
          r.device_name,
          std::to_string(r.shapes),
          std::to_string(r.configs) + (r.method == "exact" ? "" : " (" + r.method + ")"),
          loss_text(r.worst_loss),
          std::to_string(r.guarded),
          r.rule_loss ? loss_text(r.rule_loss->mean) : "-",
          r.rule_loss ? loss_text(r.rule_loss->worst) : "-",
          served_text(untuned.served, untuned.probes),
          served_text(untuned.as_chosen, untuned.probes)};
}

} // namespace

Table pack_table(const std::vector<PackRule>& rules, const std::vector<UntunedShare>& untuned) {
  assert(rules.size() == untuned.size());
  Table table(rule_columns());
  for (std::size_t i = 0; i < rules.size(); ++i) table.add(rule_cells(rules[i], untuned[i]));
  return table;
}

Table pack_table(const std::vector<PackedVariant>& variants) {
  std::vector<Column> columns = rule_columns();
  columns.push_back(right("cubins"));
  columns.push_back(right("size"));
  Table table(std::move(columns));
  for (const PackedVariant& v : variants) {
    std::vector<std::string> cells = rule_cells(v.rule, v.untuned);
    cells.push_back(std::to_string(v.cubins));
    cells.push_back(bytes_text(v.bytes));
    table.add(std::move(cells));
  }
  return table;
}

} // namespace warptune::cli
