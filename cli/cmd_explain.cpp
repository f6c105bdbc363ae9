// explain: shows what the dispatcher would choose for a problem on a device, and why. Needs no GPU and no database.
#include "cli/asked_problem.h"
#include "cli/command.h"
#include "cli/config_choice.h"
#include "cli/database_file.h"
#include "cli/device_choice.h"
#include "cli/help_text.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/table.h"
#include "cli/units.h"
#include "spec/config.h"
#include "spec/short_problem.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace warptune::cli {
namespace {

using nlohmann::json;

struct ExplainArgs {
  ProblemArgs problem;
  std::string device, arch, db;
  std::int64_t align = kDefaultAlignment;
  bool json = false, allow_vendor = false;
};

// Nothing can be launched with the requested alignment.
struct Refusal {
  Error error;
  std::int64_t asked, needed; // bytes
};

struct Explanation {
  Asked asked;
  ChosenDevice device;
  Choice choice;
  std::string database;
  bool has_database = false;
  std::optional<Refusal> refusal; // if set, `choice` is for the alignment `refusal->needed`
  std::vector<std::string> notes;
};

// The database row that decided. Its time is a time of this problem only if the match is exact.
json entry_json(const Explanation& e) {
  const TunedEntry* entry = e.choice.entry();
  if (entry == nullptr) return nullptr;
  return {{"id", entry->row_id},
          {"problem", problem_key(e.asked.kernel.spec, entry->problem)},
          {"device", entry->device_name},
          {"arch", entry->arch},
          {"median_us", entry->median_us},
          {"certified", entry->certified},
          {"outcome", entry->outcome},
          {"standing", entry->standing},
          {"speedup_over_default", or_null(entry->speedup_over_default)}};
}

json explanation_json(const Explanation& e) {
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
  return out;
}

std::string byte_text(std::int64_t bytes) { return count_text(bytes, "byte"); }

// No kernel can take less aligned buffers than its narrowest configuration, so the caller must change the buffers.
std::string remedy_text(const Refusal& refusal) {
  return fmt::format(
      "before the launch, copy the data of less aligned buffers (such as slices of a tensor) into buffers "
      "that are aligned to {}; cudaMalloc aligns to 256 bytes",
      byte_text(refusal.needed));
}

// The error as other commands print it, what to do, and the choice for buffers with a larger alignment.
json refusal_json(const Explanation& e) {
  json out = error_json(e.refusal->error);
  out["align"] = e.refusal->asked;
  out["to_do"] = remedy_text(*e.refusal);
  out["aligned"] = explanation_json(e);
  out["aligned"]["align"] = e.refusal->needed;
  return out;
}

std::string measured_text(const TunedEntry& entry, bool is_default) {
  std::string out = time_text(entry.median_us);
  out += entry.certified ? ", certified" : ", not certified";
  if (!entry.certified && !entry.outcome.empty()) out += " (" + entry.outcome + ")";
  if (is_default)
    out += ", is the default";
  else if (entry.speedup_over_default > 0)
    out += fmt::format(", {:.2f}x faster than the default", entry.speedup_over_default);
  return out;
}

using Facts = std::vector<std::pair<std::string, std::string>>;

Facts facts_of_refusal(const Refusal& refusal) {
  return {
      {"config", "none"},
      {"match", "none"},
      {"why", refusal.error.message},
      {"result", fmt::format("with buffers aligned to {}, an application gets WT_NO_CANDIDATE and nothing is launched",
                             byte_text(refusal.asked))},
      {"to do", remedy_text(refusal)},
      {"aligned", fmt::format("with buffers aligned to {} (--align {}), an application launches the following",
                              byte_text(refusal.needed), refusal.needed)}};
}

void print_explanation_text(const Explanation& e) {
  const KernelSpec& spec = e.asked.kernel.spec;
  const Selection& s = e.choice.selection;
  print("{} {} on {}\n", sanitize(spec.name), sanitize(short_problem(e.asked.key())), sanitize(e.device.info.name));
  if (e.refusal) print(std::string_view(render_facts(facts_of_refusal(*e.refusal), terminal_width(1)) + "\n"));
  Facts facts = {{"config", s.config.empty() ? "(no parameters)" : config_text(spec, s.config)},
                 {"match", std::string(match_name(s.match))},
                 {"why", s.why}};
  if (const auto calls = library_calls_of(e.asked, s.config, e.device.info); !calls.empty())
    facts.emplace_back("calls", fmt::format("{}", fmt::join(calls, ", ")));
  if (!s.runner_up.empty()) facts.emplace_back("runner-up", config_text(spec, s.runner_up));
  if (const TunedEntry* entry = e.choice.entry(); entry != nullptr && s.match == Match::exact)
    facts.emplace_back("measured",
                       measured_text(*entry, s.config == default_config(spec, e.asked.problem, e.device.info)));
  if (!e.device.why.empty()) facts.emplace_back("device", e.device.why);
  facts.emplace_back("database", e.has_database ? e.database : e.database + " (there is none yet)");
  print(std::string_view(render_facts(facts, terminal_width(1))));
  print_notes(e.notes);
}

// The choice for the requested alignment. If nothing can be launched with it: the choice for the next larger alignment
// that allows a launch; `e.refusal` then has the reason.
Result<Choice> choose_aligned(Explanation& e, const Reader* database, const ExplainArgs& options) {
  auto choice = choose_config(e.asked, e.device.info, database, e.notes, options.allow_vendor, options.align);
  if (choice || choice.error().kind != ErrorKind::no_candidate) return choice;
  for (std::int64_t align = 2 * options.align; align <= kDefaultAlignment; align *= 2) {
    std::vector<std::string> unused;
    auto wider = choose_config(e.asked, e.device.info, database, unused, options.allow_vendor, align);
    if (!wider) continue;
    e.refusal = Refusal{std::move(choice.error()), options.align, align};
    return wider;
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
  WT_TRY(auto device, choose_device(options.device, options.arch, database, {e.asked.kernel.spec.name, e.asked.key()}));
  e.device = std::move(device);
  WT_TRY(auto choice, choose_aligned(e, database, options));
  e.choice = std::move(choice);
  if (options.json) {
    print_json(e.refusal ? refusal_json(e) : explanation_json(e));
    if (e.refusal) complain(e.refusal->error.message);
    return e.refusal ? static_cast<int>(e.refusal->error.kind) : 0;
  }
  print_explanation_text(e);
  if (e.refusal) return static_cast<int>(e.refusal->error.kind);
  if (e.choice.selection.match == Match::exact) return 0;
  if (database != nullptr && database->pack())
    print_wrapped(
        "To tune this problem, run `warptune tune` with the database from which the pack was made, and pack again.");
  else
    print("\nTo tune this problem:\n  {}\n", sanitize(command_for("tune", options.problem, options.db)));
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
                   "auto, cuda:N, recorded, recorded:PATH, or part of the name of a device in the database")
      ->type_name("DEVICE");
  command->add_option("--arch", options->arch, "An architecture such as sm_80, instead of a device")->type_name("ARCH");
  command->add_option("--align", options->align, "Alignment of all buffers, in bytes: 1, 2, 4, 8 or 16 (default)")
      ->one_of({1, 2, 4, 8, 16})
      ->option_text("BYTES")
      ->type_name("BYTES");
  add_vendor_flag(*command, options->allow_vendor);
  add_db_option(*command, options->db);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_explain(*options); }; });
}

} // namespace warptune::cli
