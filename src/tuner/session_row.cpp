#include "tuner/session_row.h"

#include "core/device.h"
#include "tuner/baseline.h"

#include <utility>

namespace warptune {

Result<void> open_session(SessionWork& work, const SearchSpace& space) {
  const SessionOptions& options = work.options;
  SessionResult& result = work.result;
  WT_CHECK(work.ledger->put_kernel(work.kernel, result.device));
  WT_TRY(auto opened, work.ledger->open_session(make_identity(work.kernel, work.problem, result.device, options),
                                                options.resume, options.part_of_sweep, space.size(), work.kernel.spec,
                                                [&](const Config& config) { return space.find(config).has_value(); }));
  work.opened = std::move(opened);
  result.session = work.opened.session;
  result.space_size = space.size();
  work.default_index = space.find(default_config(work.kernel.spec, work.problem, result.device));
  if (options.baseline) {
    work.baselines = find_baselines(work.kernel.spec, space);
    if (work.baselines.empty()) result.notes.push_back(no_baseline_text(work.kernel.spec));
  }
  const bool was_left_out =
      work.kernel.spec.implementations.front().build && !options.allow_build && !is_recorded_device(options.device);
  if (!work.default_index && !was_left_out) // a default that was left out has its own note
    result.notes.emplace_back("the default configuration is not valid for this problem on this device");
  for (Trial& trial : work.opened.known) {
    const ConfigIndex index = space.find(trial.config).value();
    trial.config = space.config(index);
    trial.index = index;
    work.spent_s += (trial.verify_ms + trial.measure_ms) / 1e3;
    work.book.insert_or_assign(index, std::move(trial));
  }
  work.opened.known.clear();
  return {};
}

void take_known_best(SessionWork& work) {
  SessionResult& result = work.result;
  if (auto known = work.ledger->known_roofs(result.device); known && !result.device.roofs.measured)
    result.device.roofs = known->roofs;
  result.known = true;
  result.best = *work.opened.best;
  for (const auto& [index, trial] : work.book)
    if (work.text_of(trial.config) == result.best.config) result.power = trial.power;
  result.reused = static_cast<std::int64_t>(work.book.size());
  result.roofline = roofline_point(work.cost, result.device.roofs, result.best.median_us);
  if (!work.options.part_of_sweep)
    result.notes.emplace_back("this session was already finished, so nothing was measured");
  work.count_by_status();
}

Result<void> close_session(SessionWork& work, const Result<void>& tuned) {
  // All trials are stored. A session without a winner is complete, too; after another error it can be resumed.
  const bool complete = tuned ? !work.result.interrupted : tuned.error().kind == ErrorKind::no_candidate;
  auto closed = work.ledger->end(work.result.session, complete ? SessionState::finished : SessionState::interrupted);
  return tuned ? closed : tuned;
}

} // namespace warptune
