// A device's roofs for `warptune roofs`: each measured roof next to the theoretical one.
#pragma once

#include "core/device.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace warptune::cli {

struct RoofRow {
  RoofName roof;
  double measured = 0, theoretical = 0; // in the unit of the roof; 0: not known
  double sm_clock_mhz = 0;              // during the measurement; 0: not known
  double share = 0;                     // measured divided by theoretical; 0: not known
  // The measured roof divided by the theoretical roof at sm_clock_mhz; 0: not known, or another clock limits this roof.
  double share_at_clock = 0;
};

// Returns the roofs that have a measured or theoretical value.
std::vector<RoofRow> roof_rows(const DeviceInfo& device);

std::string roofs_text(const DeviceInfo& device, int width); // a heading and a table
nlohmann::json roofs_json(const DeviceInfo& device);

} // namespace warptune::cli
