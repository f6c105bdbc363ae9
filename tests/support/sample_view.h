// A view as report_data would make it, of any size, for tests of the writers.
#pragma once

#include "report/view.h"

#include <fmt/format.h>
#include <string>

namespace warptune::test {

inline constexpr const char* kHostile =
    "</script><img src=x onerror=alert(1)>\x1b[2J\xe2\x80\xae\xff\"'&{{js}}\xe2\x80\xa8";

inline report::Point sample_point(int index, double time_us) {
  report::Point p;
  p.config = fmt::format("VEC={},UNROLL={}", 1 << (index % 4), index / 4);
  p.trial.config = {1 << (index % 4), index / 4};
  p.trial.index = index;
  p.trial.status = TrialStatus::ok;
  p.trial.resources = {32 + index % 64, index % 7 == 0 ? 16 : 0, 1024, 0.5};
  Timing timing;
  timing.median_us = time_us;
  timing.ci_low_us = time_us * 0.99;
  timing.ci_high_us = time_us * 1.01;
  timing.min_us = time_us * 0.98;
  timing.rel_iqr = 0.0123456789;
  timing.samples_us.assign(9, static_cast<float>(time_us));
  timing.sm_clock_mhz = 1980;
  p.trial.timing = timing;
  p.tflops = 1e9 / time_us * 1e-6;
  p.levels[0] = {report::Origin::model, 4e8, 4e8 / time_us * 1e-3, 2.5};
  return p;
}

// `trials` configurations with times from 100 us upwards; the last one is wrong if there are several.
inline report::View sample_view(int trials = 8) {
  report::View v;
  v.kernel = v.session.identity.kernel = "softmax";
  v.problem = v.session.identity.problem = "rows=8,cols=4;bf16";
  v.summary = "softmax of each row";
  v.session.id = 7;
  v.session.state = SessionState::finished;
  v.session.started_at = "2026-01-02T03:04:05Z";
  v.session.space_size = trials;
  v.device.name = v.session.identity.device_name = "NVIDIA H200";
  v.device.roofs.measured = true;
  v.id = "softmax/rows=8,cols=4;bf16/NVIDIA H200/7";
  v.cost = CostEstimate{3e8, 1e8, {{"fp32", 1e9}}};
  v.roofs = {{"dram_mix", "DRAM at its mix", "DRAM", "GB/s", 4300, 4800, 1980, true},
             {"fp32_tflops", "fp32", "compute", "TFLOP/s", 64, 67, 1980, true}};
  v.params = {{"VEC", "elements a load", {1, 2, 4, 8}, {}, 1}, {"UNROLL", "", {0, 1}, {}, 0}};
  for (int i = 0; i < trials; ++i) v.points.push_back(sample_point(i, 100 + i * 0.37));
  if (trials > 1) {
    Trial& last = v.points.back().trial;
    last.status = TrialStatus::wrong_result;
    last.evidence = "y[3] is 0 and should be 1";
    last.timing.reset();
    v.points.back().tflops = 0;
    v.points.back().levels = {};
  }
  BestRecord best;
  best.config = v.points.front().config;
  best.median_us = 100;
  best.ci_low_us = 99;
  best.ci_high_us = 101;
  best.default_us = 120;
  best.roofline_share = 0.93;
  best.bound = "DRAM";
  best.certified = true;
  v.best = best;
  v.best_point = v.fastest_point = 0;
  v.default_point = trials > 2 ? 2 : 0;
  v.ties = {0};
  v.bound =
      report::Bound{"DRAM", "DRAM-bound: 93 % of the measured roof.", "model", 0.93, {{"DRAM", "93 % of 4300 GB/s"}}};
  return v;
}

inline report::Report sample_report(int trials = 8) {
  report::Report r;
  r.title = "softmax rows=8,cols=4;bf16 on NVIDIA H200";
  r.generated_at = "2026-01-02T03:04:05Z";
  r.database = "w.db";
  r.views.push_back(sample_view(trials));
  return r;
}

// A report in which every text from outside is hostile.
inline report::Report hostile_report() {
  report::Report r = sample_report();
  report::View& v = r.views.front();
  r.title = r.database = kHostile;
  for (std::string* text : {&v.id, &v.kernel, &v.problem, &v.summary, &v.device.name, &v.device.driver,
                            &v.session.identity.strategy, &v.best->outcome, &v.bound->sentence})
    *text = kHostile;
  v.params.front().name = v.params.front().meaning = kHostile;
  v.points.back().trial.evidence = v.points.front().config = kHostile;
  v.notes.emplace_back(kHostile);
  v.baselines.push_back({kHostile, kHostile, 130, 0, 0, true});
  Profile profile;
  profile.counters[kHostile] = 1;
  v.points.front().trial.profile = profile;
  return r;
}

} // namespace warptune::test
