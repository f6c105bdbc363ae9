// merge: merges databases of several machines, or several copies of one database, into one.
#include "cli/command.h"
#include "cli/database_file.h"
#include "cli/help_text_results.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/sanitize.h"
#include "cli/stop_signal.h"
#include "cli/table.h"
#include "cli/units.h"
#include "cluster/collect.h"
#include "db/merge.h"
#include "tuner/session_lock.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace warptune::cli {
namespace {

using nlohmann::json;

struct MergeArgs {
  std::string output;
  std::vector<std::string> inputs;
  bool dry_run = false, json = false, wide = false;
};

json counts_json(const MergedFile& f) {
  return {{"sessions_added", f.sessions_added}, {"sessions_extended", f.sessions_extended},
          {"sessions_known", f.sessions_known}, {"trials_added", f.trials_added},
          {"kernels_added", f.kernels_added},   {"devices_added", f.devices_added},
          {"skipped_rows", f.skipped_rows}};
}

json report_json(const MergeReport& report, const MergeArgs& o) {
  json files = json::array(), conflicts = json::array();
  for (const MergedFile& f : report.files) {
    files.push_back(counts_json(f));
    files.back()["file"] = f.file.string();
  }
  for (const MergeConflict& c : report.conflicts)
    conflicts.push_back({{"kind", c.kind},
                         {"session", c.session == 0 ? json() : json(c.session)},
                         {"subject", c.subject},
                         {"file", c.file},
                         {"kept", c.replaced ? "input" : "output"}});
  return {{"output", o.output},    {"dry_run", o.dry_run},  {"inputs", files}, {"total", counts_json(report.total())},
          {"notes", report.notes}, {"conflicts", conflicts}};
}

// The inputs as files. A run folder is replaced by copies of its databases.
struct MergeInputs {
  std::vector<std::filesystem::path> files, names; // names: the original of each file
  std::vector<std::string> given;                  // the input of each file, as typed
  std::vector<CollectedRun> runs;
};

// One line for each input: the databases of a run folder are counted together.
std::vector<std::pair<std::string, MergedFile>> lines_of(const MergeReport& report, const MergeInputs& inputs) {
  std::vector<std::pair<std::string, MergedFile>> lines;
  for (std::size_t begin = 0, end = 0; begin < report.files.size(); begin = end) {
    MergeReport part;
    for (; end < report.files.size() && inputs.given[end] == inputs.given[begin]; ++end)
      part.files.push_back(report.files[end]);
    const bool is_run = inputs.names[begin] != inputs.given[begin];
    lines.emplace_back(is_run
                           ? fmt::format("{} ({})", inputs.given[begin], count_text(std::ssize(part.files), "database"))
                           : inputs.given[begin],
                       part.total());
  }
  return lines;
}

void print_report(const MergeReport& report, const MergeInputs& inputs, const MergeArgs& o) {
  Table table({text("input"), right("sessions added"), left_out(5, right("extended")), left_out(4, right("known")),
               right("trials added"), left_out(3, right("kernels")), left_out(2, right("devices")),
               left_out(1, right("skipped rows"))});
  const auto add = [&](const std::string& name, const MergedFile& f) {
    std::vector<std::string> cells = {name};
    for (const std::int64_t n : {f.sessions_added, f.sessions_extended, f.sessions_known, f.trials_added,
                                 f.kernels_added, f.devices_added, f.skipped_rows})
      cells.push_back(std::to_string(n));
    table.add(std::move(cells));
  };
  const auto lines = lines_of(report, inputs);
  for (const auto& [name, counts] : lines) add(name, counts);
  if (lines.size() > 1) add("total", report.total());
  print_table(table, o.wide);
  if (!report.conflicts.empty()) {
    print("\n{}; for each, the value that was not kept is stored in the table merge_conflicts:\n",
          count_text(static_cast<std::int64_t>(report.conflicts.size()), "conflict"));
    Table conflicts({left("kind"), right("session"), left("kept"), left("input"), text("subject")});
    for (const MergeConflict& c : report.conflicts)
      conflicts.add({c.kind, c.session == 0 ? "-" : std::to_string(c.session),
                     c.replaced ? "the input's" : "the output's", c.file, c.subject});
    print(std::string_view(conflicts.render(terminal_width(1))));
  }
  print("\n{}{}\n", o.dry_run ? "dry run; nothing was written to " : "", sanitize(o.output));
  print_notes(report.notes);
}

Result<MergeInputs> find_inputs(const std::vector<std::string>& inputs) {
  MergeInputs found;
  for (const std::string& input : inputs) {
    if (!std::filesystem::is_directory(input)) {
      found.files.emplace_back(input);
      found.names.emplace_back(input);
      found.given.push_back(input);
      continue;
    }
    WT_TRY(auto run, CollectedRun::copy(input));
    found.files.insert(found.files.end(), run.copies().begin(), run.copies().end());
    found.names.insert(found.names.end(), run.originals().begin(), run.originals().end());
    found.given.insert(found.given.end(), run.copies().size(), input);
    found.runs.push_back(std::move(run));
  }
  return found;
}

// Replaces the names of copies by those of their originals.
void name_inputs(MergeReport& report, const MergeInputs& inputs) {
  for (MergeConflict& conflict : report.conflicts)
    for (std::size_t i = 0; i < inputs.files.size(); ++i)
      if (conflict.file == inputs.files[i].string()) conflict.file = inputs.names[i].string();
  for (std::size_t i = 0; i < report.files.size(); ++i) report.files[i].file = inputs.names[i];
}

// Names the originals, because the copies are deleted before the user reads the message.
std::string with_names(std::string message, const MergeInputs& inputs) {
  for (std::size_t i = 0; i < inputs.files.size(); ++i) {
    const std::string file = inputs.files[i].string(), name = inputs.names[i].string();
    if (file == name || message.find(file) == std::string::npos) continue;
    message +=
        fmt::format("; to merge the others, move this database out of {}; `warptune sweep --resume` then repeats its "
                    "jobs",
                    inputs.names[i].parent_path().string());
    for (std::size_t at = message.find(file); at != std::string::npos; at = message.find(file, at + name.size()))
      message.replace(at, file.size(), name);
  }
  return message;
}

Result<int> run_merge(const MergeArgs& options) {
  WT_CHECK(refuse_log_name(options.output));
  // The output is a database: an unwritable place is the same kind of error as in other commands that write a database.
  if (auto refused = refuse_unwritable(options.output); !refused)
    return fail(options.output == "-" ? ErrorKind::bad_input : ErrorKind::database, refused.error().message);
  MergeOptions merge;
  merge.dry_run = options.dry_run;
  merge.holder = SessionLock::holder;
  merge.stop = &stop_on_signal("the output is unchanged");
  WT_TRY(const auto inputs, find_inputs(options.inputs));
  auto merged = merge_databases(options.output, inputs.files, merge);
  if (!merged) return fail(merged.error().kind, with_names(merged.error().message, inputs));
  MergeReport& report = *merged;
  name_inputs(report, inputs);
  for (const CollectedRun& run : inputs.runs)
    if (run.unfinished() > 0)
      report.notes.push_back(fmt::format("the run in {} is not finished: {} of {} have no result yet",
                                         run.originals().front().parent_path().parent_path().string(), run.unfinished(),
                                         count_text(static_cast<std::int64_t>(run.jobs()), "job")));
  if (!options.dry_run) settle_database(options.output);
  if (options.json)
    print_json(report_json(report, options));
  else
    print_report(report, inputs, options);
  bool is_whole = true;
  for (const CollectedRun& run : inputs.runs) {
    if (run.missing().empty()) continue;
    is_whole = false;
    complain(fmt::format("{}; put the files back and merge again, or repeat these jobs with `warptune sweep --resume`",
                         missing_text(run.missing())));
  }
  return is_whole ? 0 : kNotAllWell;
}

} // namespace

void add_merge(Command& app, Invocation& invocation) {
  auto options = std::make_shared<MergeArgs>();
  Command* command = add_command(app, "merge", "Merge databases into one", kMergeHelp);
  command
      ->add_option("INPUT", options->inputs,
                   "Databases, or run folders of `sweep --run`, to read; they are not changed")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "The database to add to; created if it does not exist")
      ->required()
      ->type_name("FILE");
  command->add_flag("--dry-run", options->dry_run, "Show what would be merged, and write nothing");
  add_wide_flag(*command, options->wide);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_merge(*options); }; });
}

} // namespace warptune::cli
