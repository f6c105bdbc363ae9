// tune: finds the fastest configuration of a problem and stores it. run_session does the work; this file has the
// options, the display and the summary.
#include "cli/asked_problem.h"
#include "cli/command.h"
#include "cli/database_file.h"
#include "cli/device_list.h"
#include "cli/help_text.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/progress.h"
#include "cli/search_options.h"
#include "cli/stop_signal.h"
#include "cli/sweep_options.h"
#include "cli/tune_split.h"
#include "cli/tune_summary.h"
#include "core/shell_words.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace warptune::cli {
namespace {

struct TuneArgs {
  ProblemArgs problem;
  SessionOptions session;
  SearchArgs search;
  std::string db, objective, profile = "none";
  std::string compile_timeout, evaluate_timeout;
  SplitArgs split;
  bool warm_l2 = false, no_racing = false, quiet = false, json = false;
};

// The options of the session. The database of a shared search is known only when this process has joined the run.
Result<SessionOptions> session_options(const TuneArgs& options) {
  SessionOptions session = options.session;
  WT_CHECK(read_search_options(options.search, session));
  WT_CHECK(check_run_options(options.split.run, options.db));
  WT_CHECK(choose_devices(options.split, session));
  if (!options.split.run.given()) session.database = database_path(options.db);
  if (!session.trace.empty()) WT_CHECK(refuse_overwriting(session.trace, {session.database}, "--trace"));
  session.measure.cold_l2 = !options.warm_l2;
  session.racing = !options.no_racing;
  WT_CHECK(read_timeout(options.compile_timeout, "--compile-timeout", session.compile_timeout_s));
  WT_CHECK(read_timeout(options.evaluate_timeout, "--evaluate-timeout", session.evaluate_timeout_s));
  WT_CHECK(read_profile_scope(options.profile, session.profile));
  WT_CHECK(read_objective(options.objective, session.objective));
  return session;
}

void note_search_options(const SearchArgs& search, const SessionOptions& session) {
  if (const std::string note = former_knowledge_note(search.knowledge); !note.empty()) complain("note: " + note);
  if (!search.strategy.empty() && session.strategy != "exhaustive" && session.budget.all() && !session.stop_rules.any())
    complain("note: without --budget, the whole space is tried; the strategy only sets the order");
}

Result<SessionResult> run_with_progress(const Asked& asked, const SessionOptions& session, ProgressPrinter& printer) {
  const std::atomic<bool>& stop = stop_on_signal();
  const auto show = [&](const Progress& progress) {
    Progress shown = progress;
    if (session.budget.seconds > 0 && progress.last != nullptr) {
      const double left = std::max(session.budget.seconds - progress.elapsed_s, 0.0);
      shown.eta_s = progress.eta_s > 0 ? std::min(progress.eta_s, left) : left;
    }
    printer.show(shown);
    if (output_failed()) request_stop(); // the reader is gone: as after Ctrl-C, all is stored
  };
  auto result = run_session(asked.kernel, asked.problem, session, show, stop);
  printer.finish();
  return result;
}

int report_result(const TuneReport& report, bool json) {
  if (json)
    print_tune_json(report);
  else
    print_tune_text(report);
  const std::optional<Error>& lost_trace = report.result.lost_trace;
  if (lost_trace) complain(lost_trace->message); // not a second JSON document
  if (report.result.interrupted) return say_interrupted(report.resume_command, json);
  return lost_trace ? static_cast<int>(lost_trace->kind) : 0;
}

Result<int> run_tune(const TuneArgs& options, const std::vector<std::string>& words) {
  const bool is_shared = options.split.run.given();
  if (is_shared) stop_on_signal(); // before this process writes to the run folder
  std::vector<std::string> notes;
  WT_TRY(auto asked, load_problem(options.problem, nullptr, notes));
  for (const std::string& note : notes) complain("note: " + note);
  WT_TRY(auto session, session_options(options));
  note_search_options(options.search, session);
  WT_CHECK(check_recording(session.device, asked.kernel.spec, asked.problem, session));

  std::unique_ptr<SplitSearch> shared;
  if (is_shared) {
    const bool resume = std::exchange(session.resume, false);
    WT_TRY(shared, join_split(options.split, asked, session, resume));
    session.database = shared->database();
    session.shared = shared.get();
  }
  // With --json, standard output holds only the result.
  ProgressPrinter printer(asked.kernel.spec.name, options.json ? stderr : stdout, options.quiet);
  auto result = run_with_progress(asked, session, printer);
  if (shared) {
    WT_CHECK(shared->ended(result));
    shared.reset(); // ends this process's part of the run
  } else if (result || result.error().kind != ErrorKind::database) {
    settle_database(session.database);
  }
  WT_CHECK(result);
  // The same command, started again, continues a run that was not cancelled.
  const bool is_cancelled = is_shared && was_cancelled(options.split.run);
  if (is_cancelled) result->notes.emplace_back("the run was cancelled with `warptune sweep --cancel`");
  return report_result({asked, *result, printer.first_failures(), session, options.problem, options.db,
                        is_shared && !is_cancelled ? quote_for_shell(words) : resume_command(words),
                        options.split.run.run},
                       options.json);
}

} // namespace

void add_tune(Command& app, Invocation& invocation) {
  auto options = std::make_shared<TuneArgs>();
  SessionOptions& s = options->session;
  Command* command =
      add_command(app, "tune", "Find and store the fastest configuration of a kernel for a problem", kTuneHelp);
  add_problem_options(*command, options->problem);
  command
      ->add_option("--device", s.device, "auto, cuda:N, recorded (shipped recordings) or recorded:PATH; default auto")
      ->type_name("DEVICE");
  add_split_options(*command, options->split);
  add_search_options(*command, options->search);
  add_number_option(*command, "--seed", s.seed, 0, kNoLimit, "Random seed of inputs and search; default 0");
  add_db_option(*command, options->db);
  add_build_option(*command, s.allow_build);
  command->add_flag("--resume", s.resume, "Continue the same session where it was stopped or killed");
  command->add_flag("--warm-l2", options->warm_l2,
                    "Measure times with the inputs in the L2 cache; default: with a cold L2 cache");
  command->add_flag(
      "--no-racing", options->no_racing,
      "Time slow candidates completely instead of stopping them early; use this option to make recordings");
  add_number_option(
      *command, "--finalists", s.finalists, 1, 64,
      "Maximum number of fastest configurations (finalists) that are measured again, interleaved; default 8");
  add_number_option(*command, "--rounds", s.rounds, 1, 1000,
                    "Maximum number of rounds in which finalists are measured again; default 15");
  command
      ->add_option("--objective", options->objective,
                   "What to minimise: time (default), energy (per launch), or edp (their product)")
      ->type_name("NAME");
  command->add_flag("--baseline", s.baseline,
                    "Time the library calls (such as cuBLASLt) that spec.json lists before all other configurations, "
                    "even if --budget is smaller, and compare the winner with the fastest of them");
  command->add_flag("--energy", s.energy, "Also measure the finalists' energy; the fastest finalist still wins");
  add_timeout_options(*command, options->compile_timeout, options->evaluate_timeout);
  add_number_option(
      *command, "--compile-workers", s.compile_workers, 1, 256,
      "Number of compiling processes; default: one per core, minus one per device; at most 16 per device");
  command
      ->add_option("--profile", options->profile,
                   "Configurations to profile: none (default), best (winner and default) or all")
      ->type_name("SCOPE");
  add_metrics_option(*command, s.metrics,
                     "Metric sets and metrics to read (see warptune metrics); default: roofline,stalls for winner and "
                     "default, lean for others");
  command
      ->add_option("--trace", s.trace, "Write a timeline of compilers and device to FILE; open it with ui.perfetto.dev")
      ->type_name("FILE");
  add_quiet_flag(*command, options->quiet);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] {
    options->split.run.command = quote_for_shell(invocation.words);
    invocation.run = [options, &invocation] { return run_tune(*options, invocation.words); };
  });
}

} // namespace warptune::cli
