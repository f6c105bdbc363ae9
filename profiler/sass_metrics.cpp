#include "profiler/sass_metrics.h"

#include "profiler/cupti_refusal.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace warptune {
namespace {

// A member and the metrics that add up to it. Chips differ in their metrics: of the rows of a member, the first whose
// metrics all exist is used.
struct MetricRow {
  CountMember member;
  const char* what; // the member's name in the message that it is missing
  std::vector<const char*> metrics;
};
const std::vector<MetricRow>& metric_rows() {
  static const std::vector<MetricRow> all = {
      {&InstructionCounts::executed, "executions", {"smsp__sass_inst_executed"}},
      {&InstructionCounts::threads, "threads", {"smsp__sass_thread_inst_executed_pred_on"}},
      {&InstructionCounts::sectors, "sectors of global memory", {"smsp__sass_sectors_mem_global"}},
      {&InstructionCounts::ideal_sectors, "ideal sectors", {"smsp__sass_sectors_mem_global_ideal"}},
      {&InstructionCounts::ideal_sectors,
       "ideal sectors",
       {"smsp__sass_sectors_mem_global_op_ld_ideal", "smsp__sass_sectors_mem_global_op_st_ideal"}},
      {&InstructionCounts::wavefronts, "shared-memory wavefronts", {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared"}},
      {&InstructionCounts::wavefronts,
       "shared-memory wavefronts",
       {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared"}},
      {&InstructionCounts::ideal_wavefronts,
       "ideal wavefronts",
       {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal"}},
      {&InstructionCounts::ideal_wavefronts,
       "ideal wavefronts",
       {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_ideal"}},
  };
  return all;
}

} // namespace

Result<SassMetrics> choose_sass_metrics(const CuptiLibrary& cupti, const char* chip) {
  SassMetrics chosen;
  for (std::size_t i = 0; i < metric_rows().size(); ++i) {
    const MetricRow& row = metric_rows()[i];
    const bool is_known = std::any_of(chosen.members.begin(), chosen.members.end(),
                                      [&](const auto& one) { return one.second == row.member; });
    if (is_known) continue;
    std::vector<std::uint64_t> ids;
    CUptiResult status = CUPTI_SUCCESS;
    for (const char* metric : row.metrics) {
      WT_CUPTI_PARAMS(CUpti_SassMetrics_GetProperties, params);
      params.pChipName = chip;
      params.pMetricName = metric;
      status = cupti.cuptiSassMetricsGetProperties(&params);
      if (status != CUPTI_SUCCESS) break;
      ids.push_back(params.metric.metricId);
    }
    if (status == CUPTI_SUCCESS)
      for (const std::uint64_t id : ids) chosen.members.emplace(id, row.member);
    else if (row.member == &InstructionCounts::executed) // the other counts need it
      return tl::make_unexpected(check_cupti(cupti, status, "count executed instructions").error());
    else if (i + 1 == metric_rows().size() || metric_rows()[i + 1].member != row.member) // the last row of its member
      chosen.missing += fmt::format("{}{}", chosen.missing.empty() ? "" : ", ", row.what);
  }
  return chosen;
}

} // namespace warptune
