#include "profiler/metric_sets.h"

#include "core/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

// Chosen so that the set `lean` fits the counters that a GH100 can read in one pass
// (tests/unit/profiler/metric_sets_test.cpp has the number of each set). The hit rates of the L2 take two passes;
// filled and requested sectors do not. sm__warps_active leaves no room for shared memory; smsp__warps_active does.
const std::vector<MetricMeaning> kDram = {
    {"dram__bytes_read.sum", "bytes read from DRAM"},
    {"dram__bytes_write.sum", "bytes written to DRAM; data that is still in the L2 at the end is not counted"},
};
const std::vector<MetricMeaning> kL2 = {
    {"lts__t_sectors_srcunit_tex.sum", "sectors of 32 bytes that the SMs moved to and from the L2"},
    {"lts__d_sectors_fill_device.sum", "sectors that the L2 fetched from DRAM (misses)"},
    {"lts__t_bytes.sum", "bytes through the L2, including the traffic between its two halves"},
};

std::vector<MetricMeaning> joined(std::initializer_list<std::vector<MetricMeaning>> parts) {
  std::vector<MetricMeaning> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<MetricMeaning> lean() {
  return joined({kDram,
                 kL2,
                 {{"l1tex__t_bytes.sum", "bytes that loads and stores moved through the L1"},
                  {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                   "shared-memory wavefronts of 128 bytes, including bank conflicts and wgmma operands"},
                  {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum",
                   "wavefronts that move no data: shuffles, warp launches"},
                  {"smsp__warps_active.avg.pct_of_peak_sustained_active", "active warps, as a share of the maximum"},
                  {"smsp__inst_executed.sum", "instructions executed by warps"}}});
}

std::vector<MetricMeaning> roofline() {
  auto all =
      joined({kDram,
              kL2,
              {{"l1tex__t_bytes_pipe_lsu.sum", "bytes that loads and stores moved through the L1"},
               {"sm__warps_active.avg.pct_of_peak_sustained_active", "active warps, as a share of the maximum"}}});
  const struct {
    const char *type, *name;
  } types[] = {{"f", "fp32"}, {"d", "fp64"}, {"h", "fp16 (an instruction with half2 does two operations)"}};
  for (const auto& [letter, name] : types)
    for (const char* operation : {"fma", "add", "mul"})
      all.push_back({fmt::format("smsp__sass_thread_inst_executed_op_{}{}_pred_on.sum", letter, operation),
                     fmt::format("{} instructions, counted for each thread, {}", operation, name)});
  all.push_back({"smsp__sass_inst_executed.sum", "instructions executed by warps"});
  all.push_back({"sm__sass_data_bytes_mem_shared.sum", "bytes that instructions requested from shared memory"});
  all.push_back({"sm__sass_data_bytes_mem_shared_op_gmma.sum", "bytes that wgmma read from shared memory"});
  return all;
}

std::vector<MetricMeaning> memory() {
  return joined(
      {kDram,
       kL2,
       {{"lts__t_sectors_srcunit_tex_lookup_hit.sum", "sectors that the SMs requested and the L2 held (hits)"},
        {"lts__t_sectors_srcunit_tex_lookup_miss.sum",
         "sectors that the SMs requested and the L2 did not hold (misses)"},
        {"l1tex__t_bytes.sum", "bytes that loads and stores moved through the L1"},
        {"l1tex__t_sector_hit_rate.pct", "share of sectors that hit in the L1"},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global load instructions executed by warps"},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
         "sectors touched by global loads; a warp that loads 4 bytes per thread touches at least 4"},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global store instructions executed by warps"},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors touched by global stores"},
        {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sectors of local memory loaded: spilled registers"},
        {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sectors of local memory stored"},
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "shared-memory wavefronts, conflicts included"},
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum",
         "wavefronts that move no data: shuffles, warp launches"},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "wavefronts lost to bank conflicts"}}});
}

const std::vector<MetricMeaning> kStallReasons = {
    {"long_scoreboard", "for data from global or local memory"},
    {"short_scoreboard", "for data from shared memory or a special function"},
    {"wait", "a fixed latency"},
    {"math_pipe_throttle", "for a free execution pipe"},
    {"mio_throttle", "for room in the queue of shared memory and special functions"},
    {"lg_throttle", "for room in the queue of global and local memory"},
    {"tex_throttle", "for room in the queue of the texture unit"},
    {"gmma", "for wgmma"},
    {"barrier", "for other warps of the block at a barrier"},
    {"membar", "for a memory fence"},
    {"branch_resolving", "for the target of a branch"},
    {"no_instruction", "for the next instruction to be fetched"},
    {"imc_miss", "for a constant that was not in its cache"},
    {"dispatch_stall", "for the dispatcher"},
    {"drain", "for the last stores of the warp to complete"},
    {"sleeping", "in nanosleep"},
    {"misc", "something else"},
    {"not_selected", "not waiting: another warp was chosen"},
    {"selected", "not waiting: issued an instruction"},
};

std::vector<MetricMeaning> stalls() {
  std::vector<MetricMeaning> all;
  for (const auto& [reason, meaning] : kStallReasons)
    all.push_back({fmt::format("smsp__warps_issue_stalled_{}.sum", reason), "warp cycles by reason: " + meaning});
  return all;
}

} // namespace

const std::vector<MetricSet>& metric_sets() {
  static const std::vector<MetricSet> sets = {
      {"lean", "bytes by level, L2 hits, occupancy, instructions: cheap enough for every trial", lean()},
      {"roofline", "bytes by level and operations by pipe, for the roofline of a winner", roofline()},
      {"memory", "how well loads and stores use each level of memory", memory()},
      {"stalls", "what warps wait for", stalls()},
  };
  return sets;
}

std::map<std::string, std::string> stall_meanings() {
  std::map<std::string, std::string> meanings;
  for (const auto& [reason, meaning] : kStallReasons) meanings.emplace(reason, meaning);
  return meanings;
}

const MetricSet* find_metric_set(std::string_view name) {
  const auto& sets = metric_sets();
  const auto found = std::find_if(sets.begin(), sets.end(), [&](const MetricSet& set) { return set.name == name; });
  return found == sets.end() ? nullptr : &*found;
}

std::optional<MetricMeaning> tensor_metric(DType dtype) {
  const auto counted = [](const char* source, const char* name) {
    return MetricMeaning{fmt::format("sm__ops_path_tensor_src_{}.sum", source),
                         fmt::format("operations of the tensor cores on {}; an FMA counts as two", name)};
  };
  switch (dtype) {
  case DType::bf16:
    return counted("bf16_dst_fp32", "bf16");
  case DType::fp16:
    return counted("fp16", "fp16");
  case DType::fp32:
  case DType::tf32:
    return counted("tf32_dst_fp32", "tf32");
  case DType::fp64:
    return counted("fp64", "fp64");
  case DType::fp8_e4m3:
  case DType::fp8_e5m2:
    return counted("fp8", "fp8");
  case DType::int8:
  case DType::uint8:
    return counted("int8", "int8");
  default:
    return std::nullopt;
  }
}

std::vector<MetricMeaning> set_metrics(const MetricSet& set, DType dtype) {
  std::vector<MetricMeaning> metrics = set.metrics;
  if (set.name != "roofline") return metrics;
  if (auto tensor = tensor_metric(dtype)) metrics.push_back(std::move(*tensor));
  return metrics;
}

Result<std::vector<AskedMetric>> expand_metrics(std::string_view list, DType dtype) {
  std::vector<AskedMetric> asked;
  const auto add = [&](const std::string& metric, bool by_name) {
    const auto same = std::find_if(asked.begin(), asked.end(), [&](const auto& a) { return a.metric == metric; });
    if (same == asked.end())
      asked.push_back({metric, by_name});
    else
      same->by_name |= by_name;
  };
  for (const std::string_view word : split(list, ',')) {
    if (word.empty()) continue;
    if (const MetricSet* set = find_metric_set(word)) {
      for (const MetricMeaning& metric : set_metrics(*set, dtype)) add(metric.metric, false);
    } else if (word.find("__") != std::string_view::npos || word.find('.') != std::string_view::npos) {
      add(std::string(word), true);
    } else {
      return fail(
          ErrorKind::bad_input,
          fmt::format("{} is neither a set of metrics nor the full name of a metric (such as dram__bytes_read.sum){}",
                      quote(word), suggest_name(word, names_of(metric_sets()))));
    }
  }
  if (asked.empty())
    return fail(ErrorKind::bad_input, "no metrics were named; name sets (lean, roofline, memory, stalls) or metrics, "
                                      "separated by commas; `warptune metrics` lists them");
  return asked;
}

} // namespace warptune
