#include "cli/roof_rows.h"

#include "cli/json_output.h"
#include "cli/sanitize.h"
#include "cli/table.h"
#include "cli/units.h"
#include "predict/theoretical_roofs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

namespace warptune::cli {
namespace {

std::string value_text(const RoofName& roof, double value) {
  if (!(value > 0)) return "-";
  if (roof.unit == std::string_view("GB/s")) return rate_text(value);
  return fmt::format("{} {}", three_digits(value), roof.unit);
}

std::string clock_text(double mhz) { return mhz > 0 ? fmt::format("{:.0f} MHz", mhz) : "-"; }

} // namespace

std::vector<RoofRow> roof_rows(const DeviceInfo& device) {
  const Roofs theory = theoretical_roofs(device);
  std::vector<RoofRow> rows;
  for (const RoofName& roof : roof_names()) {
    RoofRow row{roof, device.roofs.*roof.member, theory.*roof.member};
    if (row.measured <= 0 && row.theoretical <= 0) continue;
    if (const auto clock = device.roofs.clocks.find(roof.name); clock != device.roofs.clocks.end())
      row.sm_clock_mhz = clock->second;
    if (row.measured > 0 && row.theoretical > 0) row.share = row.measured / row.theoretical;
    const bool dram = std::string_view(roof.name).starts_with("dram_"); // DRAM has its own clock
    if (!dram && row.sm_clock_mhz > 0) row.share_at_clock = row.share * device.max_sm_clock_mhz / row.sm_clock_mhz;
    rows.push_back(row);
  }
  return rows;
}

std::string roofs_text(const DeviceInfo& device, int width) {
  Table table({left("roof"), right("measured"), right("theoretical"), right("share"), right("SM clock"),
               left_out(1, right("share at that clock"))});
  for (const RoofRow& row : roof_rows(device))
    table.add({row.roof.label, value_text(row.roof, row.measured), value_text(row.roof, row.theoretical),
               share_text(row.share), clock_text(row.sm_clock_mhz), share_text(row.share_at_clock)});
  std::string heading = fmt::format("{}, driver {}", sanitize(device.name),
                                    sanitize(device.roofs.driver.empty() ? "not known" : device.roofs.driver));
  if (device.max_sm_clock_mhz > 0) heading += fmt::format(", SM clock at most {}", clock_text(device.max_sm_clock_mhz));
  return heading + "\n\n" + table.render(width);
}

nlohmann::json roofs_json(const DeviceInfo& device) {
  nlohmann::json rows = nlohmann::json::array();
  for (const RoofRow& row : roof_rows(device))
    rows.push_back({{"name", row.roof.name},
                    {"label", row.roof.label},
                    {"unit", row.roof.unit},
                    {"measured", or_null(row.measured)},
                    {"theoretical", or_null(row.theoretical)},
                    {"share", or_null(row.share)},
                    {"sm_clock_mhz", or_null(row.sm_clock_mhz)},
                    {"share_at_clock", or_null(row.share_at_clock)}});
  return {{"device", to_json(device)}, {"roofs", rows}};
}

} // namespace warptune::cli
