// Makes a View from the rows of one session. The params are those of the spec that was tuned; bytes per memory level
// are from counters or from the cost model.
#pragma once

#include "core/result.h"
#include "db/reader.h"
#include "report/view.h"

#include <optional>
#include <vector>

namespace warptune::report {

// `devices`: all devices of the database. Missing data, such as the spec or the description of the device, becomes a
// note and not an error.
Result<View> make_view(const Reader& reader, const SessionRecord& session, const std::optional<BestRecord>& best,
                       const std::vector<DeviceInfo>& devices);

} // namespace warptune::report
