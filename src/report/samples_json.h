// Writes a view's sampled configurations as JSON (docs/report.md): instructions by function, and source lines.
#pragma once

#include "report/view.h"

#include <nlohmann/json_fwd.hpp>

namespace warptune::report {

// Returns [{"trial", "source", "samples", "launches", "period_cycles", "dropped", "placed", "no_sass", "counted",
// "no_counts", "wasted", "functions", "files"}]. A function has all its instructions if their texts are known,
// otherwise only those with samples or counts. A file has all its lines. Texts are sanitised.
nlohmann::ordered_json samples_json(const View& view);

} // namespace warptune::report
