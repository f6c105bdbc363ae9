// The NVRTC options that a spec may use (`compile.options`). All others are refused, because they may write files
// (--create-pch, --time), read files, or yield an empty cubin (--fdevice-syntax-only, -dlto). A spec may come from
// another person's database or pack, and applications compile its sources in their own process.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

bool is_compile_option(std::string_view option); // `option` includes its value: "--maxrregcount=64"
std::string compile_option_names();              // "--use_fast_math, --ftz=, ..."

} // namespace warptune
