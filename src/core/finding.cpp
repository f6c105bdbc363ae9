#include "core/finding.h"

#include "core/examination.h"

namespace warptune {

std::string place_text(const Place& place) {
  return place.line > 0 ? place.file + ":" + std::to_string(place.line) : place.file;
}

std::string_view level_name(FindingLevel level) { return level == FindingLevel::warning ? "warning" : "note"; }

std::vector<std::string> finding_kinds() {
  std::vector<std::string> kinds = {"unread-macro", "undefined-macro",  "unpassed-param", "unread-param",
                                    "idle-dim",     "idle-constraint",  "unused-value",   "spill",
                                    "hang",         "compiler-warning", "launch-bounds",  "unfilled-constant"};
  for (const char* kind : {"memory-error", "race", "uninitialised-read", "barrier-error"}) kinds.emplace_back(kind);
  for (const ExaminationName& examination : examinations()) kinds.emplace_back(examination.kind);
  return kinds;
}

} // namespace warptune
