#include "cli/sweep_preview.h"

#include "cli/device_choice.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/table.h"
#include "cli/units.h"
#include "spec/short_problem.h"
#include "tuner/budget_meter.h"
#include "tuner/built_candidates.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>

namespace warptune::cli {
namespace {

using nlohmann::json;

std::string budget_text(const SessionOptions& options) {
  const std::string text = ending_text(options.budget, options.stop_rules);
  return text.empty() ? "all" : text;
}

void keep_once(std::vector<std::string>& notes, std::string note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

std::set<std::string> names_of(const std::vector<ChosenDevice>& devices) {
  std::set<std::string> names;
  for (const ChosenDevice& device : devices) names.insert(device.info.name);
  return names;
}

// "NVIDIA H200 (the recording)". Only recordings have several devices.
std::string devices_text(const std::vector<ChosenDevice>& devices) {
  const std::set<std::string> names = names_of(devices);
  if (names.size() > 1) return fmt::format("{} (the recordings)", fmt::join(names, " and "));
  const ChosenDevice& device = devices.front();
  return device.info.name + (device.why.empty() ? "" : fmt::format(" ({})", device.why));
}

} // namespace

Result<int> list_sweeps(const TemplateStore& store, bool as_json) {
  json all = json::array();
  Table table({left("sweep"), right("jobs"), whole("about")});
  std::vector<std::string> broken;
  for (const ShippedSweep& sweep : shipped_sweeps(store)) {
    const auto plan = load_sweep(sweep.name, {}, store);
    if (!plan) {
      broken.push_back(plan.error().message);
      continue;
    }
    table.add({sweep.name, std::to_string(plan->jobs.size()), plan->about});
    all.push_back(
        {{"name", sweep.name}, {"jobs", plan->jobs.size()}, {"about", plan->about}, {"file", sweep.file.string()}});
  }
  if (as_json) {
    print_json({{"sweeps", all}, {"broken", broken}});
    return 0;
  }
  if (!table.empty()) print(std::string_view(table.render(terminal_width(1))));
  if (table.empty() && broken.empty()) print("no sweeps are shipped with this program\n");
  for (const std::string& message : broken) print("broken: {}\n", sanitize_lines(message));
  print("\n");
  print_wrapped("`warptune sweep NAME --dry-run` shows the jobs; docs/sweep.md says how to write your own sweep file.");
  return 0;
}

Result<int> preview_sweep(const std::string& name, const SweepPlan& plan, const std::vector<ChosenDevice>& devices,
                          bool as_json, bool wide) {
  json jobs = json::array();
  const bool has_several = names_of(devices).size() > 1;
  std::vector<Column> columns = {left("kernel"), left("problem")};
  if (has_several) columns.push_back(left("device"));
  columns.insert(columns.end(), {left_out(1, left("strategy")), left_out(2, right("budget")), right("space"),
                                 right("to try"), whole("reason")});
  Table table(std::move(columns));
  std::vector<std::string> notes = plan.notes;
  std::int64_t all = 0, impossible = 0;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const SweepJob& job = plan.jobs[i];
    const DeviceInfo& device = devices[i].info;
    const KernelSpec& spec = job.kernel->spec;
    SessionOptions options = job.options;
    options.device = device.backend;
    std::vector<std::string> left_out;
    const auto space = session_space(*job.kernel, job.problem, device, options, left_out);
    for (const std::string& note : left_out) keep_once(notes, spec.name + ": " + note);
    const std::int64_t size = space ? space->size() : 0;
    const std::int64_t tried = space ? BudgetMeter(job.options.budget, {}, size, 0).limit() : 0;
    const std::string why = space ? "" : first_line(space.error().message);
    all += tried;
    impossible += space ? 0 : 1;
    std::vector<std::string> cells = {spec.name, short_problem(problem_key(spec, job.problem))};
    if (has_several) cells.push_back(device.name);
    cells.insert(cells.end(),
                 {job.options.strategy, budget_text(job.options), std::to_string(size), std::to_string(tried), why});
    table.add(std::move(cells));
    jobs.push_back({{"kernel", spec.name},
                    {"problem", problem_json(spec, job.problem)},
                    {"device", device.name},
                    {"strategy", job.options.strategy},
                    {"budget", budget_text(job.options)},
                    {"seed", job.options.seed},
                    {"space_size", size},
                    {"to_try", tried},
                    {"why_not", or_null(why)}});
  }
  const int code = impossible > 0 ? kNotAllWell : 0;
  if (as_json) {
    print_json({{"sweep", name},
                {"about", plan.about},
                {"device", has_several ? json(nullptr) : json(devices.front().info.name)},
                {"jobs", jobs},
                {"to_try", all},
                {"notes", notes}});
    return code;
  }
  print_table(table, wide);
  print("\n");
  print_wrapped(fmt::format("sweep {}: {}, at most {} to try on {}", name,
                            count_text(static_cast<std::int64_t>(plan.jobs.size()), "job"),
                            count_text(all, "configuration"), devices_text(devices)));
  if (impossible > 0) print("{} cannot be tuned on this device\n", count_text(impossible, "job"));
  print_notes(notes);
  return code;
}

} // namespace warptune::cli
