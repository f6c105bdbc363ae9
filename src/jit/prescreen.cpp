#include "jit/prescreen.h"

#include "jit/ptxas_log.h"

#include <algorithm>
#include <utility>

namespace warptune {
namespace {

constexpr double kSlowCompile = 1;                       // seconds; a look costs at most a thirtieth of that
constexpr const char* kQuickest = "--Ofast-compile=mid"; // NVRTC 12.9; older ones refuse it, and nothing is pruned
constexpr const char* kSecond = "--Ofast-compile=min";   // a sixth of a full compile; removes unread arrays

// `b` may have further entries after those of the kernels.
bool same_shared(const std::vector<KernelResources>& a, const std::vector<KernelResources>& b) {
  return a.size() <= b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const KernelResources& x, const KernelResources& y) {
           return x.static_shared_bytes == y.static_shared_bytes;
         });
}

} // namespace

std::optional<Prescreen::Look> Prescreen::look(const CompileRequest& request, const char* option, double timeout_s) {
  CompileRequest quick = request;
  quick.options.emplace_back(option);
  auto compiled = compile(quick, timeout_s);
  if (!compiled) return std::nullopt;
  Look seen;
  if (*compiled) {
    seen.resources = std::move((*compiled)->resources);
    // Registers depend on the full optimiser, so they are cleared. A kernel without registers is not in the log.
    seen.resources.resize(seen.resources.size() - count_symbols(request.name_expressions)); // not in the log
    for (KernelResources& kernel : seen.resources) {
      if (kernel.registers == 0) return std::nullopt;
      kernel.registers = kernel.spill_bytes = 0;
    }
    return seen;
  }
  if (!exceeds_shared_memory(compiled->error().log)) return std::nullopt;
  seen.refusal = std::move(compiled->error().log);
  return seen;
}

std::optional<std::string> Prescreen::find_hopeless(const CompileRequest& request, const ResourceCheck& check,
                                                    double timeout_s) {
  const auto judge = [&](const Look& seen) -> std::optional<std::string> {
    if (!seen.refusal.empty()) return seen.refusal;
    return check(seen.resources);
  };
  last_.reset();
  if (!slow_ || refuted_) return std::nullopt;
  last_ = look(request, kQuickest, timeout_s);
  if (!last_ || confirmed_ == 0 || !judge(*last_)) return std::nullopt;
  const auto second = look(request, kSecond, timeout_s);
  return second ? judge(*second) : std::nullopt;
}

void Prescreen::learn(const CompileResult& result, double compile_s) {
  slow_ = slow_ || compile_s >= kSlowCompile;
  const auto seen = std::exchange(last_, std::nullopt);
  if (!seen || (!result && !exceeds_shared_memory(result.error().log))) return; // a syntax error proves nothing
  const bool right =
      result ? seen->refusal.empty() && same_shared(seen->resources, result->resources) : !seen->refusal.empty();
  if (right)
    ++confirmed_;
  else
    refuted_ = true;
}

} // namespace warptune
