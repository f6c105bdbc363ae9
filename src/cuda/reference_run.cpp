#include "cuda/reference_run.h"

#include "cuda/input_fill.h"
#include "gpu/launch.h"
#include "jit/cached_compile.h"
#include "jit/kernel_parameters.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

constexpr double kReferenceTimeout = 120; // seconds, to compile it and to run it; a reference is naive, but runs once

Error about(const Kernel& kernel, const std::string& what) {
  return {ErrorKind::bad_input,
          fmt::format("{}: the reference {} {}", kernel.origin, kernel.spec.reference.source, what)};
}

// A run of one of the two kinds of launches that the operator itself has: reference and prepare.
struct OwnRun {
  CudaDevice& device;
  const Kernel& kernel;
  const Problem& problem;
  const LaunchPlan& plan;
  const std::map<std::string, ReferenceBuffer>& bound;
  std::uint64_t seed;
  const CubinCache& cache;
  bool prepares = false; // computes inputs before the reference runs

  Result<CompileRequest> request() const {
    if (prepares) return make_prepare_request(kernel.spec, kernel.sources, problem, device.info, plan);
    return make_reference_request(kernel.spec, kernel.sources, problem, device.info, plan);
  }
  Error about(const std::string& what) const {
    if (!prepares) return warptune::about(kernel, what);
    return {ErrorKind::bad_input,
            fmt::format("{}: 'prepare' ({}) {}", kernel.origin, kernel.spec.prepare->source, what)};
  }
  // True for buffers that the run must write. Inouts are not poisoned: they begin with their input.
  bool is_poisoned(const BufferPlan& buffer) const {
    const bool is_written =
        prepares ? buffer.role == Role::input && buffer.fill.kind == Fill::Kind::prepared : buffer.role == Role::output;
    return is_written && buffer.bytes() > 0;
  }
};

// The pointers of all buffers, and memory for those that only the reference has.
struct Bindings {
  std::vector<CUdeviceptr> pointers;
  std::vector<DeviceMemory> own;
};

// Floating-point: first a NaN, as for candidates. Integers: unlikely values (0xFF would be -1).
unsigned char poison_of(const BufferPlan& buffer, bool second) {
  if (second) return 0x5A;
  return dtype_is_floating(buffer.dtype) ? 0xFF : 0xA5;
}

Result<Bindings> bind(const OwnRun& run, bool second) {
  CudaDevice& device = run.device;
  const LaunchPlan& plan = run.plan;
  const Driver& driver = device.driver();
  const CUstream stream = device.stream.get();
  Bindings bindings;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferPlan& buffer = plan.buffers[i];
    const auto bytes = static_cast<std::size_t>(buffer.bytes());
    if (const auto found = run.bound.find(buffer.name); found != run.bound.end()) {
      if (found->second.initial != 0 && bytes > 0) {
        const CUresult status = driver.cuMemcpyDtoDAsync(found->second.data, found->second.initial, bytes, stream);
        WT_CHECK(check_cuda(driver, status, "cannot fill its buffers"));
      }
      if (run.is_poisoned(buffer)) {
        const CUresult status = driver.cuMemsetD8Async(found->second.data, poison_of(buffer, second), bytes, stream);
        WT_CHECK(check_cuda(driver, status, "cannot fill its buffers"));
      }
      bindings.pointers.push_back(found->second.data);
      continue;
    }
    WT_TRY(auto memory, DeviceMemory::allocate(driver, bytes, fmt::format("the reference's buffer {}", buffer.name)));
    if (buffer.role != Role::workspace && bytes > 0) {
      WT_CHECK(fill_buffer(device.tools, driver, run.kernel.spec, run.problem, device.info, buffer, memory.get(),
                           run.seed, 1000 + i, stream));
    }
    bindings.pointers.push_back(memory.get());
    bindings.own.push_back(std::move(memory));
  }
  return bindings;
}

Result<void> run_once(const OwnRun& run, bool second) {
  CudaDevice& device = run.device;
  const Driver& driver = device.driver();
  const CUstream stream = device.stream.get();
  WT_TRY(const auto request, run.request());
  device.early->wait(request);
  WT_TRY(auto compiled, compile_cached(run.cache, request, kReferenceTimeout));
  if (!compiled) return fail(run.about("does not compile:\n" + compiled.error().log));
  if (const auto misfit = why_arguments_do_not_fit(run.plan, *compiled))
    return fail(run.about("cannot be launched: " + *misfit));
  WT_TRY(auto kernels, load_kernels(driver, compiled->image, compiled->lowered_names));
  WT_TRY(auto bindings, bind(run, second));
  auto sequence = LaunchSequence::make(driver, run.plan, kernels.functions, bindings.pointers);
  if (!sequence) return fail(run.about("cannot be launched: " + sequence.error().message));
  if (auto launched = sequence->launch(stream); !launched)
    return fail(run.about("cannot be launched: " + launched.error().message));
  CUresult status = driver.cuEventRecord(device.done.get(), stream);
  if (status == CUDA_SUCCESS) status = wait_for_event(driver, device.done.get(), kReferenceTimeout);
  if (status == CUDA_SUCCESS) return {};
  if (status == CUDA_ERROR_NOT_READY) {
    device.hung = true;
    // Leak them: the kernel still uses them, and freeing would wait for it.
    new Bindings(std::move(bindings));
    new LoadedKernels(std::move(kernels));
    return fail(run.about(fmt::format("is still running after {:.0f} s", kReferenceTimeout)));
  }
  return fail(run.about("fails: " + cuda_error_text(driver, status)));
}

// The first element of each output that still holds its poison, or -1; indexed like plan.buffers.
Result<std::vector<std::int64_t>> find_poison(const OwnRun& run, bool second) {
  const LaunchPlan& plan = run.plan;
  std::vector<std::int64_t> first(plan.buffers.size(), -1);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const BufferPlan& buffer = plan.buffers[i];
    const auto found = run.bound.find(buffer.name);
    if (found == run.bound.end() || !run.is_poisoned(buffer)) continue;
    WT_TRY(auto at, run.device.tools.find_element(found->second.data, buffer.dtype, buffer.count, buffer.rows,
                                                  poison_of(buffer, second), run.device.stream.get()));
    first[i] = at;
  }
  return first;
}

Result<void> run_and_check(const OwnRun& run) {
  std::vector<std::int64_t> suspects;
  for (const bool second : {false, true}) {
    WT_CHECK(run_once(run, second));
    WT_TRY(auto poison, find_poison(run, second));
    if (second) {
      // Both runs write the same values, so an element that holds both poisons was never written. In outputs of one
      // byte, the second poison may occur earlier as a value, and hide a gap.
      for (std::size_t i = 0; i < suspects.size(); ++i)
        if (suspects[i] >= 0 && suspects[i] == poison[i])
          return fail(run.about(fmt::format(
              "never writes {0}[{1}] ({0} has {2} elements); correct the kernel or its grid", run.plan.buffers[i].name,
              suspects[i], run.plan.buffers[i].rows.elements(run.plan.buffers[i].count))));
      return {};
    }
    suspects = std::move(poison);
    if (std::all_of(suspects.begin(), suspects.end(), [](std::int64_t at) { return at < 0; })) return {};
  }
  return {};
}

} // namespace

Result<void> run_reference_plan(CudaDevice& device, const Kernel& kernel, const Problem& problem,
                                const LaunchPlan& plan, const std::map<std::string, ReferenceBuffer>& bound,
                                std::uint64_t seed, const CubinCache& cache) {
  return run_and_check({device, kernel, problem, plan, bound, seed, cache, false});
}

Result<void> run_prepare_plan(CudaDevice& device, const Kernel& kernel, const Problem& problem, const LaunchPlan& plan,
                              const std::map<std::string, ReferenceBuffer>& bound, std::uint64_t seed,
                              const CubinCache& cache) {
  return run_and_check({device, kernel, problem, plan, bound, seed, cache, true});
}

Result<void> check_magnitude(const Kernel& kernel, const Tolerance& tolerance, const BufferPlan& output,
                             const Magnitude& magnitude) {
  if (!dtype_is_floating(output.dtype) || output.count == 0) return {};
  if (magnitude.finite == 0)
    return fail(about(kernel, fmt::format("gives no finite value in {}, so nothing can be compared with it; correct "
                                          "the kernel, or the fills of the inputs in spec.json",
                                          output.name)));
  if (tolerance.rms > 0 && !std::isfinite(tolerance.rms * magnitude.rms))
    return fail(about(kernel, fmt::format("gives values in {} whose mean square overflows, so the "
                                          "tolerance's rms would accept anything; remove rms from the "
                                          "tolerance, or fix the fills of the inputs in spec.json",
                                          output.name)));
  return {};
}

} // namespace warptune
