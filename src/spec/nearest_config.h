// What a configuration of other sources, with params and values of its own, comes nearest to in today's spec.
#pragma once

#include "core/config.h"
#include "spec/spec.h"

#include <string_view>

namespace warptune {

// `text` as config_text writes it. What parse_config reads is that configuration; else each param has the value nearest
// to what the text says, by ratio where both are positive, and its default where the text says nothing of it. Need not
// be valid.
Config nearest_config(const KernelSpec& spec, std::string_view text);

} // namespace warptune
