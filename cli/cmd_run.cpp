// run: chooses a configuration as an application would, launches it on the GPU, and checks and times it.
#include "cli/asked_problem.h"
#include "cli/command.h"
#include "cli/config_choice.h"
#include "cli/config_option.h"
#include "cli/database_file.h"
#include "cli/device_choice.h"
#include "cli/help_text.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/stored_time.h"
#include "cli/table.h"
#include "cli/units.h"
#include "core/device.h"
#include "spec/short_problem.h"
#include "tuner/built_candidates.h"
#include "tuner/run.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

struct LaunchArgs {
  ProblemArgs problem;
  std::string device = "auto", db;
  std::string config;
  bool allow_build = false, allow_vendor = false, json = false, once = false;
};

json stored_json(const RunReport& report, const std::optional<BestRecord>& stored) {
  if (!stored || !report.verdict.correct) return nullptr;
  return {{"median_us", stored->median_us},
          {"ci_low_us", stored->ci_low_us},
          {"ci_high_us", stored->ci_high_us},
          {"this_run", place_in_interval(report.timing.median_us, *stored)}};
}

// `is_given`: the user named the configuration.
void print_run_json(const Asked& asked, const Selection& s, bool is_given, const RunReport& report,
                    const std::optional<BestRecord>& stored, const std::vector<std::string>& notes) {
  const KernelSpec& spec = asked.kernel.spec;
  print_json({{"kernel", spec.name},
              {"problem", problem_json(spec, asked.problem)},
              {"device", to_json(report.device)},
              {"config", config_json(spec, s.config)},
              {"config_text", config_text(spec, s.config)},
              {"library_calls", library_calls_of(asked, s.config, report.device)},
              {"match", is_given ? "given" : match_name(s.match)},
              {"why", s.why},
              {"verdict", to_json(report.verdict)},
              {"timing", report.verdict.correct ? to_json(report.timing) : json(nullptr)},
              {"roofline", to_json(report.roofline)},
              {"stored", stored_json(report, stored)},
              {"notes", notes}});
}

void print_run_text(const Asked& asked, const Selection& s, bool is_given, const RunReport& report,
                    const std::optional<BestRecord>& stored, const std::vector<std::string>& notes) {
  const Timing& t = report.timing;
  const RooflinePoint& r = report.roofline;
  print("{} {} on {}\n", sanitize(asked.kernel.spec.name), sanitize(short_problem(asked.key())),
        sanitize(report.device.name));
  std::vector<std::pair<std::string, std::string>> facts = {
      {"config", config_text(asked.kernel.spec, s.config)},
      {"match", is_given ? s.why : fmt::format("{}: {}", match_name(s.match), s.why)},
      {"result", report.verdict.correct
                     ? fmt::format("correct; largest error {:.3g}x the tolerance", report.verdict.worst_ratio)
                     : "wrong: " + report.verdict.detail}};
  if (const auto calls = library_calls_of(asked, s.config, report.device); !calls.empty())
    facts.emplace_back("calls", fmt::format("{}", fmt::join(calls, ", ")));
  if (report.verdict.correct) {
    facts.emplace_back("time",
                       fmt::format("{} (95 % interval {} to {}), {} L2", time_text(t.median_us), time_text(t.ci_low_us),
                                   time_text(t.ci_high_us), t.cold_l2 ? "cold" : "warm"));
    if (stored) facts.emplace_back("stored", beside_stored_text(t.median_us, *stored));
    facts.emplace_back("achieved", fmt::format("{}, {}", rate_text(r.gbs), tflops_text(r.tflops)));
    if (r.share > 0) facts.emplace_back("roofline", fmt::format("{} of the {} roof", share_text(r.share), r.bound));
  }
  print(std::string_view(render_facts(facts, terminal_width(1))));
  print_notes(notes);
}

Result<int> run_run(const LaunchArgs& options) {
  std::vector<std::string> notes;
  WT_TRY(auto reader, open_if_present(database_path(options.db)));
  const Reader* database = reader ? &*reader : nullptr;
  WT_TRY(auto asked, load_problem(options.problem, database, notes));
  if (is_recorded_device(options.device))
    return fail(ErrorKind::bad_input,
                "run needs a GPU and cannot use a recording; `warptune explain` shows what would be launched");
  WT_TRY(auto device, find_cuda_device(options.device));
  WT_TRY(auto choice, choose_config(asked, device, database, notes, options.allow_vendor));
  if (!options.config.empty()) {
    WT_TRY(auto named, find_config(options.config, asked, device, database, notes));
    choice = {};
    choice.selection.config = std::move(named.config);
    choice.selection.why = named.what;
  }
  const Config& config = choice.selection.config;
  WT_TRY(auto builders, builders_for_run(asked.kernel, config, options.allow_build, database));
  if (options.once) {
    WT_CHECK(run_bare(asked.kernel, asked.problem, config, {options.device, {}, {}, true, std::move(builders)}));
    if (!options.json) print("launched {} once\n", sanitize(config_text(asked.kernel.spec, config)));
    return 0;
  }
  WT_TRY(auto report,
         run_selected(asked.kernel, asked.problem, config, {options.device, {}, {}, true, std::move(builders)}));
  std::optional<BestRecord> stored;
  if (const TunedEntry* entry = choice.entry(); entry && database && choice.selection.match == Match::exact) {
    WT_TRY(const auto results, database->best_of_problem(asked.kernel.spec.name, asked.key()));
    stored = stored_time_of(results, entry->row_id);
  }
  if (options.json)
    print_run_json(asked, choice.selection, !options.config.empty(), report, stored, notes);
  else
    print_run_text(asked, choice.selection, !options.config.empty(), report, stored, notes);
  return report.verdict.correct ? 0 : static_cast<int>(ErrorKind::no_candidate);
}

} // namespace

void add_run(Command& app, Invocation& invocation) {
  auto options = std::make_shared<LaunchArgs>();
  Command* command =
      add_command(app, "run", "Launch, check and time the configuration that an application would get", kRunHelp);
  add_problem_options(*command, options->problem);
  command->add_option("--device", options->device, "GPU to run on: auto or cuda:N; default auto")->type_name("DEVICE");
  command
      ->add_option(
          "--config", options->config,
          "best (may call vendor libraries), default, or params such as A=4,B=2; if omitted: the configuration that an "
          "application gets")
      ->type_name("CONFIG");
  command->add_flag(
      "--once", options->once,
      "Launch once without checking or timing; buffers have exactly their declared sizes (for compute-sanitizer)");
  add_vendor_flag(*command, options->allow_vendor);
  add_build_option(*command, options->allow_build);
  add_db_option(*command, options->db);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_run(*options); }; });
}

} // namespace warptune::cli
