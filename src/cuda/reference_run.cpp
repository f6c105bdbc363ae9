#include "cuda/reference_run.h"

#include "cuda/input_fill.h"
#include "jit/cached_compile.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

constexpr double kCompileTimeout = 120, kRunTimeout = 120; // seconds; an oracle is naive but runs once

Error about(const Kernel& kernel, const std::string& what) {
  return {ErrorKind::bad_input,
          fmt::format("{}: the reference {} {}", kernel.origin, kernel.spec.reference.source, what)};
}

// Memory for the buffers that only the oracle has, and the pointers of all of them.
struct Bindings {
  std::vector<CUdeviceptr> pointers;
  std::vector<DeviceMemory> own;
};

// Outputs alone: an inout begins from what it holds before a launch.
bool is_poisoned(const BufferPlan& buffer) { return buffer.role == Role::output && buffer.bytes() > 0; }

// Floats: a NaN first, as for candidates. Others: what is no usual value, unlike -1.
unsigned char poison_of(const BufferPlan& buffer, bool second) {
  if (second) return 0x5A;
  return dtype_is_floating(buffer.dtype) ? 0xFF : 0xA5;
}

Result<Bindings> bind(CudaDevice& device, const Kernel& kernel, const Problem& problem, const LaunchPlan& plan,
                      const std::map<std::string, ReferenceBuffer>& bound, std::uint64_t seed, bool second) {
  const Driver& driver = device.driver();
  const CUstream stream = device.stream.get();
  Bindings bindings;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferPlan& buffer = plan.buffers[i];
    const auto bytes = static_cast<std::size_t>(buffer.bytes());
    if (const auto found = bound.find(buffer.name); found != bound.end()) {
      if (found->second.initial != 0 && bytes > 0) {
        const CUresult status = driver.cuMemcpyDtoDAsync(found->second.data, found->second.initial, bytes, stream);
        WT_CHECK(check_cuda(driver, status, "cannot prepare the reference"));
      }
      if (is_poisoned(buffer)) {
        const CUresult status = driver.cuMemsetD8Async(found->second.data, poison_of(buffer, second), bytes, stream);
        WT_CHECK(check_cuda(driver, status, "cannot prepare the reference"));
      }
      bindings.pointers.push_back(found->second.data);
      continue;
    }
    WT_TRY(auto memory, DeviceMemory::allocate(driver, bytes, fmt::format("the reference's buffer {}", buffer.name)));
    if (buffer.role != Role::workspace && bytes > 0) {
      WT_CHECK(fill_buffer(device.tools, driver, kernel.spec, problem, device.info, buffer, memory.get(), seed,
                           1000 + i, stream));
    }
    bindings.pointers.push_back(memory.get());
    bindings.own.push_back(std::move(memory));
  }
  return bindings;
}

Result<void> run_once(CudaDevice& device, const Kernel& kernel, const Problem& problem, const LaunchPlan& plan,
                      const std::map<std::string, ReferenceBuffer>& bound, std::uint64_t seed, const CubinCache& cache,
                      bool second) {
  const Driver& driver = device.driver();
  const CUstream stream = device.stream.get();
  WT_TRY(const auto request, make_reference_request(kernel.spec, kernel.sources, problem, device.info, plan));
  device.early->wait(request);
  WT_TRY(auto compiled, compile_cached(cache, request, kCompileTimeout));
  if (!compiled) return fail(about(kernel, "does not compile:\n" + compiled.error().log));
  WT_TRY(auto kernels, load_kernels(driver, compiled->image, compiled->lowered_names));
  WT_TRY(auto bindings, bind(device, kernel, problem, plan, bound, seed, second));
  auto sequence = LaunchSequence::make(driver, plan, kernels.functions, bindings.pointers);
  if (!sequence) return fail(about(kernel, "cannot be launched: " + sequence.error().message));
  if (auto launched = sequence->launch(stream); !launched)
    return fail(about(kernel, "cannot be launched: " + launched.error().message));
  CUresult status = driver.cuEventRecord(device.done.get(), stream);
  if (status == CUDA_SUCCESS) status = wait_for_event(driver, device.done.get(), kRunTimeout);
  if (status == CUDA_SUCCESS) return {};
  if (status == CUDA_ERROR_NOT_READY) {
    device.hung = true;
    // The kernel still uses them, and freeing waits for it.
    new Bindings(std::move(bindings));
    new LoadedKernels(std::move(kernels));
    return fail(about(kernel, fmt::format("is still running after {:.0f} s", kRunTimeout)));
  }
  return fail(about(kernel, "fails: " + cuda_error_text(driver, status)));
}

// The first element of each output that still holds its poison, or -1; by position in plan.buffers.
Result<std::vector<std::int64_t>> find_poison(CudaDevice& device, const LaunchPlan& plan,
                                              const std::map<std::string, ReferenceBuffer>& bound, bool second) {
  std::vector<std::int64_t> first(plan.buffers.size(), -1);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const BufferPlan& buffer = plan.buffers[i];
    const auto found = bound.find(buffer.name);
    if (found == bound.end() || !is_poisoned(buffer)) continue;
    WT_TRY(auto at, device.tools.find_element(found->second.data, buffer.dtype, buffer.count, poison_of(buffer, second),
                                              device.stream.get()));
    first[i] = at;
  }
  return first;
}

} // namespace

Result<void> run_reference_plan(CudaDevice& device, const Kernel& kernel, const Problem& problem,
                                const LaunchPlan& plan, const std::map<std::string, ReferenceBuffer>& bound,
                                std::uint64_t seed, const CubinCache& cache) {
  std::vector<std::int64_t> suspects;
  for (const bool second : {false, true}) {
    WT_CHECK(run_once(device, kernel, problem, plan, bound, seed, cache, second));
    WT_TRY(auto poison, find_poison(device, plan, bound, second));
    if (second) {
      // A value that was written is the same in both runs, so it cannot be both poisons. In outputs of one byte a
      // second poison may be met earlier as a value, and a hole be missed.
      for (std::size_t i = 0; i < suspects.size(); ++i)
        if (suspects[i] >= 0 && suspects[i] == poison[i])
          return fail(about(kernel, fmt::format("never writes {}[{}] of {} elements; mend it, or its grid",
                                                plan.buffers[i].name, suspects[i], plan.buffers[i].count)));
      return {};
    }
    suspects = std::move(poison);
    if (std::all_of(suspects.begin(), suspects.end(), [](std::int64_t at) { return at < 0; })) return {};
  }
  return {};
}

Result<void> check_magnitude(const Kernel& kernel, const Tolerance& tolerance, const BufferPlan& output,
                             const Magnitude& magnitude) {
  if (!dtype_is_floating(output.dtype) || output.count == 0) return {};
  if (magnitude.finite == 0)
    return fail(about(kernel, fmt::format("gives no finite value in {}, so nothing can be held to it; "
                                          "mend it, or the fills of the inputs in spec.json",
                                          output.name)));
  if (tolerance.rms > 0 && !std::isfinite(tolerance.rms * magnitude.rms))
    return fail(about(kernel, fmt::format("gives values in {} whose mean square overflows, so the "
                                          "tolerance's rms would accept anything; remove rms from the "
                                          "tolerance, or mend the fills of the inputs in spec.json",
                                          output.name)));
  return {};
}

} // namespace warptune
