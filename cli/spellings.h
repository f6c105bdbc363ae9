// Other spellings of what is typed: names from before, and how other programs write the same. The rest of the command
// line sees one spelling of each. What is shown to be typed again keeps the user's own.
#pragma once

#include <string>
#include <vector>

namespace warptune::cli {

// `words`: the program's name first. "--device 0" -> "--device cuda:0", "--dtype float16" -> "--dtype fp16",
// "--device recorded" -> "--device replay", and of a sweep "--device" -> "--devices".
std::vector<std::string> with_usual_spellings(std::vector<std::string> words);

// The way back, for what is printed: "replay:DIR" -> "recorded:DIR".
std::string shown_device(const std::string& device);

} // namespace warptune::cli
