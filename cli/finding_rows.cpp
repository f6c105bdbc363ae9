#include "cli/finding_rows.h"

#include "cli/json_output.h"
#include "cli/sanitize.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

// "softmax fp32, sm_90a, THREADS=64": what the finding is about; may be empty.
std::string subject(const Finding& finding) {
  std::string text;
  for (const std::string& part : {short_problem(finding.problem), finding.arch, finding.config})
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string counted(std::ptrdiff_t count, const char* name) {
  return fmt::format("{} {}{}", count, name, count == 1 ? "" : "s");
}

} // namespace

std::string render_findings(std::vector<Finding> findings) {
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.level < b.level; });
  std::string out;
  for (const Finding& finding : findings) {
    const std::string place = place_text(finding.place), about = subject(finding);
    out += sanitize(fmt::format("{}{}{}: {}{} [{}]", place, place.empty() ? "" : ": ", level_name(finding.level),
                                about.empty() ? "" : about + ": ", finding.sentence, finding.kind)) +
           "\n";
  }
  return out;
}

std::string findings_text(const std::vector<Finding>& findings) {
  const auto count = [&](FindingLevel level) {
    return std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.level == level; });
  };
  return counted(count(FindingLevel::warning), "warning") + ", " + counted(count(FindingLevel::note), "note");
}

json findings_json(const std::vector<Finding>& findings) {
  json out = json::array();
  for (const Finding& finding : findings)
    out.push_back({{"kind", finding.kind},
                   {"level", std::string(level_name(finding.level))},
                   {"file", or_null(finding.place.file)},
                   {"line", or_null(std::int64_t{finding.place.line})},
                   {"pointer", or_null(finding.place.pointer)},
                   {"message", finding.sentence},
                   {"arch", or_null(finding.arch)},
                   {"problem", or_null(finding.problem)},
                   {"config_text", or_null(finding.config)}});
  return out;
}

} // namespace warptune::cli
