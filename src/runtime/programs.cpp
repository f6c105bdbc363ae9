#include "runtime/programs.h"

#include "jit/cached_compile.h"

#include <fmt/format.h>
#include <map>
#include <mutex>
#include <utility>

namespace warptune {
namespace {

// Programs are never unloaded: that would have to wait for kernels in flight, and touch contexts that may be gone or a
// driver that is shutting down. They end with their context; a library that is opened again finds them here. For the
// same reason the registry itself is never destroyed.
struct Registry {
  std::mutex mutex; // also guards the attributes of functions while a sequence is made
  std::map<std::pair<std::uint64_t, std::string>, LoadedKernels> loaded; // by context and cubin hash
};

Registry& registry() {
  static Registry& only = *new Registry;
  return only;
}

// Precondition for all below: the registry's lock is held where a Registry is passed.
const LoadedKernels* find_loaded(const Registry& programs, std::uint64_t context, const std::string& hash) {
  const auto found = programs.loaded.find({context, hash});
  return found == programs.loaded.end() ? nullptr : &found->second;
}

Result<const LoadedKernels*> load(Registry& programs, const Driver& driver, const ProgramRequest& request,
                                  const std::string& hash, const std::string& image,
                                  const std::vector<std::string>& lowered_names) {
  if (const LoadedKernels* found = find_loaded(programs, request.context, hash)) return found;
  auto kernels = load_kernels(driver, image, lowered_names);
  if (!kernels) return tl::make_unexpected(kernels.error());
  return &programs.loaded.emplace(std::pair(request.context, hash), std::move(*kernels)).first->second;
}

// nullptr: the database has no usable cubin of this hash; `why` says what was wrong with it.
const LoadedKernels* load_stored(const Driver& driver, const ProgramRequest& request, const std::string& hash,
                                 std::string& why) {
  Registry& programs = registry();
  {
    const std::lock_guard lock(programs.mutex);
    if (const LoadedKernels* found = find_loaded(programs, request.context, hash)) return found;
  }
  const auto record = request.find_stored(hash);
  if (!record) {
    why = record.error().message;
    return nullptr;
  }
  if (!*record) return nullptr;
  const CubinRecord& cubin = **record;
  if (cubin.arch != request.arch || cubin.image.empty() ||
      cubin.lowered_names.size() != request.plan.compile.name_expressions.size()) {
    why = fmt::format("the database's cubin {:.12} is for {}", hash, cubin.arch);
    return nullptr;
  }
  const std::lock_guard lock(programs.mutex);
  auto loaded = load(programs, driver, request, hash, cubin.image, cubin.lowered_names);
  if (loaded) return *loaded;
  why = loaded.error().message;
  return nullptr;
}

Result<const LoadedKernels*> load_compiled(const Driver& driver, const ProgramRequest& request,
                                           const std::string& key) {
  const auto result = compile_cached(CubinCache(), request.plan.compile, 0);
  if (!result) return tl::make_unexpected(result.error());
  if (!*result)
    return fail(ErrorKind::no_candidate,
                fmt::format("{} does not compile for {}:\n{}", request.plan.compile.source_name, request.arch,
                            result->error().log));
  const Cubin& cubin = **result;
  Registry& programs = registry();
  const std::lock_guard lock(programs.mutex);
  return load(programs, driver, request, key, cubin.image, cubin.lowered_names);
}

Result<const LoadedKernels*> find_program(const Driver& driver, const ProgramRequest& request) {
  std::string why;
  if (!request.stored_hash.empty())
    if (const LoadedKernels* found = load_stored(driver, request, request.stored_hash, why)) return found;
  const std::string key = compile_key(request.plan.compile);
  if (key != request.stored_hash)
    if (const LoadedKernels* found = load_stored(driver, request, key, why)) return found;
  auto compiled = load_compiled(driver, request, key);
  if (!compiled && !why.empty())
    return fail(compiled.error().kind,
                fmt::format("{} (and the stored program cannot be used: {})", compiled.error().message, why));
  return compiled;
}

} // namespace

Result<LaunchSequence> make_sequence(const Driver& driver, const ProgramRequest& request,
                                     std::span<const CUdeviceptr> buffers) {
  const auto program = find_program(driver, request);
  if (!program) return tl::make_unexpected(program.error());
  const std::lock_guard lock(registry().mutex);
  return LaunchSequence::make(driver, request.plan, (*program)->functions, buffers);
}

} // namespace warptune
