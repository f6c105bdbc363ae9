// Converts one session's rows to a View: params from the spec that was tuned, bytes by level from counters or the
// model.
#pragma once

#include "core/result.h"
#include "db/reader.h"
#include "report/view.h"

#include <optional>
#include <vector>

namespace warptune::report {

// `devices`: all devices of the database. Missing data (the spec, the device's description) becomes a note, not an
// error.
Result<View> make_view(const Reader& reader, const SessionRecord& session, const std::optional<BestRecord>& best,
                       const std::vector<DeviceInfo>& devices);

} // namespace warptune::report
