#include "cli/sweep_file.h"

#include "cli/option_values.h"
#include "cli/sweep_options.h"
#include "cli/sweep_problems.h"
#include "core/text.h"
#include "jit/kernel_sources.h"
#include "search/strategy.h"
#include "spec/spec_json_reader.h"
#include "tuner/ledger.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSweepFileVersion = 1;
constexpr std::size_t kMaxJobs = 10000; // more than weeks of one device

std::vector<std::string_view> job_keys() {
  std::vector<std::string_view> keys = {"kernel", "also", "shapes", "suite", "dtypes", "flags", "about"};
  const auto options = job_option_keys();
  keys.insert(keys.end(), options.begin(), options.end());
  return keys;
}

class SweepReader {
 public:
  SweepReader(const std::string& origin, const SweepOverrides& overrides, const KernelLoader& load)
      : origin_(origin), overrides_(overrides), load_(load), errors_(origin, JsonErrors::Keep::all) {
    defaults_.strategy.clear();
  }

  Result<SweepPlan> read(const JsonValue& value) {
    const JsonCursor root(value, errors_);
    // Another kind of JSON file: errors about each of its keys would not help.
    if (root.is(JsonValue::Kind::object) && !root.find("warptune_sweep") && !root.find("jobs"))
      return fail(
          ErrorKind::bad_input,
          fmt::format("{}: this is not a sweep file: it has neither 'warptune_sweep' nor 'jobs' (docs/sweep.md)",
                      origin_));
    root.only({"warptune_sweep", "about", "defaults", "jobs"});
    if (root.is(JsonValue::Kind::object)) {
      check_version(root);
      if (const auto about = root.find("about")) plan_.about = about->text();
      if (const auto defaults = root.find("defaults")) {
        defaults->only(job_option_keys());
        read_job_options(*defaults, defaults_, plan_.notes);
      }
      const auto jobs = root.find("jobs");
      if (!jobs)
        root.error("the key 'jobs' is missing; it lists the kernels and shapes to tune (docs/sweep.md)");
      else
        for (const JsonCursor& job : filled_list(*jobs, "a list of jobs")) read_job(job);
    }
    if (errors_.any()) return fail(ErrorKind::bad_input, errors_.message());
    WT_CHECK(keep_only());
    if (repeated_ > 0)
      plan_.notes.push_back(
          fmt::format("left out {} of {}, because an earlier job is the same; the first job left out is {}",
                      repeated_ == 1 ? "1 job" : fmt::format("{} jobs", repeated_), origin_, first_repeated_));
    return std::move(plan_);
  }

 private:
  void check_version(const JsonCursor& root) {
    const auto version = root.find("warptune_sweep");
    if (!version)
      root.error("the key 'warptune_sweep' is missing; a sweep file has \"warptune_sweep\": 1 (docs/sweep.md)");
    else if (!version->is(JsonValue::Kind::integer))
      version->expected("the number 1, the version of the format");
    else if (version->integer() != kSweepFileVersion)
      version->error(fmt::format(
          "this version of warptune reads version {} of the format, not {}; use a newer warptune or write 1",
          kSweepFileVersion, version->integer()));
  }

  void read_job(const JsonCursor& job) {
    job.only(job_keys());
    if (!job.is(JsonValue::Kind::object)) return;
    if (const auto about = job.find("about")) (void)about->text();
    SessionOptions options = defaults_;
    read_job_options(job, options, plan_.notes);
    const auto kernel = find_kernel(job);
    if (!kernel) return; // without it, the rest of the job cannot be checked
    const std::vector<SuiteEntry> shapes = read_shapes(job, kernel->spec);
    const std::vector<DType> dtypes = read_dtypes(job, kernel->spec);
    const auto flags = read_flags(job, kernel->spec, kMaxJobs);
    // In this order, so that no product overflows.
    if (flags.size() > kMaxJobs || shapes.size() * dtypes.size() > kMaxJobs ||
        plan_.jobs.size() + shapes.size() * dtypes.size() * flags.size() > kMaxJobs)
      return job.error(fmt::format("with this entry the file has more than {} jobs; split the file", kMaxJobs));
    if (errors_.any()) return;
    for (const SuiteEntry& entry : shapes) {
      // The dtype and flags of the entry replace those of the job, so several combinations may give the same problem.
      const bool names_more = entry.dtype || !entry.flags.empty();
      std::vector<Problem> added;
      for (const DType dtype : dtypes)
        for (const auto& values : flags) {
          const Problem problem = problem_of(entry, dtype, values);
          if (names_more && std::find(added.begin(), added.end(), problem) != added.end()) continue;
          added.push_back(problem);
          add({kernel, problem, options});
        }
    }
  }

  static Problem problem_of(const SuiteEntry& entry, DType dtype, const std::vector<std::int64_t>& flags) {
    Problem problem{entry.shape, entry.dtype.value_or(dtype), flags, entry.lists};
    for (std::size_t i = 0; i < entry.flags.size(); ++i) problem.flags[i] = entry.flags[i].value_or(flags[i]);
    return problem;
  }

  std::shared_ptr<const Kernel> find_kernel(const JsonCursor& job) {
    const auto name = job.find("kernel");
    if (!name) {
      job.error("the key 'kernel' is missing; name a shipped kernel or the path of a kernel folder");
      return nullptr;
    }
    if (!name->is(JsonValue::Kind::text)) {
      name->expected("a kernel's name or path");
      return nullptr;
    }
    const std::vector<std::string> also = read_folders(job);
    const auto [known, is_new] = kernels_.try_emplace({name->text(), also});
    if (is_new) {
      auto loaded = load_(name->text(), also);
      if (loaded)
        known->second = std::make_shared<const Kernel>(std::move(*loaded));
      else
        known->second = tl::make_unexpected(loaded.error());
    }
    if (known->second) return *known->second;
    name->error(known->second.error().message);
    return nullptr;
  }

  static std::vector<std::string> read_folders(const JsonCursor& job) {
    std::vector<std::string> folders;
    const auto also = job.find("also");
    if (!also) return folders;
    for (const JsonCursor& folder : filled_list(*also, "a list of folders")) {
      if (!folder.is(JsonValue::Kind::text) || folder.text().empty())
        folder.expected("the path of an implementation's folder");
      else
        folders.push_back(folder.text());
    }
    return folders;
  }

  void add(SweepJob job) {
    SessionOptions& o = job.options;
    if (overrides_.budget) o.budget = *overrides_.budget;
    if (!overrides_.strategy.empty()) o.strategy = overrides_.strategy;
    if (overrides_.seed) o.seed = *overrides_.seed;
    const StopRules& rules = overrides_.stop_rules;
    if (rules.target_us > 0 || rules.target_share > 0) {
      o.stop_rules.target_us = rules.target_us;
      o.stop_rules.target_share = rules.target_share;
    }
    if (rules.stop_below > 0) o.stop_rules.stop_below = rules.stop_below;
    if (overrides_.knowledge) o.knowledge = *overrides_.knowledge;
    if (overrides_.objective) o.objective = *overrides_.objective;
    o.energy |= overrides_.energy;
    o.allow_build |= overrides_.allow_build;
    o.baseline |= overrides_.baseline;
    if (o.strategy.empty()) o.strategy = default_strategy(o.budget, o.stop_rules);
    const std::string key = problem_key(job.kernel->spec, job.problem);
    // These values identify a session on a given device.
    if (!seen_
             .emplace(job.kernel->spec.name, job.kernel->source_hash, key, strategy_identity(o),
                      ending_text(o.budget, o.stop_rules), o.seed, o.measure.cold_l2, o.objective)
             .second) {
      if (repeated_++ == 0) first_repeated_ = job.kernel->spec.name + " " + key;
      return;
    }
    plan_.jobs.push_back(std::move(job));
  }

  Result<void> keep_only() {
    if (overrides_.only.empty()) return {};
    std::set<std::string> names;
    for (const SweepJob& job : plan_.jobs) names.insert(job.kernel->spec.name);
    if (names.count(overrides_.only) == 0)
      return fail(ErrorKind::bad_input,
                  fmt::format("{} has no jobs for the kernel {}{}", origin_, quote(overrides_.only),
                              suggest_name(overrides_.only, {names.begin(), names.end()})));
    std::erase_if(plan_.jobs, [&](const SweepJob& job) { return job.kernel->spec.name != overrides_.only; });
    return {};
  }

  const std::string& origin_;
  const SweepOverrides& overrides_;
  const KernelLoader& load_;
  JsonErrors errors_;
  SessionOptions defaults_;
  using Named = std::pair<std::string, std::vector<std::string>>; // a kernel and its further implementations
  std::map<Named, Result<std::shared_ptr<const Kernel>>> kernels_;
  std::set<std::tuple<std::string, std::string, std::string, std::string, std::string, std::uint64_t, bool, Objective>>
      seen_;
  std::size_t repeated_ = 0;
  std::string first_repeated_;
  SweepPlan plan_;
};

} // namespace

Result<SweepPlan> expand_sweep(std::string_view json, const std::string& origin, const SweepOverrides& overrides,
                               const KernelLoader& load) {
  if (!overrides.strategy.empty()) WT_CHECK(parse_strategy(overrides.strategy));
  WT_TRY(const auto value, parse_json(json, origin, false));
  return SweepReader(origin, overrides, load).read(value);
}

std::vector<ShippedSweep> shipped_sweeps(const TemplateStore& store) {
  std::map<std::string, fs::path> found; // the first root wins, as with templates
  for (const fs::path& root : store.roots()) {
    std::error_code error;
    for (fs::directory_iterator it(root / "suites", error), end; !error && it != end; it.increment(error))
      if (it->path().extension() == ".json") found.try_emplace(it->path().stem().string(), it->path());
  }
  std::vector<ShippedSweep> sweeps;
  for (auto& [name, file] : found) sweeps.push_back({name, std::move(file)});
  return sweeps;
}

fs::path sweep_path(const std::string& name, const TemplateStore& store) {
  for (ShippedSweep& sweep : shipped_sweeps(store))
    if (sweep.name == name) return std::move(sweep.file);
  return name;
}

Result<SweepPlan> load_sweep(const std::string& name, const SweepOverrides& overrides, const TemplateStore& store,
                             const std::vector<std::string>& also) {
  const fs::path file = sweep_path(name, store);
  const std::vector<std::string> known = names_of(shipped_sweeps(store));
  std::error_code none;
  if (name.find('/') == std::string::npos && !fs::exists(file, none))
    return fail(ErrorKind::bad_input, fmt::format("there is no file {} and no shipped sweep of that name{}",
                                                  quote(name), suggest_name(name, known)));
  const auto text = read_source_file(file);
  if (!text)
    return fail(ErrorKind::bad_input, fmt::format("cannot read the sweep {}: {}; name a sweep file (docs/sweep.md has "
                                                  "its format) or a shipped sweep: {}",
                                                  quote(name), text.error().message, join_choices(known)));
  const fs::path folder = file.parent_path();
  const auto beside_file = [&](const std::string& path) {
    return fs::path(path).is_relative() ? (folder.empty() ? "." : folder) / path : fs::path(path);
  };
  const auto load = [&](const std::string& kernel, const std::vector<std::string>& of_job) -> Result<Kernel> {
    const bool is_path = kernel.find('/') != std::string::npos;
    std::vector<std::string> folders = also;
    for (const std::string& path : of_job) folders.push_back(beside_file(path).string());
    auto loaded = store.load(is_path ? beside_file(kernel) : fs::path(kernel), folders);
    const fs::path beside = folder / kernel;
    std::error_code ignored;
    if (!loaded && kernel.find('/') == std::string::npos && fs::exists(beside / "spec.json", ignored))
      return fail(loaded.error().kind,
                  fmt::format("{}; the folder {} is beside the sweep file; to use it, write \"./{}\"",
                              loaded.error().message, quote(beside.string()), kernel));
    return loaded;
  };
  return expand_sweep(*text, file.string(), overrides, load);
}

} // namespace warptune::cli
