// why: compares two configurations, and explains the difference of their times.
#include "cli/asked_problem.h"
#include "cli/command.h"
#include "cli/database_file.h"
#include "cli/device_choice.h"
#include "cli/help_text.h"
#include "cli/why_pair.h"
#include "cli/why_summary.h"
#include "cli/why_trials.h"
#include "core/device.h"
#include "report/why.h"

#include <memory>

namespace warptune::cli {
namespace {

struct WhyArgs {
  ProblemArgs problem;
  std::vector<std::string> configs;
  std::string device, db;
  bool warm_l2 = false, profile = false, allow_build = false, json = false, wide = false;
};

// Two named configurations can be measured now, so they need no earlier results.
Result<MeasuredTrials> load(const WhyArgs& options, const Asked& asked, const Reader* database) {
  if (!options.profile) return load_measured(asked, options.device, !options.warm_l2, database);
  if (is_recorded_device(options.device))
    return fail(ErrorKind::bad_input,
                "--profile reads counters on a GPU; leave it out to use the counters of the recording");
  WT_TRY(auto gpu, find_cuda_device(options.device, kReplayInstead));
  auto measured = load_measured(asked, options.device, !options.warm_l2, database);
  if (measured || options.configs.empty()) return measured;
  if (database != nullptr && measured.error().kind != ErrorKind::no_candidate) return measured;
  MeasuredTrials none;
  none.device = std::move(gpu);
  return none;
}

Result<int> run_why(const WhyArgs& options) {
  if (!options.configs.empty() && options.configs.size() != 2)
    return fail(ErrorKind::bad_input,
                "name two configurations, A and B, or name none to compare the winner with the default");
  const std::filesystem::path file = database_path(options.db);
  WT_TRY(auto reader, open_if_present(file));
  const Reader* database = reader ? &*reader : nullptr;
  std::vector<std::string> notes;
  WT_TRY(auto asked, load_problem(options.problem, database, notes));
  WT_TRY(const auto measured, load(options, asked, database));
  WT_TRY(auto pair, choose_pair(asked, options.configs, measured, database));
  pair.notes.insert(pair.notes.begin(), notes.begin(), notes.end());
  if (options.profile) {
    const CountOptions count{options.device.empty() ? "auto" : options.device, !options.warm_l2, options.allow_build,
                             file};
    WT_CHECK(measure_missing(asked, count, database, pair));
    reader.reset();
    settle_database(file);
  }
  WT_CHECK(complete_pair(asked, measured, pair));
  const report::WhyFacts facts = why_facts(asked, pair);
  const report::Why why = report::explain_difference(facts);
  if (!options.profile && !is_recorded_device(options.device) && (lacks_counters(pair.a) || lacks_counters(pair.b)))
    pair.notes.emplace_back(is_recorded_device(pair.device.backend)
                                ? "--device recorded uses the counters in the recording, if there are any"
                                : "--profile reads the missing counters on a GPU");
  if (options.json)
    print_why_json(asked, pair, facts, why);
  else
    print_why_text(asked, pair, why, options.wide);
  return 0;
}

} // namespace

void add_why(Command& app, Invocation& invocation) {
  auto options = std::make_shared<WhyArgs>();
  Command* command =
      add_command(app, "why", "Compare two configurations and say what makes one of them slower", kWhyHelp);
  add_problem_options(*command, options->problem);
  command
      ->add_option("CONFIG", options->configs,
                   "Two configurations, A and B: best, default, or params such as A=4,B=2 or {\"A\": 4}; default: best "
                   "and default")
      ->type_name("");
  command
      ->add_option("--device", options->device,
                   "auto, cuda:N, recorded, recorded:PATH, or part of the name of a device in the database")
      ->type_name("DEVICE");
  command->add_flag("--profile", options->profile, "Measure the missing counters and times of A and B on a GPU");
  command->add_flag("--warm-l2", options->warm_l2, "Compare results with a warm L2 cache; default: cold");
  add_build_option(*command, options->allow_build);
  add_db_option(*command, options->db);
  add_wide_flag(*command, options->wide);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_why(*options); }; });
}

} // namespace warptune::cli
