// A device's roofs for `warptune roofs`: each measured roof next to the theoretical one.
#pragma once

#include "core/device.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace warptune::cli {

struct RoofRow {
  RoofName roof;
  double measured = 0, theoretical = 0; // in the roof's unit; 0: not known
  double sm_clock_mhz = 0;              // the clock during the measurement; 0: not known
  double share = 0;                     // the measured roof over the theoretical one; 0: not known
  double share_at_clock = 0; // measured over theoretical at that clock; 0: not known, or another clock limits it
};

// Returns the roofs that have a measured or a theoretical value.
std::vector<RoofRow> roof_rows(const DeviceInfo& device);

std::string roofs_text(const DeviceInfo& device, int width); // heading and table
nlohmann::json roofs_json(const DeviceInfo& device);

} // namespace warptune::cli
