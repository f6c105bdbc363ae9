#include "cluster/split_search.h"

#include "cluster/facts.h"
#include "cluster/run_jobs.h"
#include "cluster/shared_file.h"
#include "db/reader.h"
#include "worker/protocol.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <variant>

namespace warptune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using State = ClaimBoard::State;
using Seconds = std::chrono::duration<double>;

// More than for jobs of a sweep: a range of 64 configurations may lose several processes to kills from outside.
constexpr int kMaxLost = 10;
constexpr std::int64_t kLargestRange = 64, kRangesPerDevice = 8;
// If the strategy learns, other processes wait for each result. If not, only the loss with a dying process must stay
// small: a process publishes when its age has doubled, and later once a second. Processes that live for less than a
// second must make progress too, because a range that loses kMaxLost processes counts as failed.
constexpr Seconds kReadLearning(0.02), kReadBlindly(0.25), kPublishBlindly(1);
constexpr auto kFinalsPoll = std::chrono::milliseconds(50);

fs::path device_file(const fs::path& run) { return run / "device.json"; }

} // namespace

SplitSearch::SplitSearch(fs::path run, RunDescription description, std::unique_ptr<RunProcess> process,
                         std::unique_ptr<LocalResults> results)
    : run_(std::move(run)), description_(std::move(description)), process_(std::move(process)),
      results_(std::move(results)), database_(results_->database()),
      claims_(run_, process_->id(), description_.lease_s, kMaxLost), trials_(run_, process_->id()) {}

Result<std::unique_ptr<SplitSearch>> SplitSearch::join(const fs::path& run, RunDescription description,
                                                       std::int64_t shard, std::int64_t shards, const fs::path& local) {
  WT_TRY(auto process, RunProcess::start(run, this_process(shard, shards), description.lease_s));
  WT_TRY(auto results, LocalResults::make(local, run, process->id()));
  return std::unique_ptr<SplitSearch>(
      new SplitSearch(run, std::move(description), std::move(process), std::move(results)));
}

SplitSearch::~SplitSearch() {
  (void)publish(); // after an error; claims of ended processes are taken over
  if (finals_attempt_ > 0 && process_->check_run())
    (void)claims_.end({finals(), finals_attempt_}, ClaimOutcome::back, "{}");
}

Result<DeviceInfo> SplitSearch::agree(const DeviceInfo& own) {
  model_ = model_key(own);
  WT_CHECK(process_->update([&](ProcessRecord& record) {
    record.devices = {{own.uuid.empty() ? own.backend : own.uuid, own.name, model_}};
  }));
  WT_CHECK(create_shared(device_file(run_), encode(Reply{own})));
  WT_TRY(const auto text, read_shared(device_file(run_)));
  const auto reply = decode_reply(text.value_or(""));
  const auto* const agreed = reply ? std::get_if<DeviceInfo>(&*reply) : nullptr;
  if (agreed == nullptr)
    return fail(ErrorKind::database, fmt::format("{} is damaged; restore it, or tune the problem in a new run folder",
                                                 device_file(run_).string()));
  if (model_key(*agreed) != model_)
    return fail(ErrorKind::bad_input,
                fmt::format("the problem in {} is split over devices of the model {}, but this device is of the model "
                            "{}; use devices of one model, or another run folder",
                            run_.string(), agreed->name, own.name));
  return *agreed;
}

void SplitSearch::begin(bool learns, std::int64_t limit) {
  learns_ = learns;
  range_ = learns ? 1 : std::clamp<std::int64_t>(limit / (kRangesPerDevice * devices()), 1, kLargestRange);
}

ClaimSubject SplitSearch::range_of(ConfigIndex index) const {
  return {static_cast<std::size_t>(index / range_) + 1, model_};
}

Result<bool> SplitSearch::claim(ConfigIndex index) {
  const ClaimSubject subject = range_of(index);
  if (mine_.count(subject) > 0) return true;
  if (given_up_.count(subject) > 0)
    return fail(
        ErrorKind::no_candidate,
        fmt::format("{} processes in a row ended while they measured the same configurations (number {} and the "
                    "next ones); --resume tries these configurations again",
                    kMaxLost, index / range_ * range_));
  if (refused_.count(subject) > 0) return false;
  const auto next = next_attempt_.find(subject);
  const int attempt = next == next_attempt_.end() ? 1 : next->second;
  WT_TRY(const bool is_mine, claims_.take({subject, attempt}, "{}"));
  if (is_mine)
    mine_[subject] = attempt;
  else
    refused_.insert(subject);
  return is_mine;
}

Result<void> SplitSearch::put(const Trial& trial) {
  trials_.put(trial);
  ++measured_;
  return {};
}

Result<void> SplitSearch::publish() {
  published_at_ = Clock::now();
  WT_CHECK(process_->check_run());
  return trials_.publish();
}

Result<SharedSearch::News> SplitSearch::exchange() {
  News news;
  const auto now = Clock::now();
  const Seconds interval = learns_ ? Seconds(0) : std::min<Seconds>(kPublishBlindly, published_at_ - start_);
  if (trials_.waiting() > 0 && now - published_at_ >= interval) WT_CHECK(publish());
  WT_TRY(const bool goes_on, process_->goes_on());
  if (!goes_on) news.ending = Ending::interrupted;
  if (finals_attempt_ == 0 && now - read_at_ < (learns_ ? kReadLearning : kReadBlindly)) return news;
  read_at_ = now;
  WT_TRY(news.trials, trials_.read());
  // Adopt the end of another process, which this one might reach later or never: it has its own clock and its own
  // roofs.
  for (const auto& [process, ending] : trials_.left())
    if (!news.ending && (ending == Ending::seconds || ending == Ending::target || ending == Ending::low_expected_gain))
      news.ending = ending;
  if (!refused_.empty() && now - looked_at_ >= Seconds(std::min(description_.lease_s / 4, 1.0)))
    WT_CHECK(look_at_claims());
  note_progress();
  return news;
}

void SplitSearch::note_progress() {
  if (measured_ == noted_) return;
  noted_ = measured_;
  process_->note([&](ProcessRecord& record) {
    record.trials = measured_;
    record.worked_s = Seconds(Clock::now() - start_).count();
  });
}

// This process may take claims that were handed back, and those of dead processes.
Result<void> SplitSearch::look_at_claims() {
  looked_at_ = Clock::now();
  WT_TRY(const auto board, claims_.look());
  WT_TRY(const bool is_due, claims_.look_is_due());
  std::set<ClaimSubject> lost;
  if (is_due) {
    WT_TRY(const auto found, claims_.lost(board));
    for (const ClaimName& one : found) lost.insert(one.subject);
  }
  for (auto at = refused_.begin(); at != refused_.end();) {
    const State state = board.state(*at);
    if (state == State::failed) given_up_.insert(*at);
    if (state == State::failed || state == State::free || lost.count(*at) > 0) {
      next_attempt_[*at] = board.last_attempt(*at) + 1;
      at = refused_.erase(at);
    } else {
      ++at;
    }
  }
  return {};
}

Result<void> SplitSearch::leave(Ending ending, const std::vector<ConfigIndex>& unfinished) {
  WT_CHECK(publish());
  std::set<ClaimSubject> back;
  for (const ConfigIndex index : unfinished)
    if (mine_.count(range_of(index)) > 0) back.insert(range_of(index));
  for (const ClaimSubject& subject : back) WT_CHECK(claims_.end({subject, mine_[subject]}, ClaimOutcome::back, "{}"));
  note_progress();
  return ending == Ending::interrupted ? Result<void>() : trials_.leave(ending);
}

Result<bool> SplitSearch::take_finals(const ClaimBoard& board) {
  const int attempt = board.last_attempt(finals()) + 1;
  WT_TRY(const bool is_mine, claims_.take({finals(), attempt}, "{}"));
  if (!is_mine) return false;
  // The earlier listing may have been stale; since the claim above, it cannot be.
  WT_TRY(const auto now, claims_.look());
  if (now.state(finals()) == State::finished) {
    WT_CHECK(claims_.end({finals(), attempt}, ClaimOutcome::back, "{}"));
    return false;
  }
  finals_attempt_ = attempt;
  return true;
}

// The result includes trials that others are still measuring, so wait for them.
Result<bool> SplitSearch::others_have_left() {
  Heartbeats heartbeats(run_, processes_of(run_) / process_->id(), description_.lease_s);
  WT_CHECK(heartbeats.begin());
  WT_TRY(const auto alive, heartbeats.alive());
  WT_TRY(const auto names, list_shared(trials_of(run_)));
  return std::all_of(alive.begin(), alive.end(), [&](const std::string& id) {
    return id == process_->id() || std::find(names.begin(), names.end(), id + ".left") != names.end();
  });
}

Result<SharedSearch::Finals> SplitSearch::await_finals(const std::atomic<bool>& stop) {
  for (;; std::this_thread::sleep_for(kFinalsPoll)) {
    WT_TRY(const bool goes_on, process_->goes_on());
    if (stop || !goes_on) return Finals::stopped;
    if (finals_attempt_ > 0) {
      WT_TRY(const bool have_left, others_have_left());
      if (have_left) return Finals::mine;
      continue;
    }
    WT_TRY(const auto board, claims_.look());
    switch (board.state(finals())) {
    case State::finished:
      return Finals::done;
    case State::failed: {
      WT_TRY(const auto text, claims_.facts(*board.last_with(finals(), ClaimOutcome::failed), ClaimOutcome::failed));
      const std::string error = fact_text(text, "error");
      return fail(ErrorKind::no_candidate, error.empty() ? "the finals failed" : error);
    }
    case State::free:
      WT_CHECK(take_finals(board));
      break;
    case State::running: {
      WT_TRY(const bool is_due, claims_.look_is_due());
      if (!is_due) break;
      WT_TRY(const auto lost, claims_.lost(board));
      for (const ClaimName& one : lost)
        if (one.subject == finals()) WT_CHECK(take_finals(board));
    }
    }
  }
}

Result<std::optional<BestRecord>> SplitSearch::winner() {
  WT_TRY(const auto board, claims_.look());
  const auto finished = board.last_with(finals(), ClaimOutcome::finished);
  if (!finished) return std::nullopt;
  WT_TRY(const auto text, claims_.facts(*finished, ClaimOutcome::finished));
  const std::string results = fact_text(text, "results");
  const std::int64_t session = fact_integer(text, "session");
  if (results.empty() || session < 1) return std::nullopt;
  WT_TRY(const auto reader, Reader::open(results_->continue_from(results)));
  return reader.best_of_session(session);
}

Result<void> SplitSearch::ended(const Result<SessionResult>& result) {
  if (finals_attempt_ == 0) return {};
  const ClaimName claim{finals(), std::exchange(finals_attempt_, 0)};
  const bool is_done = result && !result->interrupted;
  if (auto checked = process_->check_run(); !checked) return results_->keep(checked.error(), database_);
  if (!is_done && (result || result.error().kind != ErrorKind::no_candidate))
    return claims_.end(claim, ClaimOutcome::back, "{}");
  json facts = json::object();
  std::error_code none;
  if (fs::exists(database_, none)) { // the search may fail before it stores anything
    WT_TRY(facts["results"], results_->publish(database_));
  }
  if (!is_done) {
    facts["error"] = result.error().message;
    return claims_.end(claim, ClaimOutcome::failed, facts_text(facts));
  }
  facts["session"] = result->session;
  facts["best_us"] = result->best.median_us;
  facts["config"] = result->best.config;
  return claims_.end(claim, ClaimOutcome::finished, facts_text(facts));
}

} // namespace warptune
