// Finding: one defect or doubtful point in a kernel folder, with its place. `check` collects them from specs,
// compilers, devices and tools, and prints them as one list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// A place in a kernel folder. `line` counts from 1; 0 means the whole file.
struct Place {
  std::string file; // "spec.json", "kernel.cu"; empty: the place is not a single file
  int line = 0;
  std::string pointer; // in spec.json or implementation.json: a JSON pointer such as "/params/VEC"
};
std::string place_text(const Place& place); // "kernel.cu:12"; empty for no place

// `check` fails only because of warnings. A note is about something that a correct kernel may have, such as a
// non-default configuration that spills registers.
enum class FindingLevel { warning, note };
std::string_view level_name(FindingLevel level);

// The kinds of findings, such as "unread-param". Programs may rely on the names; docs/check.md explains each.
std::vector<std::string> finding_kinds();

struct Finding {
  std::string kind; // one of finding_kinds()
  FindingLevel level = FindingLevel::warning;
  Place place;
  std::string sentence; // what, why, and what to do
  // Where the defect was found; each is empty if the defect does not depend on it.
  std::string arch = {}, problem = {}, config = {};
};

} // namespace warptune
