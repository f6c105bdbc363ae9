#include "cli/check_summary.h"

#include "cli/check_rows.h"
#include "cli/compiler_complaint.h"
#include "cli/finding_rows.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/table.h"
#include "cli/units.h"
#include "spec/config.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kShownErrors = 3; // distinct errors per problem in the text output

// Configurations with the same status and message.
struct Group {
  TrialStatus status;
  CompilerComplaint complaint;
  const CheckedConfig* first;
  std::int64_t count = 0;
};

bool is_refused(TrialStatus status) { return status == TrialStatus::invalid; }
bool is_failed(TrialStatus status) { return status != TrialStatus::ok && !is_refused(status); }

std::vector<Group> groups_of(const CheckReport& report, const CheckedProblem& one, bool (*wanted)(TrialStatus)) {
  std::vector<Group> groups;
  for (const CheckedConfig& config : one.check.configs) {
    if (!wanted(config.compiled.status)) continue;
    CompilerComplaint complaint = first_complaint(config.compiled.evidence, report.kernel.sources);
    const std::string own = " with " + config_text(report.kernel.spec, config.config) + ": ";
    if (const std::size_t at = complaint.message.find(own); at != std::string::npos)
      complaint.message.replace(at, own.size(), ": "); // the heading names the configuration
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.status == config.compiled.status && group.complaint.message == complaint.message;
    });
    if (known != groups.end())
      ++known->count;
    else
      groups.push_back({config.compiled.status, std::move(complaint), &config, 1});
  }
  return groups;
}

// The smallest and largest value of the configurations that compile; `largest` is null if there are none.
struct Extremes {
  std::int64_t least = 0, most = 0;
  const CheckedConfig* largest = nullptr;
};
Extremes extremes_of(const CompileCheck& check, std::int64_t (*value)(const CheckedConfig&)) {
  Extremes found;
  for (const CheckedConfig& one : check.configs) {
    if (one.compiled.status != TrialStatus::ok) continue;
    const std::int64_t here = value(one);
    if (found.largest == nullptr || here > found.most) {
      found.most = here;
      if (found.largest == nullptr) found.least = here;
      found.largest = &one;
    }
    found.least = std::min(found.least, here);
  }
  return found;
}
std::int64_t registers_of(const CheckedConfig& one) { return one.compiled.resources.registers; }
std::int64_t spills_of(const CheckedConfig& one) { return one.compiled.resources.spill_bytes; }
std::int64_t shared_of(const CheckedConfig& one) {
  std::int64_t most = 0;
  for (const CheckedLaunch& launch : one.launches) most = std::max(most, launch.shared_bytes());
  return most;
}

template <class Text> std::string range_text(const Extremes& found, Text text) {
  if (found.largest == nullptr) return "-";
  return found.least == found.most ? text(found.most) : text(found.least) + " to " + text(found.most);
}
std::string plain_number(std::int64_t value) { return std::to_string(value); }

std::string where(const CheckReport& report, const CheckedProblem& one) {
  return fmt::format("{} for {}", short_problem(problem_key(report.kernel.spec, one.problem)), one.arch);
}

void print_complaint(const CompilerComplaint& complaint) {
  print("  {}\n", sanitize(complaint.message));
  if (!complaint.source.empty()) print("  {:>6} | {}\n", complaint.line, sanitize(complaint.source));
}

void print_groups(const CheckReport& report, const CheckedProblem& one, bool (*wanted)(TrialStatus)) {
  const auto groups = groups_of(report, one, wanted);
  for (std::size_t i = 0; i < std::min(groups.size(), kShownErrors); ++i) {
    const Group& group = groups[i];
    const std::string config = config_text(report.kernel.spec, group.first->config);
    print("\n{}: {} {}{}{}\n", sanitize(where(report, one)), group.count,
          is_refused(group.status) ? "refused" : status_text(group.status), group.count > 1 ? ", the first " : ", ",
          config.empty() ? "without parameters" : sanitize(config));
    print_complaint(group.complaint);
  }
  if (groups.size() > kShownErrors)
    print("\n{}: {} more; --json lists all\n", sanitize(where(report, one)), groups.size() - kShownErrors);
}

void print_problem(const CheckReport& report, const CheckedProblem& one) {
  if (!one.problem_error.empty()) print("\n{}: {}\n", sanitize(where(report, one)), sanitize(one.problem_error));
  if (!one.check.reference_error.empty()) {
    print("\n{}: the reference does not compile\n", sanitize(where(report, one)));
    print_complaint(first_complaint(one.check.reference_error, report.kernel.sources));
  }
  print_groups(report, one, is_failed);
  print_groups(report, one, is_refused);
}

// Whether a part of the problem does not compile, or none of its configurations can be launched.
bool is_in_trouble(const CheckedProblem& one) {
  const CheckCounts counts = counts_of(one.check);
  return counts.failed > 0 || counts.compiled == 0 || !one.check.reference_error.empty() || !one.problem_error.empty();
}

json complaint_json(const CompilerComplaint& complaint) {
  json out = {{"message", complaint.message}, {"file", nullptr}, {"line", nullptr}, {"source_line", nullptr}};
  if (complaint.file.empty()) return out;
  out["file"] = complaint.file;
  out["line"] = complaint.line;
  out["source_line"] = complaint.source;
  return out;
}

json groups_json(const CheckReport& report, const CheckedProblem& one, bool (*wanted)(TrialStatus)) {
  json out = json::array();
  for (const Group& group : groups_of(report, one, wanted)) {
    json& row = out.emplace_back(complaint_json(group.complaint));
    row["status"] = std::string(status_name(group.status));
    row["count"] = group.count;
    row["config"] = config_json(report.kernel.spec, group.first->config);
    row["config_text"] = config_text(report.kernel.spec, group.first->config);
  }
  return out;
}

json extremes_json(const CheckReport& report, const Extremes& found) {
  if (found.largest == nullptr) return nullptr;
  return {{"min", found.least},
          {"max", found.most},
          {"max_config", config_json(report.kernel.spec, found.largest->config)}};
}

} // namespace

void print_check_text(const CheckReport& report, bool wide) {
  const KernelSpec& spec = report.kernel.spec;
  print("{} from {}, {}\n\n", sanitize(spec.name), sanitize(report.kernel.origin), report.compiler);
  Table table({left("arch"), text("problem"), right("sample"), right("compile"), right("refused"), right("failed"),
               left_out(1, right("registers")), left_out(2, right("shared memory"))});
  CheckCounts all;
  std::size_t unusable = 0;
  for (const CheckedProblem& one : report.problems) {
    const CheckCounts counts = counts_of(one.check);
    if (one.is_unusable) {
      ++unusable;
      table.add({one.arch, short_problem(problem_key(spec, one.problem)), "none", "-", "-", "all", "-", "-"});
      continue;
    }
    all.compiled += counts.compiled;
    all.refused += counts.refused;
    all.failed += counts.failed;
    table.add({one.arch, short_problem(problem_key(spec, one.problem)),
               fmt::format("{} of {}", one.check.configs.size(), one.check.valid), std::to_string(counts.compiled),
               std::to_string(counts.refused), std::to_string(counts.failed),
               range_text(extremes_of(one.check, registers_of), plain_number),
               range_text(extremes_of(one.check, shared_of), bytes_text)});
  }
  print(std::string_view(table.render(wide ? 0 : terminal_width(1))));
  for (const CheckedProblem& one : report.problems) print_problem(report, one);
  print(std::string_view(render_check_rows(report, terminal_width(1), wide)));
  if (unusable > 0)
    print("\n{} of {} problems cannot be tuned, so nothing was compiled for {}; fix the formula in spec.json\n",
          unusable, report.problems.size(), unusable == 1 ? "it" : "them");
  if (all.failed > 0)
    print("\n{} of {} sampled configurations do not compile\n", all.failed, all.compiled + all.refused + all.failed);
  else if (std::none_of(report.problems.begin(), report.problems.end(), is_in_trouble))
    print("\nall sampled configurations compile{}\n", all.refused > 0 ? ", or are refused" : "");
  if (report.findings.empty()) return;
  print("\n{}{}\n", render_findings(report.findings), findings_text(report.findings));
}

void print_check_json(const CheckReport& report) {
  const KernelSpec& spec = report.kernel.spec;
  json out = {{"kernel", spec.name},
              {"origin", report.kernel.origin},
              {"source_hash", report.kernel.source_hash},
              {"compiler", report.compiler},
              {"ok", check_exit_code(report) == 0},
              {"problems", json::array()},
              {"findings", findings_json(report.findings)},
              {"notes", report.notes}};
  for (const CheckedProblem& one : report.problems) {
    const CheckCounts counts = counts_of(one.check);
    json& row = out["problems"].emplace_back(json{{"arch", one.arch},
                                                  {"problem", problem_json(spec, one.problem)},
                                                  {"valid", one.check.valid},
                                                  {"sampled", one.check.sampled},
                                                  {"compiled", counts.compiled},
                                                  {"refused", counts.refused},
                                                  {"failed", counts.failed}});
    row["failures"] = groups_json(report, one, is_failed);
    row["refusals"] = groups_json(report, one, is_refused);
    row["registers"] = extremes_json(report, extremes_of(one.check, registers_of));
    row["spill_bytes"] = extremes_json(report, extremes_of(one.check, spills_of));
    row["shared_bytes"] = extremes_json(report, extremes_of(one.check, shared_of));
    row["configurations"] = check_rows_json(report, one);
    row["error"] = or_null(one.problem_error);
    row["reference"] = one.check.reference_error.empty()
                           ? json(nullptr)
                           : complaint_json(first_complaint(one.check.reference_error, report.kernel.sources));
  }
  print_json(out);
}

} // namespace warptune::cli
