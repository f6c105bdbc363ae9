#include "runtime/catalog.h"

#include "core/device_table.h"
#include "core/program_key.h"
#include "core/text.h"
#include "db/tuned_entries.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr std::uint32_t kBufferAlignment = 16; // bytes: vector accesses

std::string tuned_time(const Choice& choice) {
  if (!choice.entry || choice.entry->median_us <= 0) return {};
  std::string text = fmt::format("; {:.4g} us {}", choice.entry->median_us,
                                 choice.selection.match == Match::exact ? "when tuned" : "there");
  if (choice.entry->speedup_over_default > 0)
    text += fmt::format(", {:.2f} times as fast as the default", choice.entry->speedup_over_default);
  return text;
}

std::string explain(const TunedKernel& tuned, const Choice& choice, const DeviceInfo& device,
                    const std::vector<std::string>& unusable) {
  std::string text = fmt::format("{} {} on {} ({}): {} ({}: {}{})", tuned.kernel.spec.name,
                                 problem_key(tuned.kernel.spec, choice.problem), device.name, device.arch,
                                 choice.config.empty() ? "no parameters" : choice.config,
                                 match_name(choice.selection.match), choice.selection.why, tuned_time(choice));
  for (const std::string& note : unusable) text += "; " + note;
  for (const std::string& note : tuned.notes) text += "; " + note;
  return text;
}

bool is_same_request(const CompileRequest& a, const CompileRequest& b) {
  return a.source == b.source && a.headers == b.headers && a.options == b.options &&
         a.name_expressions == b.name_expressions;
}

} // namespace

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

Result<TunedKernel> Catalog::load_kernel(const std::string& name) const {
  auto record = reader_.kernel(name);
  if (!record) return tl::make_unexpected(record.error());
  TunedKernel tuned;
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
  return tuned;
}

Result<std::shared_ptr<const TunedKernel>> Catalog::kernel(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = kernels_.find(name); found != kernels_.end()) return found->second;
  auto loaded = load_kernel(name);
  if (!loaded) return tl::make_unexpected(loaded.error());
  auto kernel = std::make_shared<const TunedKernel>(std::move(*loaded));
  kernels_.emplace(name, kernel);
  return kernel;
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

// Whether the tuned entry's own program is the one that this choice needs: formulas over the shape may have made
// another.
bool Catalog::is_same_program(const TunedKernel& tuned, const Choice& choice, const DeviceInfo& device) const {
  if (choice.entry->arch != device.arch) return false;
  DeviceInfo tuned_on = device;
  for (const DeviceInfo& known : devices_)
    if (known.name == choice.entry->device_name) tuned_on = known;
  tuned_on.arch = device.arch;
  const auto plan =
      make_plan(tuned.kernel.spec, tuned.kernel.sources, choice.entry->problem, choice.entry->config, tuned_on);
  return plan && is_same_request(plan->compile, choice.plan.compile);
}

bool Catalog::has_cubin(const std::string& hash) const {
  const std::lock_guard lock(mutex_);
  if (const auto known = known_cubins_.find(hash); known != known_cubins_.end()) return known->second;
  const auto found = reader_.cubin(hash);
  return known_cubins_[hash] = found && *found;
}

// A pack names programs by their key; a database knows those of its winners.
std::string Catalog::find_stored(const TunedKernel& tuned, const Choice& choice, const DeviceInfo& device) const {
  if (has_cubin(choice.program)) return choice.program;
  if (!choice.entry) return {};
  const auto hash = tuned.cubins.find(choice.entry->row_id);
  return hash != tuned.cubins.end() && is_same_program(tuned, choice, device) ? hash->second : std::string();
}

Result<Choice> Catalog::choose(const TunedKernel& tuned, const Problem& problem, std::uint32_t alignment,
                               const DeviceInfo& device, const ProgramCheck& refuse) const {
  const KernelSpec& spec = tuned.kernel.spec;
  if (alignment < kBufferAlignment)
    return fail(
        ErrorKind::bad_input,
        fmt::format("{} {}: a buffer is aligned to {} bytes only, and its accesses need {}; copy it, or start it "
                    "at a multiple of {} bytes",
                    spec.name, problem_key(spec, problem), alignment, kBufferAlignment, kBufferAlignment));
  Choice choice;
  choice.problem = problem;
  std::vector<TunedEntry> entries = tuned.entries;
  std::vector<std::string> unusable;
  for (;;) {
    auto selection = select(spec, entries, problem, device);
    if (!selection) return tl::make_unexpected(selection.error());
    choice.selection = std::move(*selection);
    const int entry = choice.selection.entry;
    choice.entry.reset();
    if (entry >= 0) choice.entry = entries[static_cast<std::size_t>(entry)];
    choice.config = config_text(spec, choice.selection.config);
    auto plan = make_plan(spec, tuned.kernel.sources, problem, choice.selection.config, device);
    // Limits that no constraint states, such as a grid's: on to the next nearest.
    if (!plan && (plan.error().kind != ErrorKind::no_candidate || entry < 0)) return tl::make_unexpected(plan.error());
    std::string why;
    if (plan) {
      choice.plan = std::move(*plan);
      choice.program = program_key(choice.plan.compile);
      choice.stored = find_stored(tuned, choice, device);
      const auto reason = refuse(choice);
      if (!reason) break;
      if (entry < 0)
        return fail(ErrorKind::no_candidate,
                    fmt::format("cannot run {} {} on {} ({}): {}: {}", spec.name, problem_key(spec, problem),
                                device.name, device.arch, choice.config, *reason));
      why = "passed over " + choice.config + ": " + *reason;
    } else {
      why = "passed over what cannot be launched: " + plan.error().message;
    }
    if (unusable.empty()) unusable.push_back(std::move(why));
    entries.erase(entries.begin() + entry);
  }
  choice.explanation = explain(tuned, choice, device, unusable);
  return choice;
}

Result<std::optional<CubinRecord>> Catalog::cubin(const std::string& hash) const {
  const std::lock_guard lock(mutex_);
  return reader_.cubin(hash);
}

} // namespace warptune
