// explain: what the dispatcher would pick for a problem on a device, and why. Needs neither a GPU nor a database.
#include "cli/command.h"
#include "cli/help_text.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/table.h"
#include "cli/units.h"
#include "spec/short_problem.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using nlohmann::json;

struct ExplainArgs {
  ProblemArgs problem;
  std::string device, arch, db;
  std::int64_t align = kDefaultAlignment;
  bool json = false, allow_vendor = false;
};

struct Explanation {
  Asked asked;
  ChosenDevice device;
  Choice choice;
  std::string database;
  bool has_database = false;
  std::vector<std::string> notes;
};

// The row that decided, with its time; the time belongs to this problem only when the match is exact.
json entry_json(const Explanation& e) {
  const TunedEntry* entry = e.choice.entry();
  if (entry == nullptr) return nullptr;
  return {
      {"id", entry->row_id},
      {"problem", problem_key(e.asked.kernel.spec, entry->problem)},
      {"device", entry->device_name},
      {"arch", entry->arch},
      {"median_us", entry->median_us},
      {"certified", entry->certified},
      {"outcome", entry->outcome},
      {"standing", entry->standing},
      {"speedup_over_default", entry->speedup_over_default > 0 ? json(entry->speedup_over_default) : json(nullptr)}};
}

void print_explanation_json(const Explanation& e) {
  const KernelSpec& spec = e.asked.kernel.spec;
  const Selection& s = e.choice.selection;
  json out = {{"kernel", spec.name},
              {"problem", problem_json(spec, e.asked.problem)},
              {"device", e.device.info.name},
              {"arch", e.device.info.arch},
              {"device_from", e.device.why},
              {"config", config_json(spec, s.config)},
              {"config_text", config_text(spec, s.config)},
              {"match", match_name(s.match)},
              {"distance", s.distance},
              {"why", s.why},
              {"predicted_loss", s.predicted_loss ? json(*s.predicted_loss) : json(nullptr)},
              {"runner_up", s.runner_up.empty() ? json(nullptr) : json(config_text(spec, s.runner_up))},
              {"library_calls", library_calls_of(e.asked, s.config, e.device.info)},
              {"entry", entry_json(e)},
              {"notes", e.notes}};
  out["median_us"] =
      s.match == Match::exact && e.choice.entry() != nullptr ? json(e.choice.entry()->median_us) : json(nullptr);
  out["database"] = e.has_database ? json(e.database) : json(nullptr);
  print_json(out);
}

std::string measured_text(const TunedEntry& entry) {
  std::string out = time_text(entry.median_us);
  out += entry.certified ? ", certified" : ", not certified";
  if (!entry.certified && !entry.outcome.empty()) out += " (" + entry.outcome + ")";
  if (entry.speedup_over_default > 0)
    out += fmt::format(", {:.2f}x faster than the default", entry.speedup_over_default);
  return out;
}

void print_explanation_text(const Explanation& e) {
  const KernelSpec& spec = e.asked.kernel.spec;
  const Selection& s = e.choice.selection;
  print("{} {} on {}\n", sanitize(spec.name), sanitize(short_problem(e.asked.key())), sanitize(e.device.info.name));
  std::vector<std::pair<std::string, std::string>> facts = {
      {"config", s.config.empty() ? "(no parameters)" : config_text(spec, s.config)},
      {"match", std::string(match_name(s.match))},
      {"why", s.why}};
  if (const auto calls = library_calls_of(e.asked, s.config, e.device.info); !calls.empty())
    facts.emplace_back("calls", fmt::format("{}", fmt::join(calls, ", ")));
  if (!s.runner_up.empty()) facts.emplace_back("runner-up", config_text(spec, s.runner_up));
  if (const TunedEntry* entry = e.choice.entry(); entry != nullptr && s.match == Match::exact)
    facts.emplace_back("measured", measured_text(*entry));
  if (!e.device.why.empty()) facts.emplace_back("device", e.device.why);
  facts.emplace_back("database", e.has_database ? e.database : e.database + " (there is none yet)");
  print(std::string_view(render_facts(facts, terminal_width(1))));
  print_notes(e.notes);
}

// Where nothing is legal for buffers that are aligned so little: with the least that something is legal for.
Result<Choice> choose_aligned(const Explanation& e, const Reader* database, std::vector<std::string>& notes,
                              const ExplainArgs& options) {
  auto choice = choose_config(e.asked, e.device.info, database, notes, options.allow_vendor, options.align);
  if (choice || choice.error().kind != ErrorKind::no_candidate) return choice;
  for (std::int64_t align = 2 * options.align; align <= kDefaultAlignment; align *= 2) {
    std::vector<std::string> unused;
    if (choose_config(e.asked, e.device.info, database, unused, options.allow_vendor, align))
      return fail(ErrorKind::no_candidate, fmt::format("{}; buffers aligned to {} bytes can be used "
                                                       "(--align {})",
                                                       choice.error().message, align, align));
  }
  return choice;
}

Result<int> run_explain(const ExplainArgs& options) {
  const auto path = database_path(options.db);
  WT_TRY(auto reader, open_if_present(path));
  const Reader* database = reader ? &*reader : nullptr;
  Explanation e;
  e.database = path.string();
  e.has_database = database != nullptr;
  WT_TRY(auto asked, load_problem(options.problem, database, e.notes));
  e.asked = std::move(asked);
  WT_TRY(auto device, choose_device(options.device, options.arch, database));
  e.device = std::move(device);
  WT_TRY(auto choice, choose_aligned(e, database, e.notes, options));
  e.choice = std::move(choice);
  if (options.json) {
    print_explanation_json(e);
    return 0;
  }
  print_explanation_text(e);
  if (e.choice.selection.match == Match::exact) return 0;
  if (database != nullptr && database->pack())
    print("To tune this problem, tune it into the database that the pack was made from, and pack again.\n");
  else
    print("To tune this problem: {}\n", sanitize(command_for("tune", options.problem, options.db)));
  return 0;
}

} // namespace

void add_explain(Command& app, Invocation& invocation) {
  auto options = std::make_shared<ExplainArgs>();
  Command* command =
      add_command(app, "explain", "Show what an application would launch for a problem, and why", kExplainHelp);
  add_problem_options(*command, options->problem);
  command
      ->add_option("--device", options->device,
                   "auto, cuda:N, recorded:PATH, or a part of the name of a device in the database")
      ->type_name("DEVICE");
  command->add_option("--arch", options->arch, "An architecture instead of a device, such as sm_80")->type_name("ARCH");
  command->add_option("--align", options->align, "Alignment in bytes that all buffers have: 1, 2, 4, 8 or 16 (default)")
      ->one_of({1, 2, 4, 8, 16})
      ->option_text("BYTES")
      ->type_name("BYTES");
  add_vendor_flag(*command, options->allow_vendor);
  add_db_option(*command, options->db);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_explain(*options); }; });
}

} // namespace warptune::cli
