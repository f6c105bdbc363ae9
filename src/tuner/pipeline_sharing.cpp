// The part of the pipeline that shares a search with other processes.
#include "tuner/pipeline.h"

#include <utility>

namespace warptune {
namespace {

constexpr std::int64_t kBlindShare = 128; // claimed candidates per device of a strategy that does not learn

} // namespace

// All processes make the same proposals. Each candidate is measured by the process that claims it first.
Result<bool> Pipeline::share() {
  if (options_.shared == nullptr) return false;
  WT_TRY(auto news, options_.shared->exchange());
  if (news.ending) end_early(*news.ending);
  for (Trial& trial : news.trials) WT_CHECK(adopt(std::move(trial)));
  bool any = !news.trials.empty();
  const auto lanes = static_cast<std::int64_t>(lanes_.size());
  const std::int64_t per_device = strategy_.learns() ? (ahead_ + options_.devices - 1) / options_.devices : kBlindShare;
  for (auto at_ticket = unclaimed_.begin(); at_ticket != unclaimed_.end() && !stopping_;) {
    if (submitted_ >= per_device * lanes) break;
    const std::int64_t ticket = *at_ticket;
    WT_TRY(const bool is_mine, options_.shared->claim(at(ticket).index));
    at_ticket = is_mine ? unclaimed_.erase(at_ticket) : std::next(at_ticket);
    if (!is_mine) continue;
    unclaimed_of_.erase(at(ticket).index);
    submit(ticket);
    any = true;
  }
  return any;
}

Result<void> Pipeline::adopt(Trial trial) {
  if (trial.index < 0 || trial.index >= space_.size() || space_.config(trial.index) != trial.config)
    return fail(ErrorKind::database, "the run folder has a trial of a configuration that this problem does not have; "
                                     "tune the problem in a new run folder");
  if (book_.count(trial.index) > 0) return {}; // two processes have measured it: the first result counts
  WT_CHECK(options_.record(trial));
  const Trial& kept = book_.emplace(trial.index, std::move(trial)).first->second;
  const auto waiting = unclaimed_of_.find(kept.index);
  if (waiting == unclaimed_of_.end()) return {}; // not yet proposed here, or also claimed by this process
  note_time(kept);
  at(waiting->second).done = true;
  unclaimed_.erase(waiting->second);
  unclaimed_of_.erase(waiting);
  --unfinished_;
  ++elsewhere_;
  options_.progress(&kept);
  return {};
}

std::vector<ConfigIndex> Pipeline::claimed() const {
  std::vector<ConfigIndex> indices;
  for (const Candidate& candidate : open_)
    if (!candidate.done && unclaimed_of_.count(candidate.index) == 0) indices.push_back(candidate.index);
  return indices;
}

} // namespace warptune
