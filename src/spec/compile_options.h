// The NVRTC options that a description may use (`compile.options`). Only listed options are allowed. Others may write
// files (--create-pch, --time), read files, or yield an empty cubin (--fdevice-syntax-only, -dlto). Descriptions may
// come from other people's databases and packs, and applications compile them in their own process.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

bool is_compile_option(std::string_view option); // including its value: "--maxrregcount=64"
std::string compile_option_names();              // "--use_fast_math, --ftz=, ..."

} // namespace warptune
