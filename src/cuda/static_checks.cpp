#include "cuda/static_checks.h"

#include "core/sha256.h"
#include "cuda/candidate.h"
#include "jit/build.h"
#include "jit/kernel_parameters.h"
#include "jit/program_checks.h"
#include "jit/ptxas_log.h"
#include "plan/launch_needs.h"
#include "plan/program_symbol.h"

#include <chrono>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr std::size_t kMaxEvidence = 8000;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Cache key for the verdict that no cubin compiled from this request can be launched with this plan.
std::string verdict_key(const LaunchPlan& plan, const std::string& compile_key, const DeviceLimits& limits) {
  std::string all =
      fmt::format("not launchable {} {} {}", compile_key, limits.registers_per_sm, limits.max_shared_per_block);
  for (const KernelLaunch& launch : plan.launches) {
    const BlockNeeds needs = needs_of(plan, launch, {});
    all += fmt::format(" {} {} {}", launch.name_expression, needs.threads, needs.dynamic_shared_bytes);
  }
  return sha256_hex(all);
}

void take_cubin(Compiled& compiled, const LaunchPlan& plan, const Cubin& cubin, const DeviceLimits& limits,
                bool is_built) {
  compiled.cubin_hash = cubin.hash;
  compiled.resources = heaviest_resources(plan, cubin.resources);
  if (auto why = why_not_launchable(plan, cubin.resources, limits)) {
    compiled.status = TrialStatus::invalid;
    compiled.evidence = std::move(*why);
  } else if (auto exceeds = why_block_exceeds_bounds(plan, cubin)) {
    compiled.status = TrialStatus::invalid;
    compiled.evidence = *exceeds + "; pass the param that sets the block size to the kernel (with compile.defines or a "
                                   "template argument), or raise the bound";
  } else if (auto misfit = why_arguments_do_not_fit(plan, cubin, is_built)) {
    compiled.status = TrialStatus::compile_failed;
    compiled.evidence = std::move(*misfit);
  }
}

void fail_compile(Compiled& compiled, const CompileFailure& failure) {
  compiled.status = failure.crashed                      ? TrialStatus::crashed
                    : failure.timed_out                  ? TrialStatus::timed_out
                    : exceeds_shared_memory(failure.log) ? TrialStatus::invalid
                                                         : TrialStatus::compile_failed;
  compiled.evidence = shorten_evidence(failure.log);
}

// For other compilers nothing can be checked before they have built the whole program.
Compiled build_checked(const CubinCache& cache, const LaunchPlan& plan, const CompileRequest& request,
                       const DeviceLimits& limits, double timeout_s) {
  Compiled result;
  const auto begin = std::chrono::steady_clock::now();
  const auto made = make_program(cache, request, timeout_s);
  result.compile_ms = seconds_since(begin) * 1e3;
  if (!made) {
    result.status = TrialStatus::compile_failed;
    result.evidence = made.error().message;
    result.no_verdict = true;
  } else if (!*made) {
    fail_compile(result, made->error());
  } else {
    LaunchPlan adapted = plan;
    adapt_launches(adapted, (*made)->lowered_names);
    take_cubin(result, adapted, **made, limits, true);
  }
  return result;
}

} // namespace

std::string shorten_evidence(std::string text) {
  if (text.size() <= kMaxEvidence) return text;
  text.resize(kMaxEvidence);
  return text + "\n[...]";
}

std::optional<std::string> why_not_launchable(const LaunchPlan& plan, const std::vector<KernelResources>& resources,
                                              const DeviceLimits& limits) {
  for (const KernelLaunch& launch : plan.launches) {
    const BlockNeeds needs = needs_of(plan, launch, resources);
    const OccupancyEstimate estimate = estimate_occupancy(needs, limits);
    if (estimate.blocks_per_sm > 0) continue;
    if (estimate.limit == OccupancyLimit::registers)
      return fmt::format("{}: {} threads of {} registers take {} registers, but a multiprocessor has {}; limit "
                         "the registers with __launch_bounds__, or use smaller blocks",
                         launch.name_expression, needs.threads, needs.registers, registers_of_block(needs),
                         limits.registers_per_sm);
    return fmt::format("{}: a block of {} threads needs {} bytes of shared memory ({} static, {} dynamic), but this "
                       "device allows at most {} per block",
                       launch.name_expression, needs.threads, needs.static_shared_bytes + needs.dynamic_shared_bytes,
                       needs.static_shared_bytes, needs.dynamic_shared_bytes, limits.max_shared_per_block);
  }
  return std::nullopt;
}

Compiled compile_checked(const CubinCache& cache, Prescreen& prescreen, const LaunchPlan& plan,
                         const CompileRequest& request, const DeviceLimits& limits, double timeout_s) {
  if (request.build) return build_checked(cache, plan, request, limits, timeout_s);
  Compiled result;
  const auto begin = std::chrono::steady_clock::now();
  const auto check = [&](const std::vector<KernelResources>& resources) {
    return why_not_launchable(plan, resources, limits);
  };
  const std::string key = compile_key(request);
  const auto hopeless = [&](std::string why) {
    result.status = TrialStatus::invalid;
    result.evidence = shorten_evidence(std::move(why));
    result.compile_ms = seconds_since(begin) * 1e3;
    return result;
  };
  auto compiled = cache.find(key);
  if (!compiled) {
    const std::string verdict = verdict_key(plan, key, limits);
    if (const auto known = cache.find(verdict); known && !*known) return hopeless(known->error().log);
    if (auto why = prescreen.find_hopeless(request, check, timeout_s)) {
      (void)cache.store(verdict, tl::make_unexpected(CompileFailure{*why}));
      return hopeless(std::move(*why));
    }
    const auto begin_full = std::chrono::steady_clock::now();
    auto made = compile(request, timeout_s);
    if (!made) {
      result.status = TrialStatus::compile_failed;
      result.evidence = made.error().message;
      return result;
    }
    prescreen.learn(*made, seconds_since(begin_full));
    (void)cache.store(key, *made); // if this fails, the compilation is repeated next time
    compiled = std::move(*made);
  }
  result.compile_ms = seconds_since(begin) * 1e3;
  if (!*compiled) {
    fail_compile(result, compiled->error());
    return result;
  }
  take_cubin(result, plan, **compiled, limits, false);
  return result;
}

} // namespace warptune
