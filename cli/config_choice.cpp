#include "cli/config_choice.h"

#include "db/learned_rule.h"
#include "db/tuned_entries.h"
#include "gpu/library_calls.h"
#include "jit/template_store.h"
#include "plan/plan.h"
#include "plan/program_key.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace warptune::cli {
namespace {

// Why a pack cannot provide a configuration for this problem: by default, applications compile nothing. A pack has no
// cubins of configurations that it does not name (`known`); testing this first avoids planning many configurations.
std::optional<std::string> missing_program(const Reader& pack, const Asked& asked, const std::set<Config>& known,
                                           const Config& config, const DeviceInfo& device) {
  if (known.count(config) == 0) return "the pack contains no cubin of this configuration";
  const KernelSpec& spec = asked.kernel.spec;
  const auto plan = make_plan(spec, asked.problem, config, device);
  if (!plan) return plan.error().message;
  if (!plan->has_program()) return std::nullopt;
  const auto request = make_compile_request(spec, asked.kernel.sources, asked.problem, config, device, *plan);
  if (!request) return request.error().message;
  const auto cubin = pack.cubin(program_key(*request));
  if (!cubin) return cubin.error().message;
  if (!*cubin) return "the pack contains no cubin of this configuration for this shape";
  return std::nullopt;
}

// Why an application that allows no calls into libraries cannot launch a configuration.
std::optional<std::string> forbidden_call(const Asked& asked, const Config& config, const DeviceInfo& device) {
  const std::vector<std::string> calls = library_calls_of(asked, config, device);
  if (calls.empty()) return std::nullopt;
  return fmt::format("it calls {}, and library calls need --allow-vendor", calls.front());
}

// An application has no kernel folder: it launches from the sources in the database or pack.
Result<void> note_other_sources(const Reader& reader, const Kernel& kernel, std::vector<std::string>& notes) {
  WT_TRY(const auto stored, reader.kernel(kernel.spec.name));
  if (stored && stored->source_hash != kernel.source_hash)
    notes.push_back(fmt::format(
        "an application that opens this {} launches {} from the stored sources, which differ from the sources in {}",
        reader.pack() ? "pack" : "database", kernel.spec.name, kernel.origin));
  return {};
}

// The learned rule predicts only implementations that were measured. Others may be faster.
void note_unmeasured(const Asked& asked, const DeviceInfo& device, const std::set<Config>& measured, bool allow_vendor,
                     std::vector<std::string>& notes) {
  const KernelSpec& spec = asked.kernel.spec;
  for (std::size_t i = 0; i < spec.implementations.size(); ++i) {
    const Implementation& implementation = spec.implementations[i];
    if ((!allow_vendor && !implementation.library_calls.empty()) ||
        std::any_of(measured.begin(), measured.end(),
                    [&](const Config& config) { return &spec.implementation(config) == &implementation; }) ||
        check_config(spec, asked.problem, device, default_config(spec, i)))
      continue;
    notes.push_back(fmt::format("{} was not measured on any similar shape, so the expected slowdown does not consider "
                                "this implementation",
                                implementation.name));
  }
}

} // namespace

std::vector<std::string> library_calls_of(const Asked& asked, const Config& config, const DeviceInfo& device) {
  std::vector<std::string> names;
  if (!asked.kernel.spec.calls_libraries(config)) return names;
  if (const auto plan = make_plan(asked.kernel.spec, asked.problem, config, device))
    for (const LibraryCallPlan& call : plan->library_calls) names.push_back(call.name());
  return names;
}

Result<Choice> choose_config(const Asked& asked, const DeviceInfo& device, const Reader* reader,
                             std::vector<std::string>& notes, bool allow_vendor, std::int64_t alignment) {
  const KernelSpec& spec = asked.kernel.spec;
  Choice choice;
  SelectOptions options;
  options.alignment = alignment;
  const bool is_allowed = allow_vendor || vendor_is_allowed();
  std::set<Config> known; // configurations that a pack names
  options.refuse = [&](const Config& config) -> std::optional<std::string> {
    if (!is_allowed)
      if (auto why = forbidden_call(asked, config, device)) return why;
    return reader != nullptr && reader->pack() ? missing_program(*reader, asked, known, config, device) : std::nullopt;
  };
  std::vector<std::string> found; // notes on the results
  const auto take = [&](TunedEntries tuned) {
    choice.entries = std::move(tuned.entries);
    found = std::move(tuned.notes);
    for (const TunedEntry& entry : choice.entries) known.insert(entry.config);
  };
  std::optional<LearnedRule> learned;
  const bool is_packed = reader != nullptr && reader->pack(); // by default, its applications compile nothing
  options.by_expected_time = !is_packed && is_shipped(spec.name, asked.kernel.source_hash);
  if (reader != nullptr) {
    WT_CHECK(note_other_sources(*reader, asked.kernel, notes));
    known.insert(default_config(spec, asked.problem, device));
    // As in an application, results of other problems are read only if this problem was not tuned.
    WT_TRY(auto own, load_entries_of_problem(*reader, spec, asked.kernel.source_hash, asked.problem));
    take(std::move(own));
    if (auto exact = select_exact(spec, choice.entries, asked.problem, device, options)) {
      notes.insert(notes.end(), found.begin(), found.end());
      choice.selection = std::move(*exact);
      return choice;
    }
    WT_TRY(auto tuned, load_tuned_entries(*reader, spec, asked.kernel.source_hash));
    take(std::move(tuned));
    notes.insert(notes.end(), found.begin(), found.end());
    WT_TRY(const auto near, reader->near_problems(spec, asked.problem, device));
    WT_TRY(auto rule, load_learned_rule(*reader, spec, asked.kernel.source_hash, near));
    learned.emplace(std::move(rule));
    known.insert(learned->configs.begin(), learned->configs.end());
    options.learned = &learned->transfers;
  }
  WT_TRY(auto selection, select(spec, choice.entries, asked.problem, device, options));
  choice.selection = std::move(selection);
  if (choice.selection.match == Match::learned_rule)
    note_unmeasured(asked, device, learned->configs, is_allowed, notes);
  return choice;
}

} // namespace warptune::cli
