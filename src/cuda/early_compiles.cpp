#include "cuda/early_compiles.h"

#include "cuda/problem_buffers.h"
#include "gpu/device_tools.h"
#include "jit/cached_compile.h"
#include "jit/compiler.h"

#include <utility>

namespace warptune {
namespace {

constexpr double kTimeout = 120; // seconds

} // namespace

EarlyCompiles::EarlyCompiles(const CubinProvider& provider, const CubinCache& cache,
                             std::vector<CompileRequest> utilities, std::vector<CompileRequest> complete) {
  for (CompileRequest& request : utilities) {
    std::string key = compile_key(request);
    if (running_.count(key) != 0) continue;
    running_.emplace(std::move(key), std::async(std::launch::async,
                                                [provider, request = std::move(request)] { (void)provider(request); }));
  }
  for (CompileRequest& request : complete) {
    std::string key = compile_key(request);
    if (running_.count(key) != 0) continue;
    running_.emplace(std::move(key), std::async(std::launch::async, [cache, request = std::move(request)] {
                       (void)compile_cached(cache, request, kTimeout);
                     }));
  }
}

void EarlyCompiles::wait(const CompileRequest& request) const {
  if (running_.empty()) return;
  const auto found = running_.find(compile_key(request));
  if (found != running_.end()) found->second.wait();
}

ProblemPrograms find_programs(const Kernel& kernel, const Problem& problem, const DeviceInfo& device) {
  ProblemPrograms programs;
  programs.utilities.push_back(DeviceTools::memory_program());
  auto reference = make_reference_plan(kernel.spec, problem, device);
  auto buffers = plan_problem_buffers(kernel, problem, device);
  if (!reference || !buffers) return programs; // opening the problem reports the error
  for (const BufferPlan& buffer : *buffers) {
    if (buffer.role != Role::output && !buffer.fill.is_made_on_host() && buffer.fill.kind != Fill::Kind::prepared)
      programs.utilities.push_back(DeviceTools::fill_program(buffer.dtype));
    if (buffer.role == Role::input) continue;
    for (const BufferPlan& of_reference : reference->buffers)
      if (of_reference.name == buffer.name)
        programs.utilities.push_back(DeviceTools::compare_program(buffer.dtype, of_reference.dtype));
  }
  if (auto request = make_reference_request(kernel.spec, kernel.sources, problem, device, *reference))
    programs.complete.push_back(std::move(*request));
  if (!kernel.spec.prepare) return programs;
  const auto plan = make_prepare_plan(kernel.spec, problem, device);
  if (!plan || plan->launches.empty()) return programs;
  if (auto request = make_prepare_request(kernel.spec, kernel.sources, problem, device, *plan))
    programs.complete.push_back(std::move(*request));
  return programs;
}

} // namespace warptune
