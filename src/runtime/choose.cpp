// Chooses a catalog's configuration for a problem, and explains the choice: the rules of predict/select.h applied to
// the contents of the file. A tuned problem is only looked up; the rest of the file is read only if that gives no
// result.
#include "jit/builders.h"
#include "plan/program_key.h"
#include "runtime/catalog.h"
#include "spec/config.h"
#include "spec/short_problem.h"

#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

// The time of the launched configuration. If an exact match keeps the default, this is the default's time.
std::string tuned_time(const KernelSpec& spec, const Choice& choice, const DeviceInfo& device) {
  if (!choice.entry || choice.entry->median_us <= 0) return {};
  const double speedup = choice.entry->speedup_over_default;
  const std::string_view when = choice.selection.match == Match::exact ? "when tuned" : "there";
  if (choice.selection.config != choice.entry->config) {
    if (speedup <= 0 || choice.selection.config != default_config(spec, choice.problem, device)) return {};
    return fmt::format("; {:.4g} us {}", choice.entry->median_us * speedup, when);
  }
  std::string text = fmt::format("; {:.4g} us {}", choice.entry->median_us, when);
  if (speedup > 0) text += fmt::format(", {:.2f}x the speed of the default", speedup);
  return text;
}

std::string explain(const KernelSpec& spec, const Choice& choice, const DeviceInfo& device,
                    const std::vector<std::string>& notes) {
  std::string text =
      fmt::format("{} {} on {} ({}): {} ({}: {}{})", spec.name, short_problem(problem_key(spec, choice.problem)),
                  device.name, device.arch, choice.config.empty() ? "no parameters" : choice.config,
                  match_name(choice.selection.match), choice.selection.why, tuned_time(spec, choice, device));
  for (std::size_t i = 0; i < choice.plan.library_calls.size(); ++i)
    text += (i == 0 ? "; calls " : ", ") + choice.plan.library_calls[i].name();
  for (const std::string& note : notes) text += "; " + note;
  return text;
}

} // namespace

class Catalog::Chooser {
 public:
  Chooser(const Catalog& catalog, const TunedKernel& tuned, const Problem& problem, const DeviceInfo& device,
          const ProgramRule& rule)
      : catalog_(catalog), tuned_(tuned), spec_(tuned.kernel.spec), problem_(problem), device_(device), rule_(rule) {}

  Result<Choice> choose(std::uint32_t alignment) {
    Result<TunedResults> own = TunedResults{};
    all_ = catalog_.find_all_results(tuned_);
    if (all_ == nullptr) own = catalog_.results_of(tuned_, problem_);
    WT_CHECK(own);
    results_ = all_ != nullptr ? all_ : &*own;
    SelectOptions options;
    options.alignment = alignment;
    options.refuse = [this](const Config& config) { return refuse(config); };
    if (auto exact = select_exact(spec_, results_->entries, problem_, device_, options))
      return finish(std::move(*exact));
    if (failure_) return fail(*failure_);

    WT_CHECK(read_all());
    WT_TRY(const auto learned, catalog_.learned_rule(tuned_, problem_, device_));
    results_ = all_;
    options.learned = &learned->transfers;
    options.by_expected_time = rule_.by_expected_time;
    std::set<Config> known; // configurations that the file has times or results of
    if (rule_.is_stored_only) {
      known = learned->configs;
      known.insert(results_->configs.begin(), results_->configs.end());
      options.others = &known;
    }
    auto selection = select(spec_, results_->entries, problem_, device_, options);
    if (failure_) return fail(*failure_);
    WT_CHECK(selection);
    return finish(std::move(*selection));
  }

 private:
  Result<void> read_all() {
    if (all_ != nullptr) return {};
    WT_TRY(const auto all, catalog_.all_results(tuned_));
    all_ = all;
    return {};
  }

  // Says why `config` cannot be launched here; a usable one is stored in usable_.
  std::optional<std::string> refuse(const Config& config) {
    if (usable_.count(config) != 0) return std::nullopt;
    auto plan = make_plan(spec_, problem_, config, device_);
    if (!plan) return plan.error().message; // limits that no constraint states, such as the maximum grid size
    auto request = make_compile_request(spec_, tuned_.kernel.sources, problem_, config, device_, *plan);
    if (!request) return request.error().message;
    PlannedCandidate candidate{std::move(*plan), std::move(*request), {}};
    if (candidate.plan.has_program()) {
      candidate.program.key = program_key(candidate.compile);
      find_stored(config, candidate);
      if (failure_) return failure_->message;
    }
    if (auto why = rule_.refuse(candidate)) return why;
    usable_.emplace(config, std::move(candidate));
    return std::nullopt;
  }

  // A pack stores programs under their program key. A database names the programs of its winners, which may serve other
  // problems too.
  void find_stored(const Config& config, PlannedCandidate& candidate) {
    NeededProgram& program = candidate.program;
    look_up(program.key, program);
    if (program.stored.hash.empty()) find_among(*results_, config, candidate);
    if (!program.stored.hash.empty() || results_ == all_) return;
    if (const auto read = read_all())
      find_among(*all_, config, candidate);
    else
      failure_ = read.error();
  }

  void look_up(const std::string& hash, NeededProgram& program) {
    if (auto stored = catalog_.find_stored(hash, program.unusable))
      program.stored = std::move(*stored);
    else
      failure_ = stored.error();
  }

  void find_among(const TunedResults& results, const Config& config, PlannedCandidate& candidate) {
    for (const TunedEntry& entry : results.entries) {
      if (entry.config != config || entry.arch != device_.arch) continue;
      const auto named = results.cubins.find(entry.row_id);
      // The key covers source, options and compiler. It may differ here, because formulas over the shape made another
      // program, or because the row was edited.
      if (named == results.cubins.end() || named->second.hash != session_key(candidate.compile, named->second.compiler))
        continue;
      // A result may name a program that was not stored in the file.
      look_up(named->second.hash, candidate.program);
      if (!candidate.program.stored.hash.empty()) return;
    }
  }

  Result<Choice> finish(Selection selection) {
    Choice choice;
    choice.problem = problem_;
    choice.selection = std::move(selection);
    choice.config = config_text(spec_, choice.selection.config);
    const auto why = refuse(choice.selection.config); // the rules may choose a configuration without calling refuse()
    if (failure_) return fail(*failure_);
    if (why)
      return fail(ErrorKind::no_candidate, fmt::format("cannot run {} {} on {} ({}) with {}: {}", spec_.name,
                                                       short_problem(problem_key(spec_, problem_)), device_.name,
                                                       device_.arch, choice.config, *why));
    PlannedCandidate& chosen = usable_.find(choice.selection.config)->second;
    choice.plan = std::move(chosen.plan);
    choice.compile = std::move(chosen.compile);
    choice.program = std::move(chosen.program);
    if (choice.selection.entry >= 0) choice.entry = results_->entries[static_cast<std::size_t>(choice.selection.entry)];
    choice.explanation = explain(spec_, choice, device_, results_->notes);
    return choice;
  }

  const Catalog& catalog_;
  const TunedKernel& tuned_;
  const KernelSpec& spec_;
  const Problem& problem_;
  const DeviceInfo& device_;
  const ProgramRule& rule_;
  const TunedResults* results_ = nullptr;     // results to choose from: of the problem, or all
  const TunedResults* all_ = nullptr;         // all results, once they were read
  std::map<Config, PlannedCandidate> usable_; // accepted by refuse()
  std::optional<Error> failure_;              // an error while reading the file
};

Result<Choice> Catalog::choose(const TunedKernel& tuned, const Problem& problem, std::uint32_t alignment,
                               const DeviceInfo& device, const ProgramRule& rule) const {
  return Chooser(*this, tuned, problem, device, rule).choose(alignment);
}

} // namespace warptune
