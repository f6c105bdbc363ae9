// The options that a description may give NVRTC (`compile.options`). A list of what is allowed: options of a compiler
// also write files (--create-pch, --time), read them, or yield a program that holds nothing (--fdevice-syntax-only,
// -dlto). Descriptions come from databases and packs of others too, and are compiled in an application's process.
#pragma once

#include <string>
#include <string_view>

namespace warptune {

bool is_compile_option(std::string_view option); // with its value: "--maxrregcount=64"
std::string compile_option_names();              // "--use_fast_math, --ftz=, ..."

} // namespace warptune
