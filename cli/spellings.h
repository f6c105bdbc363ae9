// Other spellings on the command line: former names, and spellings that other programs use. They are converted first,
// so that all other code sees only one spelling of each word. Commands that are printed for the user to type keep the
// user's spelling.
#pragma once

#include "core/result.h"

#include <optional>
#include <string>
#include <vector>

namespace warptune::cli {

// Converts the words, which begin with the program's name: "--device 0" -> "--device cuda:0", "--dtype float16" ->
// "--dtype fp16", "--device recorded" -> "--device replay", and for a sweep "--device" -> "--devices".
std::vector<std::string> with_usual_spellings(std::vector<std::string> words);

// Returns an error if `args` contains "--device recorded:" without a path after the colon. `args`: converted by
// with_usual_spellings.
std::optional<Error> pathless_recording(const std::vector<std::string>& args);

// The reverse, for output: "replay:DIR" -> "recorded:DIR".
std::string shown_device(const std::string& device);

} // namespace warptune::cli
