// The compile request of a configuration, for tests and benchmarks that need a cubin but not its plan.
#pragma once

#include "plan/compile_request.h"

namespace warptune::test {

inline Result<CompileRequest> request_of(const KernelSpec& spec, const SourceFiles& sources, const Problem& problem,
                                         const Config& config, const DeviceInfo& device) {
  WT_TRY(const auto plan, make_plan(spec, problem, config, device));
  return make_compile_request(spec, sources, problem, config, device, plan);
}

} // namespace warptune::test
