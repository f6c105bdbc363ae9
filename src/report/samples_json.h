// The sampled configurations of a view as JSON (docs/report.md): the instructions by function, and the source lines.
#pragma once

#include "report/view.h"

#include <nlohmann/json_fwd.hpp>

namespace warptune::report {

// [{"trial", "source", "samples", "launches", "period_cycles", "dropped", "placed", "no_sass", "counted", "no_counts",
// "wasted", "functions", "files"}]. A function lists all its instructions if their text is known, otherwise those with
// samples or counts; a file lists all its lines. Texts are sanitised.
nlohmann::ordered_json samples_json(const View& view);

} // namespace warptune::report
