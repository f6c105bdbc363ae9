// profile: reads the hardware counters of one configuration, and shows what limits it.
#include "cli/asked_problem.h"
#include "cli/command.h"
#include "cli/config_option.h"
#include "cli/database_file.h"
#include "cli/device_choice.h"
#include "cli/help_text.h"
#include "cli/profile_summary.h"
#include "cli/source_summary.h"
#include "cli/stored_profile.h"
#include "core/device.h"
#include "core/text.h"
#include "jit/cubin_cache.h"
#include "profiler/metric_sets.h"
#include "report/source_profile.h"
#include "tuner/built_candidates.h"
#include "tuner/profiling.h"
#include "tuner/run.h"
#include "tuner/sass.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace warptune::cli {
namespace {

constexpr const char* kUsual = "roofline,stalls";

struct ProfileArgs {
  ProblemArgs problem;
  std::string device = "auto", db, config = "best", metrics;
  bool warm_l2 = false, allow_build = false, source = false, json = false;
};

Result<DeviceInfo> find_device(const ProfileArgs& options, const Asked& asked, const Reader* database) {
  if (!is_recorded_device(options.device))
    return find_cuda_device(options.device, options.source ? std::string_view() : kReplayInstead);
  WT_TRY(auto chosen, choose_device(options.device, {}, database, {asked.kernel.spec.name, asked.key()}));
  return chosen.info;
}

// One note for each requested set or metric that the recording lacks, or has only in part.
void note_missing(const Profile& recorded, const std::string& metrics, DType dtype, std::vector<std::string>& notes) {
  for (const std::string_view part : split(metrics, ',')) {
    if (part.empty()) continue;
    const std::string word(part);
    const MetricSet* set = find_metric_set(word);
    const auto wanted = set != nullptr ? set_metrics(*set, dtype) : std::vector<MetricMeaning>{{word, ""}};
    const auto found = std::count_if(wanted.begin(), wanted.end(), [&](const MetricMeaning& one) {
      return std::any_of(recorded.counters.begin(), recorded.counters.end(),
                         [&](const auto& counter) { return counter.first == one.metric; });
    });
    if (found == std::ssize(wanted)) continue;
    notes.push_back(fmt::format("the recording has {} {} for this configuration",
                                found > 0 ? fmt::format("only {} of the {}", found, wanted.size()) : "no",
                                set != nullptr ? "counters of the set " + word : word));
  }
}

// A recording returns all counters of a configuration; keeps only the requested ones.
Result<void> keep_asked(RunReport& report, const std::string& metrics, DType dtype, std::vector<std::string>& notes) {
  WT_TRY(const auto asked, expand_metrics(metrics, dtype));
  std::vector<std::string> missing;
  note_missing(*report.profile, metrics, dtype, missing);
  std::erase_if(report.profile->counters, [&](const auto& counter) {
    return std::none_of(asked.begin(), asked.end(), [&](const auto& a) { return a.metric == counter.first; });
  });
  if (!report.profile->counters.empty()) {
    notes.insert(notes.end(), missing.begin(), missing.end());
    return {};
  }
  report.profile.reset();
  report.no_counters = "the recording has none of these metrics for this configuration";
  return {};
}

Result<SassText> sass_of(const std::string& cubin_hash) {
  const auto cubin = CubinCache().find(cubin_hash);
  if (!cubin || !*cubin)
    return fail(ErrorKind::internal, "the cubin is no longer in the cache; repeat the command to compile it again");
  return disassemble((*cubin)->image);
}

SourceProfile profile_of(const PcSamples& samples, Result<SassText> sass) {
  SourceProfile profile{samples, {}, {}};
  if (sass)
    profile.sass = std::move(*sass);
  else
    profile.no_sass = sass.error().message;
  return profile;
}

Result<int> run_profile(const ProfileArgs& options) {
  if (options.source && is_recorded_device(options.device))
    return fail(ErrorKind::bad_input,
                "--source samples instructions on a GPU, but a recording contains no samples; leave --source out");
  std::vector<std::string> notes;
  const std::filesystem::path file = database_path(options.db);
  auto reader = open_if_present(file);
  WT_CHECK(reader);
  const Reader* database = *reader ? &**reader : nullptr;
  WT_TRY(auto asked, load_problem(options.problem, database, notes));
  WT_TRY(auto device, find_device(options, asked, database));
  // Samples need no counters: with --source, counters are read only if --metrics names them.
  const std::string metrics = !options.metrics.empty() ? options.metrics : options.source ? "" : kUsual;
  if (!metrics.empty()) WT_CHECK(check_metrics(metrics, asked.problem.dtype, device));
  WT_TRY(auto config, find_config(options.config, asked, device, database, notes));
  WT_TRY(auto builders, builders_for_run(asked.kernel, config.config,
                                         options.allow_build && !is_recorded_device(options.device), database));
  WT_TRY(auto report,
         run_selected(asked.kernel, asked.problem, config.config,
                      {options.device, {}, metrics, !options.warm_l2, std::move(builders), {}, options.source}));
  if (report.profile && !options.metrics.empty() && is_recorded_device(options.device))
    WT_CHECK(keep_asked(report, metrics, asked.problem.dtype, notes));
  ProfileSummary summary{asked, config, report, {}, std::move(notes)};
  std::optional<SourceSummary> source;
  ProfileFindings found{config_text(asked.kernel.spec, config.config), !options.warm_l2, {report.profile, {}, {}}};
  if (report.samples) {
    source.emplace(SourceSummary{asked.kernel, profile_of(*report.samples, sass_of(report.cubin_hash))});
    summary.source = &*source;
    found.findings.samples = report::source_profile_text(source->profile);
  }
  bool failed = false;
  if (found.findings.profile || found.findings.samples) {
    auto stored = store_profile(file, database, asked, report.device, found);
    summary.stored =
        stored ? *stored : "not stored: " + stored.error().message; // the counts themselves are still shown
    failed = !stored;
    reader = std::optional<Reader>{};
    if (stored) settle_database(file);
  }
  if (options.json)
    print_profile_json(summary);
  else
    print_profile_text(summary);
  if (failed) return static_cast<int>(ErrorKind::database);
  const bool has_all = (metrics.empty() || report.profile) && (!options.source || report.samples);
  return report.verdict.correct && has_all ? 0 : static_cast<int>(ErrorKind::no_candidate);
}

} // namespace

void add_profile(Command& app, Invocation& invocation) {
  auto options = std::make_shared<ProfileArgs>();
  Command* command = add_command(
      app, "profile", "Read the hardware counters of one configuration and show what limits it", kProfileHelp);
  add_problem_options(*command, options->problem);
  add_build_option(*command, options->allow_build);
  command
      ->add_option("--config", options->config,
                   "best (used if omitted), default, or params such as A=4,B=2 or {\"A\": 4}; omitted params keep "
                   "their defaults")
      ->type_name("CONFIG");
  add_metrics_option(*command, options->metrics,
                     "Metric sets and metrics to read (see warptune metrics); default: roofline,stalls");
  command->add_flag("--source", options->source,
                    "Sample and count instructions: show the hottest source lines, what their warps wait for, and "
                    "memory accesses that waste bytes");
  command->add_option("--device", options->device, "auto, cuda:N, recorded or recorded:PATH; default auto")
      ->type_name("DEVICE");
  command->add_flag("--warm-l2", options->warm_l2,
                    "Read counters with the inputs in the L2 cache; default: with a cold L2 cache");
  add_db_option(*command, options->db);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_profile(*options); }; });
}

} // namespace warptune::cli
