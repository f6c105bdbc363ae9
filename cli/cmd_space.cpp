// space: counts the configurations of a problem on a device, and shows what the constraints reject. Needs no GPU.
#include "cli/asked_problem.h"
#include "cli/command.h"
#include "cli/database_file.h"
#include "cli/device_choice.h"
#include "cli/help_text.h"
#include "cli/implementation_kind.h"
#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/space_output.h"
#include "cli/t1_space.h"
#include "cli/table.h"
#include "cli/units.h"
#include "jit/builders.h"
#include "plan/compile_request.h"
#include "space/space.h"
#include "spec/short_problem.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace warptune::cli {
namespace {

using nlohmann::json;

struct SpaceArgs {
  ProblemArgs problem;
  std::string device, arch, db;
  std::int64_t limit = 5;
  bool json = false;
};

struct View {
  const Asked& asked;
  const ChosenDevice& device;
  const SearchSpace& space;
  Config default_config;
  std::optional<std::string> default_problem; // why the default is not valid
  std::int64_t shown, built = 0;
  // How many of the valid configurations can be launched. Counted only if the probe cannot be launched.
  std::optional<std::int64_t> launchable = {};
  bool default_launches = true;
};

// The number of valid configurations that a build command makes.
std::int64_t count_built(const Asked& asked, const DeviceInfo& device, const SearchSpace& whole) {
  if (!has_built(asked.kernel.spec)) return 0;
  const auto others = SearchSpace::build(asked.kernel.spec, asked.problem, device, false);
  return others ? whole.size() - others->size() : whole.size();
}

void print_kinds(const KernelSpec& spec) {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const Implementation& implementation : spec.implementations)
    if (std::string kind = kind_text(implementation); !kind.empty())
      kinds.emplace_back(implementation.name.empty() ? spec.name : implementation.name, std::move(kind));
  if (!kinds.empty()) print("\nimplementations\n{}", render_facts(kinds, terminal_width(1)));
}

void print_space_json(const View& v, const std::vector<std::string>& notes) {
  const KernelSpec& spec = v.asked.kernel.spec;
  json out = space_json(v.space);
  out["kernel"] = spec.name;
  out["built"] = v.built;
  for (const Implementation& implementation : spec.implementations)
    add_kind(out["implementations"].emplace_back(json{{"name", implementation.name}}), implementation);
  out["problem"] = problem_json(spec, v.asked.problem);
  out["device"] = v.device.info.name;
  out["arch"] = v.device.info.arch;
  out["device_from"] = v.device.why;
  out["notes"] = notes;
  out["default"] = {{"config", config_json(spec, v.default_config)}, {"valid", !v.default_problem}};
  out["default"]["launchable"] = !v.default_problem && v.default_launches;
  out["launchable"] = v.launchable ? json(*v.launchable) : json(nullptr);
  out["default"]["why_not"] = v.default_problem ? json(*v.default_problem) : json(nullptr);
  for (std::int64_t i = 0; i < v.shown; ++i) out["configs"].push_back(config_json(spec, v.space.config(i)));
  print_json(out);
}

void print_space_text(const View& v, const std::vector<std::string>& notes) {
  const KernelSpec& spec = v.asked.kernel.spec;
  std::string from = fmt::format(" ({}{}{})", v.device.info.arch, v.device.why.empty() ? "" : "; ", v.device.why);
  if (v.device.why == kFromTable) // the name says it: "any sm_80 GPU (limits of the A100)"
    from = v.device.info.name.find(v.device.info.arch) == std::string::npos ? fmt::format(" ({})", v.device.info.arch)
                                                                            : "";
  print_wrapped(fmt::format("{} {} on {}{}", spec.name, short_problem(v.asked.key()), v.device.info.name, from));
  const char* standing = v.default_problem ? "" : v.default_launches ? " (valid)" : " (valid, but cannot be launched)";
  print_space_facts(v.space, config_text(spec, v.default_config) + standing, spec.implementations.size());
  if (v.launchable) print("  of the valid configurations, {} can be launched here; see the note\n", *v.launchable);
  if (v.default_problem) print("  the default is not valid here: {}\n", sanitize(*v.default_problem));
  print_kinds(spec);
  print_rejections(v.space);
  if (v.shown > 0) print("\nfirst {} of {}\n", v.shown, v.space.size());
  for (std::int64_t i = 0; i < v.shown; ++i) {
    print("  ");
    print_wrapped(config_text(spec, v.space.config(i)), 2);
  }
  print_notes(notes);
}

Result<void> check_probe(const Asked& asked, const Config& probe, const DeviceInfo& device) {
  WT_TRY(const auto plan, make_plan(asked.kernel.spec, asked.problem, probe, device));
  WT_CHECK(make_compile_request(asked.kernel.spec, asked.kernel.sources, asked.problem, probe, device, plan));
  return {};
}

// The number of configurations whose grid, block and memory the device allows; nullopt if there are too many to try.
std::optional<std::int64_t> count_launchable(const Asked& asked, const DeviceInfo& device, const SearchSpace& space) {
  constexpr std::int64_t kMaxPlans = 100'000; // about a second
  if (space.size() > kMaxPlans) return std::nullopt;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < space.size(); ++i)
    count +=
        static_cast<std::int64_t>(make_plan(asked.kernel.spec, asked.problem, space.config(i), device).has_value());
  return count;
}

Result<int> run_space(const SpaceArgs& options) {
  if (is_space_file(options.problem.kernel)) {
    const ProblemArgs& p = options.problem;
    if (!p.shape.empty() || !p.dtype.empty() || !p.sets.empty() || !options.device.empty() || !options.arch.empty() ||
        !options.db.empty())
      return fail(ErrorKind::bad_input, p.kernel + " is a T1 file, which contains its problem; remove --shape, "
                                                   "--dtype, --set, --device, --arch and --db, or give a kernel");
    return run_t1_space(p.kernel, options.limit, options.json);
  }
  std::vector<std::string> notes;
  std::optional<Reader> reader;
  if (!options.db.empty() || names_stored_device(options.device)) {
    WT_TRY(reader, open_named(options.db));
  }
  const Reader* database = reader ? &*reader : nullptr;
  WT_TRY(auto asked, load_problem(options.problem, database, notes));
  WT_TRY(auto device, choose_device(options.device, options.arch, options.device.empty() ? nullptr : database,
                                    {asked.kernel.spec.name, asked.key()}));
  WT_TRY(auto space, SearchSpace::build(asked.kernel.spec, asked.problem, device.info));
  View view{asked, device, space, default_config(asked.kernel.spec, asked.problem, device.info), {}, 0};
  view.default_problem = check_config(asked.kernel.spec, asked.problem, device.info, view.default_config);
  // Evaluates the formulas of launch plan and cost for one configuration, which `tune` would do first.
  const Config probe = view.default_problem ? space.config(0) : view.default_config;
  if (const auto checked = check_probe(asked, probe, device.info); !checked) {
    if (checked.error().kind != ErrorKind::no_candidate) return fail(checked.error());
    view.launchable = count_launchable(asked, device.info, space);
    if (view.launchable == 0)
      return fail(
          ErrorKind::no_candidate,
          fmt::format("{} valid, but none can be launched: {}; correct the launch in spec.json, or add a constraint",
                      count_text(space.size(), "configuration"), checked.error().message));
    view.default_launches = view.default_problem.has_value();
    notes.push_back(checked.error().message + "; `tune` skips such configurations");
  }
  view.built = count_built(asked, device.info, space);
  if (view.built > 0)
    notes.push_back(fmt::format("{} of {} configurations are built by commands in the kernel's spec.json; `tune` tries "
                                "them only with --allow-build",
                                view.built, space.size()));
  WT_CHECK(estimate_cost(asked.kernel.spec, asked.problem, device.info));
  view.shown = shown_of(space, options.limit);
  if (options.json)
    print_space_json(view, notes);
  else
    print_space_text(view, notes);
  return 0;
}

} // namespace

void add_space(Command& app, Invocation& invocation) {
  auto options = std::make_shared<SpaceArgs>();
  Command* command = add_command(
      app, "space", "Count the valid configurations of a problem, and show which constraints reject the others",
      kSpaceHelp);
  add_problem_options(*command, options->problem);
  command
      ->add_option("--device", options->device,
                   "auto, cuda:N, recorded, recorded:PATH, or part of the name of a device in the database")
      ->type_name("DEVICE");
  command->add_option("--arch", options->arch, "An architecture such as sm_80, instead of a device")->type_name("ARCH");
  add_number_option(*command, "--limit", options->limit, 0, kNoLimit,
                    "Number of configurations to show; 0: all; default 5");
  add_db_option(*command, options->db);
  add_json_flag(*command, options->json);
  command->callback([options, &invocation] { invocation.run = [options] { return run_space(*options); }; });
}

} // namespace warptune::cli
