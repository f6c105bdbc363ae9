// report: shows a database as an HTML page, a picture, a table or JSON. report/report_data selects the content; this
// file has the options and the outputs.
#include "cli/asked_problem.h"
#include "cli/command.h"
#include "cli/help_text_results.h"
#include "cli/output.h"
#include "cli/report_outputs.h"
#include "cli/sanitize.h"
#include "cli/units.h"
#include "core/text.h"
#include "profiler/metric_sets.h"
#include "recording/recording.h"
#include "report/baselines.h"
#include "report/report_data.h"
#include "report/view_why.h"
#include "spec/short_problem.h"
#include "system/utc_time.h"
#include "system/whole_file.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;

struct ReportArgs {
  ProblemArgs problem; // all fields are optional
  report::Selection selection;
  std::string db, baselines, json;
  std::vector<std::string> with; // further databases
  ReportOutputs outputs;
};

Result<report::BaselineFile> load_baselines(const fs::path& file) {
  std::error_code unknown;
  if (fs::exists(file, unknown) && !fs::is_regular_file(file, unknown))
    return fail(ErrorKind::bad_input,
                fmt::format("cannot read the baselines {}: it is not a file; name a JSON file (docs/report.md)",
                            quote(file.string())));
  const auto text = read_file(file);
  if (!text)
    return fail(ErrorKind::bad_input,
                fmt::format("cannot read the baselines {}: {}; check the path and the permissions",
                            quote(file.string()), std::strerror(text.error())));
  return report::parse_baselines(*text, file.string());
}

// Adds the named baselines, else those shipped with the recordings.
Result<void> add_baselines(const std::string& named, std::vector<report::View>& views,
                           std::vector<std::string>& notes) {
  std::vector<fs::path> files;
  std::error_code none;
  if (!named.empty())
    files.emplace_back(named);
  else
    for (const auto& entry : fs::directory_iterator(recordings_directory() / "baselines", none))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  int found = 0;
  for (const fs::path& path : files) {
    WT_TRY(auto file, load_baselines(path));
    found += report::add_baselines(views, file);
  }
  if (!named.empty() && found == 0)
    notes.push_back(fmt::format("no entry in {} has the kernel, problem and device of a result in this report", named));
  return {};
}

// Turns --shape, --dtype and --set into the key of the problem.
Result<void> resolve_problem(const Reader& reader, ReportArgs& o, std::vector<std::string>& notes) {
  const bool typed = !o.problem.shape.empty() || !o.problem.dtype.empty() || !o.problem.sets.empty();
  if (!typed) return {};
  if (!o.selection.problem.empty())
    return fail(ErrorKind::bad_input,
                "--problem already contains the shape, dtype and flags; leave out --shape, --dtype and --set");
  if (o.selection.kernel.empty())
    return fail(ErrorKind::bad_input, "--shape, --dtype and --set need a kernel; add --kernel K");
  o.problem.kernel = o.selection.kernel;
  WT_TRY(auto asked, load_problem(o.problem, &reader, notes));
  o.selection.kernel = asked.kernel.spec.name;
  o.selection.problem = asked.key();
  return {};
}

std::map<std::string, std::string> metric_meanings() {
  std::map<std::string, std::string> meanings;
  for (const MetricSet& set : metric_sets())
    for (const MetricMeaning& m : set.metrics) meanings.emplace(m.metric, m.meaning);
  for (const DType type : {DType::bf16, DType::fp16, DType::fp32, DType::fp64})
    if (const auto m = tensor_metric(type)) meanings.emplace(m->metric, m->meaning);
  return meanings;
}

std::string title_of(const report::Report& made, const std::string& database) {
  if (made.views.size() > 1) {
    const auto shown = static_cast<std::int64_t>(made.views.size());
    return fmt::format("warptune: {}{} of {}", made.left_out > 0 ? fmt::format("{} of ", shown) : "",
                       count_text(shown + made.left_out, "result"), database);
  }
  const report::View& v = made.views.front();
  return fmt::format("{} {} on {}", v.kernel, short_problem(v.problem), v.device.name);
}

// The objective, if it was not time.
std::string aim_of(const report::View& view) {
  const Objective objective = view.session.identity.objective;
  return objective == Objective::time ? "" : fmt::format(" (least {})", objective_name(objective));
}

void print_verdicts(const report::Report& made) {
  for (const report::View& view : made.views)
    print_wrapped(fmt::format("{} {} on {}{}: {}", view.kernel, short_problem(view.problem), view.device.name,
                              aim_of(view), view.bound ? view.bound->sentence : "no winner yet."));
}

// The file names without folders, or the given paths if two file names are equal.
std::vector<std::string> short_names(const std::vector<fs::path>& files) {
  std::vector<std::string> names, paths;
  for (const fs::path& file : files) {
    names.push_back(file.filename().string());
    paths.push_back(file.string());
  }
  return std::set(names.begin(), names.end()).size() == names.size() ? names : paths;
}

// The views of all databases; the views of each database keep their order. `left_out`: as in load_views.
Result<std::vector<report::View>> load_all(const Reader& first, const ReportArgs& o, std::vector<std::string>& notes,
                                           std::int64_t& left_out) {
  WT_TRY(auto views, report::load_views(first, o.selection, left_out));
  if (o.with.empty()) return views;
  if (o.selection.session > 0)
    return fail(ErrorKind::bad_input, "--session names a session of one database; leave out --with");
  std::vector<fs::path> files = {database_path(o.db)};
  files.insert(files.end(), o.with.begin(), o.with.end());
  const std::vector<std::string> names = short_names(files);
  const auto name_all = [&](std::vector<report::View>& some, std::size_t number) {
    for (report::View& view : some) {
      view.database = names[number];
      view.id += fmt::format("/{}", number + 1); // sessions of two databases may have the same number
    }
  };
  name_all(views, 0);
  for (std::size_t i = 1; i < files.size(); ++i) {
    WT_TRY(auto reader, Reader::open(files[i]));
    std::int64_t more_left_out = 0;
    auto more = report::load_views(reader, o.selection, more_left_out);
    if (!more && more.error().kind != ErrorKind::no_candidate) return fail(more.error());
    if (!more) {
      notes.push_back(fmt::format("no result of {} is shown: {}", quote(files[i].string()), more.error().message));
      continue;
    }
    left_out += more_left_out;
    name_all(*more, i);
    std::move(more->begin(), more->end(), std::back_inserter(views));
  }
  return views;
}

Result<int> run_report(ReportArgs o) {
  if (o.json == "-" || o.json == kJsonToOutput) o.json = "-";
  o.outputs.json = o.json;
  WT_TRY(auto planned, plan_outputs(std::move(o.outputs)));
  const fs::path database = database_path(o.db);
  planned.inputs = {database};
  planned.inputs.insert(planned.inputs.end(), o.with.begin(), o.with.end());
  if (!o.baselines.empty()) planned.inputs.emplace_back(o.baselines);
  WT_TRY(auto reader, Reader::open(database));
  std::vector<std::string> notes;
  WT_CHECK(resolve_problem(reader, o, notes));
  report::Report made;
  std::int64_t left_out = 0;
  WT_TRY(auto views, load_all(reader, o, notes, left_out));
  made.views = std::move(views);
  WT_CHECK(add_baselines(o.baselines, made.views, notes));
  report::explain_winners(made.views, stall_meanings());
  made.left_out = left_out;
  made.title = title_of(made, database.filename().string());
  made.generated_at = utc_now();
  made.database = database.filename().string();
  made.metric_meanings = metric_meanings();
  if (left_out > 0)
    notes.push_back(fmt::format("left out {}; use --limit 0 to show all, or choose with --kernel and --problem",
                                count_text(left_out, "older result")));
  if (reader.skipped_rows() > 0)
    notes.push_back(fmt::format("left out {} because of impossible values", count_text(reader.skipped_rows(), "row")));
  WT_TRY(auto written, write_outputs(planned, made));
  if (planned.to_standard_output()) {
    for (const std::string& note : notes) complain("note: " + note);
    return 0;
  }
  for (const WrittenFile& file : written) print("{}: {}, {}\n", sanitize(file.name), file.what, bytes_text(file.bytes));
  print_verdicts(made);
  print_notes(notes);
  return 0;
}

} // namespace

void add_report(Command& app, Invocation& invocation) {
  auto options = std::make_shared<ReportArgs>();
  ReportArgs& o = *options;
  Command* command =
      add_command(app, "report", "Write an HTML page with the results and what limits them", kReportHelp);
  command->add_option("--kernel", o.selection.kernel, "Only results of this kernel")->type_name("NAME");
  command->add_option("--problem", o.selection.problem, "Only results of this problem, written as in `show best`")
      ->type_name("KEY");
  command->add_option("--shape", o.problem.shape, "Only results of this shape, given by its dims")
      ->type_name("DIM=N,...");
  command->add_option("--dtype", o.problem.dtype, "Element type; default: the kernel's first")->type_name("TYPE");
  command->add_option("--set", o.problem.sets, "Only results with this value of a kernel's flag; may be repeated")
      ->type_name("FLAG=VALUE")
      ->allow_extra_args(false);
  command->add_option("--device", o.selection.device, "Only results from this device; a part of its name is enough")
      ->type_name("NAME");
  command->add_option("--with", o.with, "Another database, whose results are shown too; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  add_number_option(*command, "--session", o.selection.session, 1, kNoLimit,
                    "Show this session, even if applications get the result of another session");
  add_number_option(*command, "--limit", o.selection.limit, 0, kNoLimit,
                    "Number of results to show, the newest first; 0: all; default 50");
  command->add_option("--baselines", o.baselines, "A file with times of other kernels to compare (docs/report.md)")
      ->type_name("FILE");
  command->add_option("-o,--output", o.outputs.html, "The HTML file to write; default report.html; -: standard output")
      ->type_name("FILE");
  command->add_option("--svg", o.outputs.svg, "Write an SVG picture of the first result; -: standard output")
      ->type_name("FILE");
  command->add_option("--csv", o.outputs.csv, "Write a CSV table with a row for each trial; -: standard output")
      ->type_name("FILE");
  command->add_option("--json", o.json, "Write the page's data as JSON; without FILE: to standard output")
      ->type_name("[FILE]")
      ->option_text("[FILE]")
      ->expected(0, 1)
      ->default_str(kJsonToOutput);
  command->add_flag("--force", o.outputs.force, "Also replace files that `warptune report` did not make");
  add_db_option(*command, o.db);
  command->callback([options, &invocation] { invocation.run = [options] { return run_report(*options); }; });
}

} // namespace warptune::cli
