// recheck (formerly verify): checks stored results again. verify_rows selects the results and the device, recheck_rows
// does the work; this file has the options and the exit code.
#include "cli/asked_problem.h"
#include "cli/command.h"
#include "cli/database_file.h"
#include "cli/help_text_results.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/stop_signal.h"
#include "cli/units.h"
#include "cli/verify_rows.h"
#include "cli/verify_summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <random>

namespace warptune::cli {
namespace {

constexpr std::int64_t kDefaultSample = 100; // timed results; each takes seconds

struct VerifyArgs {
  VerifyFilter filter;
  std::string db, device, sample, tolerance = "2%";
  FolderArgs folders;
  int rounds = 15;
  std::int64_t seed = -1;
  bool allow_build = false, json = false, wide = false;
};

// A new seed each time, so that repeated runs eventually check all results. It is printed, so that it can be reused.
std::uint64_t choose_seed(std::int64_t given) {
  if (given >= 0) return static_cast<std::uint64_t>(given);
  return std::random_device()();
}

Result<std::vector<BestRecord>> sample_rows(const VerifyArgs& options, const VerifyDevice& device, std::uint64_t seed,
                                            RowsToVerify& found) {
  Sample sample{device.option.empty() ? static_cast<std::int64_t>(found.rows.size()) : kDefaultSample, false};
  if (!options.sample.empty()) {
    WT_TRY(auto given, parse_sample(options.sample));
    sample = given;
  }
  auto drawn = draw_sample(found.rows, sample, seed);
  if (drawn.size() < found.rows.size())
    found.left_out.push_back(
        fmt::format("{} not in the sample; --sample 100% checks all results, --seed {} draws this sample again",
                    count_text(static_cast<std::int64_t>(found.rows.size() - drawn.size()), "result"), seed));
  return drawn;
}

// The note about all rows of a run without a device.
std::string untimed_note(const RecheckRun& run, const std::string& why_none, bool all_compared) {
  const bool changed =
      std::any_of(run.rows.begin(), run.rows.end(), [](const RowReport& row) { return !row.check.stale.empty(); });
  const char* finding = changed        ? "the table shows only what has changed since the results were stored"
                        : all_compared ? "the sources, the compiler and warptune have not changed"
                                       : "the compared sources, the compiler and warptune have not changed";
  return why_none.empty() ? fmt::format("nothing was timed; {}", finding) : finding; // the error says why
}

// `no_device`: a device was requested but not found, so nothing was timed.
int exit_code(const RecheckRun& run, bool no_device) {
  if (run.stopped) return static_cast<int>(ErrorKind::interrupted);
  // A stale row is a finding even without a device to time it.
  const auto failed = [](const RowReport& row) { return row.error.has_value() && row.check.stale.empty(); };
  if (std::all_of(run.rows.begin(), run.rows.end(), failed)) return static_cast<int>(run.rows.front().error->kind);
  const bool fine = std::all_of(run.rows.begin(), run.rows.end(), [](const RowReport& row) { return row.is_fine(); });
  if (fine && no_device) return static_cast<int>(ErrorKind::no_device);
  return fine ? 0 : kNotAllWell;
}

Result<int> run_verify(const VerifyArgs& options) {
  WT_TRY(auto tolerance, parse_percent(options.tolerance, "--tolerance"));
  const auto path = database_path(options.db);
  WT_TRY(auto reader, Reader::open(path));
  std::string why_none;
  WT_TRY(auto device, find_verify_device(options.device, why_none));
  if (!options.folders.also.empty() && options.filter.kernel.empty())
    return fail(ErrorKind::bad_input, "--also needs --kernel, because --also names an implementation of one kernel");
  KernelFolders folders(options.folders);
  WT_TRY(auto found, find_rows_to_verify(reader, options.filter, device, folders));
  const std::uint64_t seed = choose_seed(options.seed);
  WT_TRY(auto rows, sample_rows(options, device, seed, found));
  if (rows.empty()) {
    std::string message =
        fmt::format("{} has no certified result that matches the options, so there is nothing to check", path.string());
    for (const std::string& why : found.left_out) message += "; left out: " + why;
    return fail(ErrorKind::no_candidate, message + "; `warptune show best` lists the results");
  }

  RecheckOptions recheck;
  recheck.device = device.option;
  recheck.tolerance = tolerance;
  recheck.rounds = options.rounds;
  recheck.seed = seed;
  recheck.allow_build = options.allow_build;
  const std::atomic<bool>& stop = stop_on_signal();
  std::size_t done = 0;
  const auto show = [&](const RowReport& row) {
    if (++done == 0 || options.json) return;
    const std::string count = fmt::format("{}/{} ", done, rows.size());
    print(std::string_view(count));
    print_wrapped(verify_line(row), count.size());
    flush_output();
    if (output_failed()) request_stop();
  };
  const auto source_now = [&](const BestRecord& row) { return folders.source_hash(row, reader); };
  WT_TRY(auto run, recheck_rows(rows, path, source_now, recheck, show, stop));

  VerifyReport report{run, rows.size(), path.string(), device.option, seed, tolerance, found.left_out, {}};
  const std::vector<std::string> not_compared = folders.not_compared(rows, reader);
  if (device.option.empty())
    report.notes.push_back(untimed_note(run, why_none, not_compared.empty()));
  else if (device.name.empty())
    report.notes.emplace_back("recorded, not measured now: the times come from recordings");
  report.notes.insert(report.notes.end(), not_compared.begin(), not_compared.end());
  if (options.json)
    print_verify_json(report);
  else
    print_verify_text(report, options.wide);
  if (!why_none.empty())
    complain("nothing was timed: " + why_none +
             "; use --device none to check only for changed sources, compilers and warptune versions");
  return exit_code(run, !why_none.empty());
}

} // namespace

void add_verify(Command& app, Invocation& invocation) {
  auto options = std::make_shared<VerifyArgs>();
  Command* command = add_command(
      app, "recheck", "Check and time stored results again, and mark those that no longer hold", kVerifyHelp);
  command->alias("verify"); // its former name; elsewhere verifying is comparing outputs with the reference
  VerifyFilter& filter = options->filter;
  command->add_option("--kernel", filter.kernel, "Only results of this kernel: a name, or the path of its folder")
      ->type_name("NAME");
  command->add_option("--shape", filter.shape, "Only results of this shape; needs --kernel")->type_name("DIM=N,...");
  command->add_option("--dtype", filter.dtype, "Only results of this element type; needs --kernel")->type_name("TYPE");
  command
      ->add_option("--set", filter.sets,
                   "Only results with this value of the kernel's flag; may be repeated; needs --kernel")
      ->type_name("FLAG=VALUE")
      ->allow_extra_args(false);
  command->add_option("--uuid", filter.uuid, "Only results of the GPU with this UUID")->type_name("UUID");
  command->add_option("--device", options->device, "auto, cuda:N, recorded, recorded:PATH, or none (nothing is timed)")
      ->type_name("DEVICE");
  command
      ->add_option("--sample", options->sample,
                   "Number or share of results to check, drawn at random; default: all, but at most 100")
      ->type_name("N|N%");
  command->add_option("--tolerance", options->tolerance, "Allowed difference from the stored time; default 2%")
      ->type_name("N%");
  add_number_option(*command, "--rounds", options->rounds, 5, 1000,
                    "Number of rounds in which the result and the default are measured; default 15");
  add_number_option(*command, "--seed", options->seed, 0, kNoLimit,
                    "Random seed of the sample and the inputs; default: a random one");
  add_folder_options(*command, options->folders);
  add_build_option(*command, options->allow_build);
  add_db_option(*command, options->db);
  add_wide_flag(*command, options->wide);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] {
    invocation.run = [options] {
      auto code = run_verify(*options);
      if (code || code.error().kind != ErrorKind::database) settle_database(database_path(options->db));
      return code;
    };
  });
}

} // namespace warptune::cli
