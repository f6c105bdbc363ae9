// replay: compares search strategies on recorded spaces with each other, and with the traces of other tuners.
#include "cli/command.h"
#include "cli/help_text_results.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/progress.h"
#include "cli/replay_knowledge.h"
#include "cli/replay_summary.h"
#include "cli/stop_signal.h"
#include "cli/trace_files.h"
#include "cli/units.h"
#include "recording/recorded_space_file.h"
#include "system/text_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <thread>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;

struct ReplayArgs {
  std::vector<std::string> inputs;
  std::string strategy = "all", knowledge = "none", output;
  std::int64_t budget = 400;
  int seeds = 30, batch = 1, jobs = 0;
  bool noise = false, only_read = false, per_space = false, force = false, json = false;
};

Result<std::vector<RecordedSpace>> load_spaces(const std::vector<fs::path>& files, std::vector<std::string>& notes) {
  std::vector<RecordedSpace> spaces;
  for (const fs::path& file : files) {
    WT_TRY(auto space, load_recorded_space(file));
    for (const std::string& note : space.notes) notes.push_back(fmt::format("{}: {}", file.string(), note));
    if (std::any_of(spaces.begin(), spaces.end(), [&](const auto& s) { return s.name == space.name; }))
      return fail(ErrorKind::bad_input, fmt::format("two recorded spaces are named {}; traces refer to spaces by "
                                                    "name, so rename one file",
                                                    space.name));
    spaces.push_back(std::move(space));
  }
  return spaces;
}

bool has_samples(const RecordedSpace& space) {
  for (ConfigIndex i = 0; i < space.space.size(); ++i)
    if (!space.at(i).samples_ms.empty()) return true;
  return false;
}

const OutputKind kTraces{"is not a file of traces", [](const fs::path& file) { return holds_traces(file); }};

Result<void> check_output(const ReplayArgs& o, std::vector<fs::path> space_files,
                          const std::vector<std::string>& trace_paths) {
  if (o.output.empty()) return {};
  if (o.only_read)
    return fail(ErrorKind::bad_input, "--traces-only runs nothing, so there is nothing to write; remove -o");
  space_files.insert(space_files.end(), trace_paths.begin(), trace_paths.end());
  WT_CHECK(refuse_overwriting(o.output, space_files));
  return refuse_replacing(o.output, kTraces, o.force);
}

// The name of a strategy in traces and tables. It includes the knowledge that the strategy gets.
std::string shown_name(const std::string& strategy, const KnowledgeParts& told) {
  return told == kNothingKnown ? strategy : fmt::format("{} with {}", strategy, knowledge_text(told));
}

Result<ReplayRuns> replay_strategies(const ReplayArgs& o, const std::vector<RecordedSpace>& spaces,
                                     std::vector<Knowledge> knowledge, std::vector<StrategyChoice> strategies) {
  ReplayPlan plan;
  for (const RecordedSpace& space : spaces) plan.spaces.push_back(&space);
  plan.knowledge = std::move(knowledge);
  plan.strategies = std::move(strategies);
  plan.seeds = o.seeds;
  plan.jobs = o.jobs > 0 ? o.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  plan.options.budget = o.budget;
  plan.options.batch = static_cast<std::size_t>(o.batch);
  plan.options.noise = o.noise;
  ProgressPrinter printer("replay", stderr);
  const auto show = [&](std::size_t done, std::size_t total) {
    Progress progress;
    progress.phase = "runs";
    progress.done = static_cast<std::int64_t>(done);
    progress.total = static_cast<std::int64_t>(total);
    printer.show(progress);
  };
  auto runs = replay_all(plan, show, stop_on_signal("complete runs will be written and shown"));
  printer.finish();
  if (runs && runs->complete.empty() && runs->total > 0)
    return fail(ErrorKind::interrupted, "the command was stopped before any run was complete; nothing was written");
  return runs;
}

Result<void> write_traces(const ReplayArgs& o, const std::vector<ReplayRun>& runs) {
  std::string text;
  for (const ReplayRun& run : runs) text += write_search_trace(run.trace) + "\n";
  return write_text_file(o.output, "file of traces", text);
}

void print_report(const ReplayReport& report, const ReplayArgs& o, bool written) {
  print("{}", replay_table(report, o.per_space, terminal_width(1)));
  if (written && !o.output.empty())
    print("\n{}: {}\n", o.output, count_text(static_cast<std::int64_t>(report.complete_runs), "trace"));
  print_notes(report.notes);
}

Result<int> run_replay(const ReplayArgs& o) {
  ReplayReport report;
  std::vector<std::string> space_paths, trace_paths;
  for (const std::string& input : o.inputs) (is_trace_file(input) ? trace_paths : space_paths).push_back(input);
  if (space_paths.empty())
    return fail(ErrorKind::bad_input, "replay needs recorded spaces, even to evaluate traces; name files or folders");
  WT_TRY(const auto told, parse_knowledge(o.knowledge));
  if (std::string note = former_knowledge_note(o.knowledge); !note.empty()) report.notes.push_back(std::move(note));
  WT_TRY(auto chosen, parse_strategies(o.strategy));
  if (o.only_read) chosen.clear();
  WT_TRY(const auto files, find_space_files(space_paths));
  WT_CHECK(check_output(o, files, trace_paths));
  WT_TRY(auto spaces, load_spaces(files, report.notes));
  report.spaces = std::move(spaces);
  WT_TRY(auto knowledge, load_replay_knowledge(told, report.spaces, files));
  if (o.noise && std::none_of(report.spaces.begin(), report.spaces.end(), has_samples))
    report.notes.emplace_back("no file contains samples, so --noise changes nothing");
  TraceFiles peers;
  for (const StrategyChoice& choice : chosen) peers.ours.insert(shown_name(strategy_text(choice), told));
  for (const RecordedSpace& space : report.spaces) peers.best_ms[space.name] = space.best_ms();
  std::vector<SearchTrace> traces;
  for (const std::string& path : trace_paths) {
    WT_TRY(auto read, peers.load(path, report.notes));
    std::move(read.begin(), read.end(), std::back_inserter(traces));
  }

  WT_TRY(auto runs, replay_strategies(o, report.spaces, std::move(knowledge.of_space), std::move(chosen)));
  for (ReplayRun& run : runs.complete) run.trace.strategy = shown_name(run.trace.strategy, told);
  const Result<void> written = o.output.empty() ? Result<void>{} : write_traces(o, runs.complete);

  std::map<std::string, double> own_ms;
  std::map<std::string, std::int64_t> evaluations;
  report.complete_runs = runs.complete.size();
  report.total_runs = runs.total;
  for (ReplayRun& run : runs.complete) {
    own_ms[run.trace.strategy] += run.own_ms;
    evaluations[run.trace.strategy] += run.evaluations;
    traces.push_back(std::move(run.trace));
  }
  for (const auto& [strategy, ms] : own_ms)
    report.own_ms[strategy] = ms / static_cast<double>(std::max<std::int64_t>(evaluations[strategy], 1));
  report.scores = score_strategies(traces, peers.best_ms);
  if (o.json)
    print_replay_json(report);
  else
    print_report(report, o, written.has_value());
  if (!written) complain(written.error().message); // not a second JSON document
  if (report.complete_runs == report.total_runs) return written ? 0 : static_cast<int>(written.error().kind);
  complain(fmt::format("stopped; {} of {} runs are complete", report.complete_runs, report.total_runs));
  return static_cast<int>(ErrorKind::interrupted);
}

} // namespace

void add_replay(Command& app, Invocation& invocation) {
  auto options = std::make_shared<ReplayArgs>();
  Command* command = add_command(app, "replay", "Compare search strategies on recorded spaces", kReplayHelp);
  command
      ->add_option("INPUT", options->inputs,
                   "Recorded spaces, folders of them, and traces (.jsonl) of other tuners to compare")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--strategy", options->strategy,
                   "Strategies separated by commas, each with its options; default: all")
      ->type_name("NAME[:OPTION=N,...],...");
  command
      ->add_option("--knowledge", options->knowledge,
                   "Knowledge given to strategies (warptune recordings only): all, none (default), prior (expected "
                   "times) or hints (good configurations of similar problems)")
      ->type_name("PARTS");
  add_number_option(*command, "--seeds", options->seeds, 1, 100000, "Number of runs of each strategy; default 30");
  add_number_option(*command, "--budget", options->budget, 1, kNoLimit,
                    "Number of configurations per run; default 400");
  add_number_option(*command, "--batch", options->batch, 1, 65536,
                    "Number of configurations evaluated at the same time; default 1");
  add_number_option(*command, "--jobs", options->jobs, 1, 1024, "Number of threads; default: one per core");
  command->add_flag("--noise", options->noise,
                    "Give strategies a random recorded sample per evaluation instead of the median");
  command->add_flag("--traces-only", options->only_read, "Run no strategy; only evaluate the named traces");
  command->add_flag("--per-space", options->per_space, "Add a row for each space to the table");
  command->add_option("-o,--output", options->output, "Write the traces of these runs to FILE")->type_name("FILE");
  command->add_flag("--force", options->force, kForceHelp);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_replay(*options); }; });
}

} // namespace warptune::cli
