// Alternative spellings on the command line: former names, and the spellings of other programs. The rest of the command
// line code sees only one spelling of each. Printed commands for the user to type keep the user's own spelling.
#pragma once

#include "core/result.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune::cli {

// `words`: the program's name first. "--device 0" -> "--device cuda:0", "--dtype float16" -> "--dtype fp16", "--device
// recorded" -> "--device replay", and for a sweep "--device" -> "--devices".
std::vector<std::string> with_usual_spellings(std::vector<std::string> words);

// The error in a device that names no recordings: "--device recorded:". `args`: with usual spellings.
std::optional<Error> pathless_recording(const std::vector<std::string>& args);

// The reverse mapping, for output: "replay:DIR" -> "recorded:DIR".
std::string shown_device(const std::string& device);

} // namespace warptune::cli
