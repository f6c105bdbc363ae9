// Maps a configuration from elsewhere, whose params and values may differ, to the nearest configuration of this spec.
#pragma once

#include "core/config.h"
#include "spec/spec.h"

#include <string_view>

namespace warptune {

// `text` has the form that config_text writes. If parse_config accepts the text, returns its result. Otherwise each
// param gets the value nearest to its value in the text (by ratio if both values are positive). A param that the text
// lacks gets its default. The result may violate constraints.
Config nearest_config(const KernelSpec& spec, std::string_view text);

} // namespace warptune
