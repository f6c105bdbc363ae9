#include "tuner/session_work.h"

#include <utility>

namespace warptune {

const Trial* SessionWork::best_trial() const {
  const Trial* best = nullptr;
  for (const auto& [index, trial] : book)
    if (trial.status == TrialStatus::ok && trial.timing && (!best || trial.timing->median_us < best->timing->median_us))
      best = &trial;
  return best;
}

void SessionWork::describe(BestRecord& best, const Config& config, double median_us) const {
  best.session = result.session;
  best.kernel = kernel.spec.name;
  best.source_hash = kernel.source_hash;
  best.problem = problem_key(kernel.spec, problem);
  best.device_name = result.device.name;
  best.device_uuid = result.device.uuid;
  best.arch = result.device.arch;
  best.cold_l2 = options.measure.cold_l2;
  best.objective = options.objective;
  best.config = text_of(config);
  best.default_config = text_of(default_config(kernel.spec, problem, result.device));
  best.median_us = median_us;
  const RooflinePoint point = roofline_point(cost, result.device.roofs, median_us);
  best.roofline_share = point.share;
  best.bound = point.bound;
}

void SessionWork::note_best_so_far() {
  const Trial* best = best_trial();
  if (!best) return;
  describe(result.best, best->config, best->timing->median_us);
  result.best.outcome = "interrupted before the finals";
  result.roofline = roofline_point(cost, result.device.roofs, best->timing->median_us);
}

void SessionWork::begin_phase(std::string phase) {
  now.phase = std::move(phase);
  report();
}

void SessionWork::report(const Trial* trial) {
  if (trial) {
    ++now.by_status[trial->status];
    const bool ok = trial->status == TrialStatus::ok && trial->timing;
    if (ok && (now.best_us <= 0 || trial->timing->median_us < now.best_us)) show_best(*trial);
  }
  now.elapsed_s = elapsed_s();
  const std::int64_t measured = now.done - now.reused;
  const bool counting = trial && measured > 1 && options.budget.seconds <= 0;
  now.eta_s = counting ? (now.elapsed_s - exploring_since_s) / static_cast<double>(measured) *
                             static_cast<double>(now.total - now.done)
                       : 0;
  now.last = trial;
  if (progress) progress(now);
  now.last = nullptr;
}

void SessionWork::report_done(std::int64_t done) {
  now.done = done;
  report();
}

void SessionWork::count_by_status() {
  result.by_status.clear();
  for (const auto& [index, trial] : book) ++result.by_status[trial.status];
  now.by_status = result.by_status;
  if (const Trial* best = best_trial()) show_best(*best);
}

SessionResult SessionWork::take_result() {
  for (std::string& note : opened.notes) result.notes.push_back(std::move(note));
  for (const std::string& note : device.notes()) result.notes.push_back(note);
  result.wall_s = elapsed_s();
  return std::move(result);
}

void SessionWork::show_best(const Trial& trial) {
  now.best_us = trial.timing->median_us;
  now.best_share = roofline_point(cost, result.device.roofs, now.best_us).share;
}

} // namespace warptune
