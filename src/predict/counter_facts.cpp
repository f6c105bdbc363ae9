#include "predict/counter_facts.h"

#include <algorithm>
#include <cmath>

namespace warptune {
namespace {

constexpr double kSectorBytes = 32;
constexpr double kWavefrontBytes = 128; // 32 banks of 4 bytes

class Counters {
 public:
  explicit Counters(const std::map<std::string, double>& values) : values_(values) {}

  std::optional<double> of(const std::string& metric) const {
    const auto found = values_.find(metric);
    if (found == values_.end() || !std::isfinite(found->second)) return std::nullopt;
    return found->second;
  }
  std::optional<double> first(std::initializer_list<const char*> metrics) const {
    for (const char* metric : metrics)
      if (const auto value = of(metric)) return value;
    return std::nullopt;
  }

 private:
  const std::map<std::string, double>& values_;
};

double share(double part, double whole) { return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0; }

std::optional<double> l2_bytes(const Counters& c) {
  if (const auto sectors = c.of("lts__t_sectors_srcunit_tex.sum")) return *sectors * kSectorBytes;
  return c.of("lts__t_bytes.sum");
}

std::optional<double> l2_hit_share(const Counters& c) {
  const auto hit = c.of("lts__t_sectors_srcunit_tex_lookup_hit.sum");
  const auto miss = c.of("lts__t_sectors_srcunit_tex_lookup_miss.sum");
  if (hit && miss && *hit + *miss > 0) return share(*hit, *hit + *miss);
  if (const auto percent = c.of("lts__t_sector_hit_rate.pct")) return share(*percent, 100);
  const auto fetched = c.of("lts__d_sectors_fill_device.sum"), all = c.of("lts__t_sectors_srcunit_tex.sum");
  // A kernel without L2 requests has no hit rate.
  if (fetched && all && *all > 0) return share(*all - *fetched, *all);
  return std::nullopt;
}

// Shared-memory wavefronts if they were counted, otherwise the bytes that the instructions requested.
std::optional<double> shared_bytes(const Counters& c) {
  if (const auto turns = c.of("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")) {
    // Shuffles and warp launches also use wavefronts, but no shared memory.
    const double others = c.of("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum").value_or(0);
    return std::max(0.0, *turns - others) * kWavefrontBytes;
  }
  const auto asked = c.first({"sm__sass_data_bytes_mem_shared.sum", "smsp__sass_data_bytes_mem_shared.sum"});
  if (!asked) return std::nullopt;
  return *asked + c.first({"sm__sass_data_bytes_mem_shared_op_gmma.sum"}).value_or(0);
}

// `width`: results per instruction and thread.
void add_pipe(const Counters& c, const char* pipe, char letter, double width, CounterFacts& facts) {
  double flops = 0, work = 0;
  int counted = 0;
  for (const auto& [operation, weight] : {std::pair{"fma", 2.0}, {"add", 1.0}, {"mul", 1.0}}) {
    const auto instructions =
        c.of(std::string("smsp__sass_thread_inst_executed_op_") + letter + operation + "_pred_on.sum");
    if (!instructions) continue;
    ++counted;
    flops += weight * width * *instructions;
    work += 2 * width * *instructions;
  }
  if (flops > 0) facts.flops.emplace_back(pipe, flops);
  if (work > 0 || counted == 3) facts.pipe_work.emplace_back(pipe, work);
}

void add_tensor(const Counters& c, CounterFacts& facts) {
  const std::pair<const char*, const char*> sources[] = {
      {"bf16_dst_fp32", "tensor"}, {"fp16", "tensor"},    {"tf32_dst_fp32", "tensor tf32"},
      {"fp64", "tensor fp64"},     {"fp8", "tensor fp8"}, {"int8", "tensor int8"},
  };
  for (const auto& [source, pipe] : sources)
    if (const auto ops = c.of(std::string("sm__ops_path_tensor_src_") + source + ".sum")) {
      if (*ops > 0) facts.flops.emplace_back(pipe, *ops);
      facts.pipe_work.emplace_back(pipe, *ops);
    }
}

void add_stalls(const std::map<std::string, double>& counters, CounterFacts& facts) {
  const std::string prefix = "smsp__warps_issue_stalled_", suffix = ".sum";
  double all = 0;
  for (auto it = counters.lower_bound(prefix); it != counters.end() && it->first.starts_with(prefix); ++it) {
    if (!it->first.ends_with(suffix) || !std::isfinite(it->second)) continue;
    all += it->second;
    const std::string reason = it->first.substr(prefix.size(), it->first.size() - prefix.size() - suffix.size());
    if (reason == "selected" || reason == "not_selected") continue; // could issue: not a stall
    facts.stalls.emplace_back(reason, it->second);
  }
  for (auto& [reason, cycles] : facts.stalls) cycles = share(cycles, all);
  std::stable_sort(facts.stalls.begin(), facts.stalls.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
}

} // namespace

CounterFacts counter_facts(const std::map<std::string, double>& counters) {
  const Counters c(counters);
  CounterFacts facts;
  facts.dram_read_bytes = c.of("dram__bytes_read.sum");
  facts.dram_written_bytes = c.of("dram__bytes_write.sum");
  facts.l2_bytes = l2_bytes(c);
  facts.l1_bytes = c.first({"l1tex__t_bytes.sum", "l1tex__t_bytes_pipe_lsu.sum"});
  facts.shared_bytes = shared_bytes(c);
  facts.l2_hit_share = l2_hit_share(c);
  if (const auto percent = c.first(
          {"sm__warps_active.avg.pct_of_peak_sustained_active", "smsp__warps_active.avg.pct_of_peak_sustained_active"}))
    facts.warps_active_share = share(*percent, 100);
  facts.instructions = c.first({"smsp__inst_executed.sum", "sm__inst_executed.sum", "smsp__sass_inst_executed.sum"});
  add_pipe(c, "fp32", 'f', 1, facts);
  add_pipe(c, "fp64", 'd', 1, facts);
  add_pipe(c, "fp16", 'h', 2, facts);
  add_tensor(c, facts);
  add_stalls(counters, facts);
  return facts;
}

} // namespace warptune
