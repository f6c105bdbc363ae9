// Any bytes as a sweep file, with one kernel that exists and others that do not.
#include "cli/sweep_file.h"
#include "core/text.h"
#include "spec/spec_json.h"
#include "support/spec_text.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace warptune;

namespace {

void check_text(const std::string& text) {
  if (text.empty() || find_invalid_utf8(text) != std::string_view::npos) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const KernelSpec spec = *parse_spec(warptune::testing::SpecText().text(), "spec.json");
  const auto load = [](const std::string& name, const std::vector<std::string>&) -> Result<Kernel> {
    if (name == "softmax") return Kernel{spec, {}, "hash", "fuzz"};
    return fail(ErrorKind::bad_input, "unknown kernel " + quote(name));
  };
  const auto plan =
      cli::expand_sweep(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.json", {}, load);
  if (!plan) {
    if (plan.error().kind != ErrorKind::bad_input) std::abort();
    check_text(plan.error().message);
    return 0;
  }
  if (plan->jobs.empty() || plan->jobs.size() > 10000) std::abort();
  for (const std::string& note : plan->notes) check_text(note);
  for (const SweepJob& job : plan->jobs) {
    const std::string key = problem_key(job.kernel->spec, job.problem);
    if (parse_problem_key(job.kernel->spec, key).value() != job.problem || job.options.strategy.empty()) std::abort();
  }
  return 0;
}
