#include "jit/cached_compile.h"

#include "jit/nvrtc_library.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace warptune {

std::optional<CompileResult> find_cached(const CubinCache& cache, const CompileRequest& request) {
  auto found = cache.find(compile_key(request));
  if (!found && request.build && !request.build->is_allowed) found = cache.find(last_build_key(request));
  return found;
}

void store_cached(const CubinCache& cache, const CompileRequest& request, const CompileResult& result) {
  (void)cache.store(compile_key(request), result);
  if (request.build && result) (void)cache.store(last_build_key(request), result);
}

CompileFailure not_allowed(const CompileRequest& request) {
  return {fmt::format("{} is built by a command, and build commands run only with --allow-build", request.source_name),
          false, true};
}

Result<CompileResult> compile_cached(const CubinCache& cache, const CompileRequest& request, double timeout_s) {
  if (auto found = find_cached(cache, request)) return std::move(*found);
  if (request.build) return CompileResult(tl::make_unexpected(not_allowed(request)));
  auto compiled = compile(request, timeout_s);
  if (compiled) store_cached(cache, request, *compiled);
  return compiled;
}

CubinProvider make_cubin_provider(CubinCache cache, std::string arch) {
  return [cache = std::move(cache), arch = std::move(arch)](const CompileRequest& request) -> Result<std::string> {
    CompileRequest complete = request;
    complete.options.insert(complete.options.begin(), {"-arch=" + arch, "--std=c++17", "-default-device"});
    WT_TRY(auto compiled, compile_cached(cache, complete, 0));
    if (!compiled)
      return fail(ErrorKind::internal, fmt::format("the utility kernels in {} do not compile for {}:\n{}",
                                                   request.source_name, arch, compiled.error().log));
    return std::move(compiled->image);
  };
}

Result<std::string> supported_arch(const std::string& arch) {
  WT_TRY(auto found, load_nvrtc());
  const NvrtcLibrary& nvrtc = *found;
  int count = 0;
  std::vector<int> known;
  if (nvrtc.nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 0) {
    known.resize(static_cast<std::size_t>(count));
    nvrtc.nvrtcGetSupportedArchs(known.data());
  }
  const int wanted = std::atoi(arch.c_str() + std::min<std::size_t>(3, arch.size()));
  int best = 0;
  for (const int candidate : known)
    if (candidate <= wanted && candidate / 10 == wanted / 10) best = std::max(best, candidate);
  if (best == wanted) return arch;
  if (best != 0) return fmt::format("sm_{}", best);
  return fail(
      ErrorKind::no_device,
      fmt::format("NVRTC {}.{} ({}) cannot compile for {}; install a CUDA Toolkit that supports this GPU, or name one "
                  "with CUDA_HOME or WARPTUNE_NVRTC",
                  nvrtc.info.major, nvrtc.info.minor, nvrtc.info.path, arch));
}

} // namespace warptune
