#include "tuner/built_candidates.h"

#include "core/device.h"
#include "jit/cubin_cache.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {

Result<Builders> allowed_builders(const Kernel& kernel, const SessionOptions& options, const std::atomic<bool>* stop) {
  if (!options.allow_build || is_recorded_device(options.device) || !has_built(kernel.spec)) return Builders{};
  return find_builders(kernel, stop);
}

Result<SearchSpace> session_space(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                                  const SessionOptions& options, std::vector<std::string>& notes) {
  const KernelSpec& spec = kernel.spec;
  const bool with_built = options.allow_build || is_recorded_device(options.device) || !has_built(spec);
  auto whole = SearchSpace::build(spec, problem, device);
  if (with_built || !whole) return whole;
  const bool all_built = std::all_of(spec.implementations.begin(), spec.implementations.end(),
                                     [](const Implementation& one) { return one.build.has_value(); });
  if (all_built)
    return fail(
        ErrorKind::no_candidate,
        fmt::format(
            "{} is built by a command, and build commands run only with --allow-build; read {} before you allow it",
            spec.name, kernel.origin));
  WT_TRY(auto space, SearchSpace::build(spec, problem, device, false));
  if (const std::int64_t left_out = whole->size() - space.size(); left_out > 0)
    notes.push_back(fmt::format("{} of {} configurations were left out, because commands in the kernel's spec.json or "
                                "implementation.json build them; --allow-build runs these commands",
                                left_out, whole->size()));
  return space;
}

Result<void> restore_built(const Reader& reader, const BestRecord& row, const std::filesystem::path& cache) {
  const CubinCache cubins(cache);
  if (row.cubin_hash.empty() || cubins.find(row.cubin_hash)) return {};
  WT_TRY(auto record, reader.cubin(row.cubin_hash));
  if (!record) return {};
  Cubin cubin;
  cubin.hash = row.cubin_hash;
  cubin.resources.resize(record->lowered_names.size());
  cubin.image = std::move(record->image);
  cubin.lowered_names = std::move(record->lowered_names);
  return cubins.store(row.cubin_hash, cubin);
}

Result<Builders> builders_for_run(const Kernel& kernel, const Config& config, bool allow_build, const Reader* reader) {
  if (!kernel.spec.implementation(config).build) return Builders{};
  if (allow_build) return find_builders(kernel);
  Builders builders;
  if (!reader) return builders;
  WT_TRY(const auto rows, reader->best(kernel.spec.name));
  const std::string text = config_text(kernel.spec, config);
  for (const BestRecord& row : rows) {
    if (row.config != text || row.source_hash != kernel.source_hash) continue;
    WT_CHECK(restore_built(*reader, row, {}));
    builders = builders_of(row.compiler);
  }
  return builders;
}

} // namespace warptune
