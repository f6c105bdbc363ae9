#include "cli/check_report.h"

#include "cli/output.h"
#include "core/result.h"

#include <algorithm>

namespace warptune::cli {

CheckCounts counts_of(const CompileCheck& check) {
  CheckCounts counts;
  for (const CheckedConfig& one : check.configs) {
    const TrialStatus status = one.compiled.status;
    ++(status == TrialStatus::ok ? counts.compiled : status == TrialStatus::invalid ? counts.refused : counts.failed);
  }
  return counts;
}

int check_exit_code(const CheckReport& report) {
  bool is_failure = false, is_hopeless = false;
  for (const CheckedProblem& one : report.problems) {
    const CheckCounts counts = counts_of(one.check);
    is_failure = is_failure || counts.failed > 0 || !one.check.reference_error.empty() || one.is_unusable;
    is_hopeless = is_hopeless || counts.compiled == 0;
  }
  if (is_failure) return kNotAllWell;
  if (is_hopeless) return static_cast<int>(ErrorKind::no_candidate);
  const auto is_warning = [](const Finding& finding) { return finding.level == FindingLevel::warning; };
  return std::any_of(report.findings.begin(), report.findings.end(), is_warning) ? kNotAllWell : 0;
}

} // namespace warptune::cli
