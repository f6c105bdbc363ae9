// Maps a configuration from other sources, whose params and values may differ, to the nearest one of the current spec.
#pragma once

#include "core/config.h"
#include "spec/spec.h"

#include <string_view>

namespace warptune {

// `text` has the form that config_text writes. If parse_config can read the text, returns that configuration. Otherwise
// each param gets the value nearest to the one in the text, by ratio if both are positive; a param that the text lacks
// gets its default. The result may violate constraints.
Config nearest_config(const KernelSpec& spec, std::string_view text);

} // namespace warptune
