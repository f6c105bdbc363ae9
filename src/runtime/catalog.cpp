#include "runtime/catalog.h"

#include "core/device_table.h"
#include "core/program_key.h"
#include "core/sha256.h"
#include "core/text.h"
#include "db/learned_rule.h"
#include "db/tuned_entries.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

// Of what is launched: where the default stays for the exact problem, that is the default's time.
std::string tuned_time(const KernelSpec& spec, const Choice& choice) {
  if (!choice.entry || choice.entry->median_us <= 0) return {};
  const double speedup = choice.entry->speedup_over_default;
  const std::string_view when = choice.selection.match == Match::exact ? "when tuned" : "there";
  if (choice.selection.config != choice.entry->config) {
    if (speedup <= 0 || choice.selection.config != default_config(spec)) return {};
    return fmt::format("; {:.4g} us {}", choice.entry->median_us * speedup, when);
  }
  std::string text = fmt::format("; {:.4g} us {}", choice.entry->median_us, when);
  if (speedup > 0) text += fmt::format(", {:.2f} times as fast as the default", speedup);
  return text;
}

std::string explain(const TunedKernel& tuned, const Choice& choice, const DeviceInfo& device) {
  std::string text = fmt::format(
      "{} {} on {} ({}): {} ({}: {}{})", tuned.kernel.spec.name, problem_key(tuned.kernel.spec, choice.problem),
      device.name, device.arch, choice.config.empty() ? "no parameters" : choice.config,
      match_name(choice.selection.match), choice.selection.why, tuned_time(tuned.kernel.spec, choice));
  for (const std::string& note : tuned.notes) text += "; " + note;
  return text;
}

bool is_same_request(const CompileRequest& a, const CompileRequest& b) {
  return a.source == b.source && a.headers == b.headers && a.options == b.options &&
         a.name_expressions == b.name_expressions;
}

} // namespace

std::string image_digest(const CubinRecord& cubin) {
  std::string names;
  for (const std::string& name : cubin.lowered_names) names += fmt::format("{}:{}", name.size(), name);
  return sha256_hex(fmt::format("{}{}{}", hex_text(sha256(cubin.image)), cubin.arch, names));
}

Result<std::unique_ptr<Catalog>> Catalog::open(const std::string& path) {
  const std::filesystem::path file = database_path(path);
  auto reader = Reader::open(file);
  if (!reader) return tl::make_unexpected(reader.error());
  auto names = reader->kernel_names();
  if (!names) return tl::make_unexpected(names.error());
  auto devices = reader->devices();
  if (!devices) return tl::make_unexpected(devices.error());
  std::unique_ptr<Catalog> catalog(new Catalog(std::move(*reader)));
  catalog->path_ = file;
  catalog->is_pack_ = catalog->reader_.pack().has_value();
  catalog->names_ = std::move(*names);
  catalog->devices_ = std::move(*devices);
  return catalog;
}

Result<std::shared_ptr<TunedKernel>> Catalog::load_kernel(const std::string& name) const {
  auto record = reader_.kernel(name);
  if (!record) return tl::make_unexpected(record.error());
  const auto made = std::make_shared<TunedKernel>();
  TunedKernel& tuned = *made;
  if (*record) {
    auto spec = spec_of(**record);
    if (!spec) return tl::make_unexpected(spec.error());
    tuned.kernel = {std::move(*spec), SourceFiles{std::move((*record)->files)}, (*record)->source_hash, "the database"};
  } else if (is_pack_) {
    return fail(ErrorKind::bad_input,
                fmt::format("unknown kernel {}{}", quote(name),
                            names_.empty() ? "; the pack holds none" : suggest_name(name, names_)));
  } else {
    const TemplateStore store = TemplateStore::standard();
    auto kernel = store.load(name);
    if (!kernel) {
      std::vector<std::string> known = store.names();
      const bool is_broken = std::find(known.begin(), known.end(), name) != known.end();
      if (is_broken || name.empty() || name.find('/') != std::string::npos) return tl::make_unexpected(kernel.error());
      known.insert(known.end(), names_.begin(), names_.end());
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
      return fail(ErrorKind::bad_input, fmt::format("unknown kernel {}{}", quote(name),
                                                    known.empty() ? "; the database holds none and no templates are "
                                                                    "installed beside this library"
                                                                  : suggest_name(name, known)));
    }
    tuned.kernel = std::move(*kernel);
  }
  auto entries = load_tuned_entries(reader_, tuned.kernel.spec, tuned.kernel.source_hash);
  if (!entries) return tl::make_unexpected(entries.error());
  tuned.entries = std::move(entries->entries);
  tuned.notes = std::move(entries->notes);
  auto rows = reader_.best(tuned.kernel.spec.name);
  if (!rows) return tl::make_unexpected(rows.error());
  for (BestRecord& row : *rows)
    if (!row.cubin_hash.empty()) tuned.cubins.emplace(row.id, std::move(row.cubin_hash));
  auto learned = load_learned_rule(reader_, tuned.kernel.spec, tuned.kernel.source_hash);
  if (!learned) return tl::make_unexpected(learned.error());
  tuned.known = std::move(learned->configs);
  tuned.learned.emplace(std::move(learned->transfers));
  tuned.known.insert(default_config(tuned.kernel.spec));
  for (const TunedEntry& entry : tuned.entries) tuned.known.insert(entry.config);
  return made;
}

Result<std::shared_ptr<const TunedKernel>> Catalog::kernel(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = kernels_.find(name); found != kernels_.end()) return found->second;
  auto loaded = load_kernel(name);
  if (!loaded) return tl::make_unexpected(loaded.error());
  return kernels_.emplace(name, std::move(*loaded)).first->second;
}

Result<DeviceInfo> Catalog::device(const std::string& name) const {
  for (const DeviceInfo& device : devices_)
    if (!name.empty() && (device.name == name || device.uuid == name)) return device;
  // The device that every machine without a GPU asks about: known even to a database that never saw one.
  if (DeviceInfo device = h200_device(); device.name == name) return device;
  if (auto device = device_of_arch(name)) return *device;
  std::vector<std::string> known = known_archs();
  for (const DeviceInfo& device : devices_)
    if (std::find(known.begin(), known.end(), device.name) == known.end()) known.push_back(device.name);
  return fail(ErrorKind::no_device, fmt::format("unknown device {}{}", quote(name), suggest_name(name, known)));
}

// Whether the tuned entry's own program is the one that is needed: formulas over the shape may have made another.
bool Catalog::is_same_program(const TunedKernel& tuned, const TunedEntry& entry, const CompileRequest& request,
                              const DeviceInfo& device) const {
  DeviceInfo tuned_on = device;
  for (const DeviceInfo& known : devices_)
    if (known.name == entry.device_name) tuned_on = known;
  tuned_on.arch = device.arch;
  const auto plan = make_plan(tuned.kernel.spec, tuned.kernel.sources, entry.problem, entry.config, tuned_on);
  return plan && is_same_request(plan->compile, request);
}

bool Catalog::has_cubin(const std::string& hash) const {
  const std::lock_guard lock(mutex_);
  if (const auto known = known_cubins_.find(hash); known != known_cubins_.end()) return known->second;
  const auto found = reader_.cubin(hash);
  return known_cubins_[hash] = found && *found && !(*found)->image.empty();
}

// A pack names programs by their key; a database knows those of its winners.
std::string Catalog::find_stored(const TunedKernel& tuned, const Config& config, const Candidate& candidate,
                                 const DeviceInfo& device) const {
  if (has_cubin(candidate.program)) return candidate.program;
  for (const TunedEntry& entry : tuned.entries) {
    if (entry.config != config || entry.arch != device.arch) continue;
    const auto hash = tuned.cubins.find(entry.row_id);
    // A result may name a program that the file was given without.
    if (hash != tuned.cubins.end() && has_cubin(hash->second) &&
        is_same_program(tuned, entry, candidate.plan.compile, device))
      return hash->second;
  }
  return {};
}

Result<Choice> Catalog::choose(const TunedKernel& tuned, const Problem& problem, std::uint32_t alignment,
                               const DeviceInfo& device, const ProgramRule& rule) const {
  const KernelSpec& spec = tuned.kernel.spec;
  std::map<Config, Candidate> usable; // that the rules asked for
  const auto consider = [&](const Config& config) -> std::optional<std::string> {
    if (usable.count(config) != 0) return std::nullopt;
    if (rule.is_stored_only && tuned.known.count(config) == 0) return "the file holds no program of it";
    auto plan = make_plan(spec, tuned.kernel.sources, problem, config, device);
    if (!plan) return plan.error().message; // limits that no constraint states, such as a grid's
    Candidate candidate{std::move(*plan), {}, {}};
    candidate.program = program_key(candidate.plan.compile);
    candidate.stored = find_stored(tuned, config, candidate, device);
    if (auto why = rule.refuse(candidate)) return why;
    usable.emplace(config, std::move(candidate));
    return std::nullopt;
  };
  SelectOptions options;
  options.alignment = alignment;
  options.learned = tuned.learned ? &*tuned.learned : nullptr;
  options.refuse = consider;
  auto selection = select(spec, tuned.entries, problem, device, options);
  if (!selection) return tl::make_unexpected(selection.error());
  Choice choice;
  choice.problem = problem;
  choice.selection = std::move(*selection);
  choice.config = config_text(spec, choice.selection.config);
  if (auto why = consider(choice.selection.config)) // chosen without being asked for
    return fail(ErrorKind::no_candidate,
                fmt::format("cannot run {} {} on {} ({}) with {}: {}", spec.name, problem_key(spec, problem),
                            device.name, device.arch, choice.config, *why));
  Candidate& chosen = usable.find(choice.selection.config)->second;
  choice.plan = std::move(chosen.plan);
  choice.program = std::move(chosen.program);
  choice.stored = std::move(chosen.stored);
  if (choice.selection.entry >= 0) choice.entry = tuned.entries[static_cast<std::size_t>(choice.selection.entry)];
  choice.explanation = explain(tuned, choice, device);
  return choice;
}

// Of a program that is chosen, once: reading and hashing an image costs more than looking for it.
std::string Catalog::digest(const std::string& hash) const {
  if (hash.empty()) return {};
  const std::lock_guard lock(mutex_);
  if (const auto known = digests_.find(hash); known != digests_.end()) return known->second;
  const auto found = reader_.cubin(hash);
  if (!found || !*found) return {};
  return digests_[hash] = image_digest(**found);
}

Result<std::optional<CubinRecord>> Catalog::cubin(const std::string& hash) const {
  const std::lock_guard lock(mutex_);
  return reader_.cubin(hash);
}

} // namespace warptune
