#include "runtime/programs.h"

#include "gpu/capture.h"
#include "jit/cached_compile.h"
#include "runtime/catalog.h"

#include <compare>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <utility>

namespace warptune {
namespace {

// Programs are never unloaded: that would have to wait for kernels in flight, and touch contexts that may be gone or a
// driver that is shutting down. They end with their context; a library that is opened again finds them here. For the
// same reason the registry itself is never destroyed.
struct ProgramId {
  std::uint64_t context = 0;
  std::string key;    // program key
  std::string digest; // image_digest of what a file held; empty: compiled by this process
  auto operator<=>(const ProgramId&) const = default;
};

struct Registry {
  std::mutex mutex; // also guards the attributes of functions while a sequence is made
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
                                  const std::vector<std::string>& lowered_names) {
  Registry& programs = registry();
  const std::lock_guard lock(programs.mutex);
  if (const auto found = programs.loaded.find(id); found != programs.loaded.end()) return &found->second;
  auto kernels = load_kernels(driver, image, lowered_names);
  if (!kernels) return tl::make_unexpected(kernels.error());
  return &programs.loaded.emplace(id, std::move(*kernels)).first->second;
}

// nullptr: the record is no usable cubin of this program; `why` says what is wrong with it.
const LoadedKernels* load_record(const Driver& driver, const ProgramRequest& request, const CubinRecord& cubin,
                                 const std::string& digest, std::string& why) {
  if (cubin.arch != request.arch || cubin.image.empty() ||
      cubin.lowered_names.size() != request.plan.compile.name_expressions.size()) {
    why = fmt::format("the stored cubin {:.12} is for {}", cubin.hash, cubin.arch);
    return nullptr;
  }
  auto loaded = load(driver, {request.context, request.key, digest}, cubin.image, cubin.lowered_names);
  if (loaded) return *loaded;
  why = loaded.error().message;
  return nullptr;
}

const LoadedKernels* load_stored(const Driver& driver, const ProgramRequest& request, const std::string& hash,
                                 std::string& why) {
  const auto record = request.find_stored(hash);
  if (!record) why = record.error().message;
  if (!record || !*record) return nullptr;
  return load_record(driver, request, **record, image_digest(**record), why);
}

Result<const LoadedKernels*> compile_and_load(const Driver& driver, const ProgramRequest& request) {
  const auto result = compile_cached(CubinCache(), request.plan.compile, 0);
  if (!result) return tl::make_unexpected(result.error());
  if (!*result)
    return fail(ErrorKind::no_candidate,
                fmt::format("{} does not compile for {}:\n{}", request.plan.compile.source_name, request.arch,
                            result->error().log));
  return load(driver, {request.context, request.key, {}}, (*result)->image, (*result)->lowered_names);
}

Result<const LoadedKernels*> find_program(const Driver& driver, const ProgramRequest& request) {
  std::string why;
  if (!request.stored.empty()) {
    const LoadedKernels* found =
        request.digest.empty() ? nullptr : find_loaded({request.context, request.key, request.digest});
    if (found == nullptr) found = load_stored(driver, request, request.stored, why);
    if (found != nullptr) return found;
  }
  if (const LoadedKernels* found = find_loaded({request.context, request.key, {}})) return found;
  if (request.compiled)
    if (const LoadedKernels* found = load_record(driver, request, *request.compiled, {}, why)) return found;
  if (!request.may_compile)
    return fail(ErrorKind::no_candidate, why.empty() ? "the file holds no program for it, and nothing is compiled"
                                                     : "its stored program cannot be used: " + why);
  // The tuner stores programs under the compiler's key.
  if (const std::string key = compile_key(request.plan.compile); key != request.stored)
    if (const LoadedKernels* found = load_stored(driver, request, key, why)) return found;
  auto compiled = compile_and_load(driver, request);
  if (!compiled && !why.empty())
    return fail(compiled.error().kind,
                fmt::format("{} (and the stored program cannot be used: {})", compiled.error().message, why));
  return compiled;
}

} // namespace

bool is_compiled_loaded(std::uint64_t context, const std::string& key) {
  return find_loaded({context, key, {}}) != nullptr;
}

Result<LaunchSequence> make_sequence(const Driver& driver, const ProgramRequest& request,
                                     std::span<const CUdeviceptr> buffers) {
  const RelaxedCapture relaxed(driver);
  const auto program = find_program(driver, request);
  if (!program) return tl::make_unexpected(program.error());
  const std::lock_guard lock(registry().mutex);
  return LaunchSequence::make(driver, request.plan, (*program)->functions, buffers);
}

} // namespace warptune
