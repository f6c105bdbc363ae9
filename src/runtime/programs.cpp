#include "runtime/programs.h"

#include "gpu/capture.h"
#include "jit/compile_process.h"
#include "plan/program_symbol.h"

#include <compare>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <utility>

namespace warptune {
namespace {

// Programs are never unloaded: unloading would have to wait for running kernels, and could touch destroyed contexts or
// a driver that is shutting down. They are freed with their context, and a library that is opened again finds them
// here. For the same reason the registry is never destroyed.
struct ProgramId {
  std::uint64_t context = 0;
  std::string key;    // program key
  std::string digest; // image_digest of a cubin from a file; empty: compiled by this process
  auto operator<=>(const ProgramId&) const = default;
};

struct Registry {
  std::mutex mutex; // also held while make_sequence sets attributes of functions
  std::map<ProgramId, LoadedKernels> loaded;
};

Registry& registry() {
  static Registry& only = *new Registry;
  return only;
}

const LoadedKernels* find_loaded(const ProgramId& id) {
  Registry& programs = registry();
  const std::lock_guard lock(programs.mutex);
  const auto found = programs.loaded.find(id);
  return found == programs.loaded.end() ? nullptr : &found->second;
}

Result<const LoadedKernels*> load(const Driver& driver, const ProgramId& id, const std::string& image,
                                  const std::vector<std::string>& lowered_names, std::size_t symbols) {
  Registry& programs = registry();
  const std::lock_guard lock(programs.mutex);
  if (const auto found = programs.loaded.find(id); found != programs.loaded.end()) return &found->second;
  WT_TRY(auto kernels, load_kernels(driver, image, lowered_names, symbols));
  return &programs.loaded.emplace(id, std::move(kernels)).first->second;
}

// Fails with no_candidate if the record is not a usable cubin of this program.
Result<const LoadedKernels*> load_record(const Driver& driver, const ProgramRequest& request, const CubinRecord& cubin,
                                         const std::string& digest) {
  if (cubin.arch != request.arch || cubin.image.empty() ||
      cubin.lowered_names.size() != request.compile.name_expressions.size())
    return fail(
        ErrorKind::no_candidate,
        fmt::format("the stored cubin {:.12} ({}) does not match the architecture or the kernels of this launch",
                    cubin.hash, cubin.arch));
  return load(driver, {request.context, request.program.key, digest}, cubin.image, cubin.lowered_names,
              count_symbols(request.compile.name_expressions));
}

// Loads a stored cubin; nullptr if the file does not contain it.
Result<const LoadedKernels*> load_stored(const Driver& driver, const ProgramRequest& request,
                                         const StoredProgram& stored) {
  if (!stored.digest.empty())
    if (const LoadedKernels* found = find_loaded({request.context, request.program.key, stored.digest})) return found;
  if (stored.record) return load_record(driver, request, *stored.record, stored.digest);
  const auto record = request.read_stored(stored.hash);
  if (!record && record.error().kind == ErrorKind::database)
    return fail(ErrorKind::no_candidate, record.error().message);
  WT_CHECK(record);
  if (!*record) return nullptr;
  return load_record(driver, request, **record, image_digest(**record));
}

Result<const LoadedKernels*> compile_and_load(const Driver& driver, const ProgramRequest& request) {
  WT_TRY(const auto result, compile_where(request.compile_program, CubinCache(), request.compile));
  if (!result)
    return fail(ErrorKind::no_candidate, fmt::format("{} does not compile for {}:\n{}", request.compile.source_name,
                                                     request.arch, result.error().log));
  return load(driver, {request.context, request.program.key, {}}, result->image, result->lowered_names,
              count_symbols(request.compile.name_expressions));
}

Result<const LoadedKernels*> find_program(const Driver& driver, const ProgramRequest& request) {
  std::string unusable = request.program.unusable;
  // True if the search ends here: a program was found, or another source of it would fail in the same way.
  const auto ends = [&](const Result<const LoadedKernels*>& loaded) {
    if (loaded) return *loaded != nullptr;
    if (loaded.error().kind != ErrorKind::no_candidate) return true;
    unusable = "its stored cubin cannot be used: " + loaded.error().message;
    return false;
  };
  if (!request.program.stored.hash.empty())
    if (auto loaded = load_stored(driver, request, request.program.stored); ends(loaded)) return loaded;
  if (const LoadedKernels* found = find_loaded({request.context, request.program.key, {}})) return found;
  if (request.compiled)
    if (auto loaded = load_record(driver, request, *request.compiled, {}); ends(loaded)) return loaded;
  if (!request.may_compile)
    return fail(ErrorKind::no_candidate,
                unusable.empty()
                    ? "the file contains no cubin for this configuration, and compiling it is not allowed here"
                    : unusable);
  // The tuner stores programs under the compiler's key.
  if (const std::string key = compile_key(request.compile); key != request.program.stored.hash)
    if (auto loaded = load_stored(driver, request, {key, {}, nullptr}); ends(loaded)) return loaded;
  auto compiled = compile_and_load(driver, request);
  if (!compiled && !unusable.empty())
    return fail(compiled.error().kind, fmt::format("{} (and {})", compiled.error().message, unusable));
  return compiled;
}

} // namespace

bool is_compiled_loaded(std::uint64_t context, const std::string& key) {
  return find_loaded({context, key, {}}) != nullptr;
}

Result<const LoadedKernels*> load_program(const Driver& driver, const ProgramRequest& request) {
  const RelaxedCapture relaxed(driver);
  return find_program(driver, request);
}

Result<LaunchSequence> make_sequence(const Driver& driver, const LaunchPlan& plan, const LoadedKernels& program,
                                     std::span<const CUdeviceptr> buffers) {
  const RelaxedCapture relaxed(driver);
  const std::lock_guard lock(registry().mutex);
  LaunchPlan adapted = plan;
  adapt_launches(adapted, program.names);
  return LaunchSequence::make(driver, adapted, program.functions, buffers, program.symbols);
}

} // namespace warptune
