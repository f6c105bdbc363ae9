#include "runtime/catalog.h"

#include "core/device_table.h"
#include "core/sha256.h"
#include "core/text.h"
#include "db/tuned_entries.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {

std::string image_digest(const CubinRecord& cubin) {
  std::string names;
  for (const std::string& name : cubin.lowered_names) names += fmt::format("{}:{}", name.size(), name);
  return sha256_hex(fmt::format("{}{}{}", hex_text(sha256(cubin.image)), cubin.arch, names));
}

Result<std::unique_ptr<Catalog>> Catalog::open(const std::string& path) {
  const std::filesystem::path file = database_path(path);
  WT_TRY(auto reader, Reader::open(file));
  WT_TRY(auto names, reader.kernel_names());
  WT_TRY(auto devices, reader.devices());
  std::unique_ptr<Catalog> catalog(new Catalog(std::move(reader)));
  catalog->path_ = file;
  catalog->is_pack_ = catalog->reader_.pack().has_value();
  catalog->names_ = std::move(names);
  catalog->devices_ = std::move(devices);
  return catalog;
}

Result<std::unique_ptr<Catalog>> Catalog::open_or_empty(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown) || unknown || path.extension() == ".wtpack") return open(path.string());
  WT_TRY(auto reader, Reader::open_empty(path));
  std::unique_ptr<Catalog> catalog(new Catalog(std::move(reader)));
  catalog->path_ = path;
  catalog->is_absent_ = true;
  return catalog;
}

Result<std::shared_ptr<TunedKernel>> Catalog::load_kernel(const std::string& name) const {
  WT_TRY(auto record, reader_.kernel(name));
  const auto made = std::make_shared<TunedKernel>();
  TunedKernel& tuned = *made;
  if (record) {
    WT_TRY(auto spec, spec_of(*record));
    tuned.kernel = {std::move(spec), SourceFiles{std::move(record->files)}, record->source_hash, "the database"};
  } else if (is_pack_) {
    return fail(ErrorKind::bad_input,
                fmt::format("unknown kernel {}{}", quote(name),
                            names_.empty() ? "; the pack contains no kernels" : suggest_name(name, names_)));
  } else {
    const TemplateStore store = TemplateStore::standard();
    auto kernel = store.load(name);
    if (!kernel) {
      std::vector<std::string> known = store.names();
      const bool is_broken = std::find(known.begin(), known.end(), name) != known.end();
      if (is_broken || name.empty() || name.find('/') != std::string::npos) return fail(kernel.error());
      known.insert(known.end(), names_.begin(), names_.end());
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
      return fail(ErrorKind::bad_input,
                  fmt::format("unknown kernel {}{}", quote(name),
                              known.empty() ? "; the database contains no kernels, and no templates are installed "
                                              "beside this library; install the "
                                              "package warptune, or set WARPTUNE_TEMPLATES"
                                            : suggest_name(name, known)));
    }
    tuned.kernel = std::move(*kernel);
  }
  return made;
}

Result<TunedResults> Catalog::make_results(const Kernel& kernel, std::vector<BestRecord> rows) const {
  WT_TRY(TunedEntries made, make_tuned_entries(reader_, rows, kernel.spec, kernel.source_hash));
  TunedResults results{std::move(made.entries), {}, {}, std::move(made.notes)};
  for (const TunedEntry& entry : results.entries) results.configs.insert(entry.config);
  for (BestRecord& row : rows)
    // Cubins compiled from former sources do not match these entries.
    if (!row.cubin_hash.empty() && row.source_hash == kernel.source_hash)
      results.cubins.emplace(row.id, NamedCubin{std::move(row.cubin_hash), std::move(row.compiler)});
  return results;
}

Result<TunedResults> Catalog::results_of(const TunedKernel& tuned, const Problem& problem) const {
  const std::lock_guard lock(mutex_);
  const KernelSpec& spec = tuned.kernel.spec;
  // One list can be written in several ways, so the rows of this problem are found only by parsing all of them.
  WT_TRY(auto rows,
         spec.lists.empty() ? reader_.best_of_problem(spec.name, problem_key(spec, problem)) : reader_.best(spec.name));
  return make_results(tuned.kernel, std::move(rows));
}

const TunedResults* Catalog::find_all_results(const TunedKernel& tuned) const {
  const std::lock_guard lock(mutex_);
  return tuned.all.get();
}

Result<const TunedResults*> Catalog::all_results(const TunedKernel& tuned) const {
  const std::lock_guard lock(mutex_);
  if (!tuned.all) {
    WT_TRY(auto rows, reader_.best(tuned.kernel.spec.name));
    WT_TRY(auto results, make_results(tuned.kernel, std::move(rows)));
    tuned.all = std::make_unique<const TunedResults>(std::move(results));
  }
  return tuned.all.get();
}

Result<std::shared_ptr<const LearnedRule>> Catalog::learned_rule(const TunedKernel& tuned, const Problem& problem,
                                                                 const DeviceInfo& device) const {
  constexpr std::size_t kMaxRules = 32; // in a large database, problems have different neighbours
  const std::lock_guard lock(mutex_);
  const KernelSpec& spec = tuned.kernel.spec;
  WT_TRY(auto near, reader_.near_problems(spec, problem, device));
  if (const auto known = tuned.learned.find(near); known != tuned.learned.end()) return known->second;
  WT_TRY(auto learned, load_learned_rule(reader_, spec, tuned.kernel.source_hash, near));
  if (tuned.learned.size() >= kMaxRules) tuned.learned.clear();
  return tuned.learned.emplace(std::move(near), std::make_shared<const LearnedRule>(std::move(learned))).first->second;
}

Result<std::shared_ptr<const TunedKernel>> Catalog::kernel(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = kernels_.find(name); found != kernels_.end()) return found->second;
  WT_TRY(auto loaded, load_kernel(name));
  return kernels_.emplace(name, std::move(loaded)).first->second;
}

Result<DeviceInfo> Catalog::device(const std::string& name) const {
  for (const DeviceInfo& device : devices_)
    if (!name.empty() && (device.name == name || device.uuid == name)) return device;
  // The device that is assumed on machines without a GPU: available even if the database has no row of it.
  if (DeviceInfo device = h200_device(); device.name == name) return device;
  if (auto device = device_of_arch(name)) return *device;
  std::vector<std::string> known = known_archs();
  for (const DeviceInfo& device : devices_)
    if (std::find(known.begin(), known.end(), device.name) == known.end()) known.push_back(device.name);
  return fail(ErrorKind::no_device, fmt::format("unknown device {}{}", quote(name), suggest_name(name, known)));
}

Result<StoredProgram> Catalog::find_stored(const std::string& hash, std::string& unusable) const {
  const std::lock_guard lock(mutex_);
  if (const auto known = programs_.find(hash); known != programs_.end()) {
    if (!known->second.unusable.empty()) unusable = known->second.unusable;
    if (known->second.digest.empty()) return StoredProgram{};
    return StoredProgram{hash, known->second.digest, nullptr};
  }
  auto found = reader_.cubin(hash);
  if (!found && found.error().kind != ErrorKind::database) return fail(found.error());
  if (!found) {
    unusable = "its stored cubin cannot be used: " + found.error().message;
    if (is_pack_) programs_.insert_or_assign(hash, KnownProgram{{}, unusable}); // a database may only have been busy
    return StoredProgram{};
  }
  KnownProgram known;
  if (*found && !(*found)->image.empty()) known.digest = image_digest(**found);
  programs_.insert_or_assign(hash, known); // all fields at once, or no entry
  if (known.digest.empty()) return StoredProgram{};
  return StoredProgram{hash, known.digest, std::make_shared<const CubinRecord>(std::move(**found))};
}

void Catalog::set_unusable(const std::string& hash, const std::string& why) const {
  const std::lock_guard lock(mutex_);
  programs_.insert_or_assign(hash, KnownProgram{{}, why});
}

Result<std::optional<CubinRecord>> Catalog::cubin(const std::string& hash) const {
  const std::lock_guard lock(mutex_);
  return reader_.cubin(hash);
}

} // namespace warptune
