#include "tuner/shared_steps.h"

#include "tuner/shared_search.h"

#include <utility>

namespace warptune {
namespace {

Result<void> take_last_trials(SessionWork& work, SharedSearch& shared) {
  WT_TRY(auto news, shared.exchange());
  for (Trial& trial : news.trials) {
    if (work.book.count(trial.index) > 0) continue;
    WT_CHECK(work.ledger->record(work.result.session, work.kernel.spec, trial, work.result.device));
    ++work.result.elsewhere;
    const ConfigIndex index = trial.index;
    work.book.emplace(index, std::move(trial));
  }
  work.count_by_status();
  return {};
}

} // namespace

Result<bool> enter_finals(SessionWork& work) {
  SharedSearch& shared = *work.options.shared;
  work.begin_phase("waiting for the other processes");
  WT_TRY(const auto finals, shared.await_finals(work.stop));
  if (finals == SharedSearch::Finals::mine) {
    WT_CHECK(take_last_trials(work, shared));
    return true;
  }
  if (finals == SharedSearch::Finals::stopped) {
    work.result.interrupted = true;
    work.note_best_so_far();
    return false;
  }
  WT_TRY(auto best, shared.winner());
  if (!best) return fail(ErrorKind::database, "the results of the finals are missing from the run folder");
  work.result.best = std::move(*best);
  work.result.roofline = roofline_point(work.cost, work.result.device.roofs, work.result.best.median_us);
  return false;
}

} // namespace warptune
