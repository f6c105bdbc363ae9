#include "cluster/claims.h"

#include "cluster/facts.h"
#include "system/temporary_path.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace warptune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path look_file(const fs::path& run) { return run / "last-look"; }

std::string end_name(const ClaimName& claim, ClaimOutcome outcome) {
  return fmt::format("{}.{}", claim.text(), outcome_name(outcome));
}

} // namespace

fs::path Claims::folder_of(const fs::path& run) { return run / "claims"; }

fs::path Claims::end_file(const fs::path& run, const ClaimName& claim, ClaimOutcome outcome) {
  return folder_of(run) / end_name(claim, outcome);
}

Claims::Claims(const fs::path& run, const std::string& process, double lease_s, int max_lost, std::size_t jobs)
    : run_(run), folder_(folder_of(run)), process_(process), lease_s_(lease_s), max_lost_(max_lost), jobs_(jobs),
      heartbeats_(run, processes_of(run) / process, lease_s) {}

Result<ClaimBoard> Claims::look() const {
  WT_TRY(const auto names, list_shared(folder_));
  return ClaimBoard(names, jobs_);
}

Claims::~Claims() {
  std::error_code kept; // a file that stays is in no list of claims
  for (const auto& [text, file] : prepared_) fs::remove(file, kept);
}

Result<bool> Claims::take(const ClaimName& claim, const std::string& facts) {
  if (taken_.count(claim) > 0) { // linking the same file again would look like a lost reply
    WT_TRY(const auto there, time_of_shared(folder_ / claim.text()));
    if (there) return false; // the listing was stale
    return fail(
        ErrorKind::database,
        fmt::format("{} was deleted while its process was working, so warptune cannot tell which jobs are done; "
                    "restore the files in {}, or name a new run folder; published results are complete",
                    (folder_ / claim.text()).string(), folder_.string()));
  }
  json all = json::parse(facts, nullptr, false);
  if (!all.is_object()) all = json::object();
  all["process"] = process_;
  WT_TRY(const bool is_mine, link_prepared(facts_text(all) + "\n", folder_ / claim.text()));
  if (is_mine) taken_.insert(claim);
  return is_mine;
}

// After a failed link, do not try another file: if the first link was made after all, the second would find what looks
// like another process's claim, and no process would do the job.
Result<bool> Claims::link_prepared(const std::string& text, const fs::path& to) {
  fs::path& file = prepared_[text];
  if (!file.empty()) {
    WT_TRY(const Linked linked, link_shared(file, to));
    if (linked != Linked::unusable) return linked == Linked::made;
    std::error_code none;
    fs::remove(file, none);
  }
  WT_CHECK(renew_process(run_, process_)); // a prepared file that is gone may have gone with its run
  file = temporary_path(folder_ / process_);
  if (auto written = replace_shared(file, text); !written) { // also fails if the folder is gone
    file.clear();
    return fail(written.error());
  }
  WT_TRY(const Linked linked, link_shared(file, to));
  if (linked != Linked::unusable) return linked == Linked::made;
  return create_shared(to, text); // the file was deleted in the meantime
}

Result<void> Claims::end(const ClaimName& claim, ClaimOutcome outcome, const std::string& facts) const {
  return replace_shared(folder_ / end_name(claim, outcome), facts + "\n");
}

Result<void> Claims::free_again(const ClaimName& failed) {
  const ClaimName next{failed.subject, failed.attempt + 1};
  WT_TRY(const bool is_mine, take(next, "{}"));
  if (!is_mine) return {};
  return end(next, ClaimOutcome::back, "{}");
}

Result<std::optional<std::string>> Claims::facts(const ClaimName& claim, std::optional<ClaimOutcome> outcome) const {
  return read_shared(folder_ / (outcome ? end_name(claim, *outcome) : claim.text()));
}

Result<std::string> Claims::process_of(const ClaimName& claim) {
  if (const auto known = processes_.find(claim); known != processes_.end()) return known->second;
  WT_TRY(const auto text, facts(claim, std::nullopt));
  return processes_[claim] = fact_text(text, "process");
}

Result<void> Claims::begin_beats() {
  auto begun = heartbeats_.begin();
  if (!begun) WT_CHECK(renew_process(run_, process_)); // its error says why
  return begun;
}

Result<std::vector<ClaimName>> Claims::lost(const ClaimBoard& board) {
  WT_CHECK(begin_beats());
  std::map<std::string, bool> alive;
  std::vector<ClaimName> found;
  for (const ClaimName& claim : board.running()) {
    WT_TRY(const auto process, process_of(claim));
    if (const auto known = alive.find(process); known == alive.end()) {
      WT_TRY(const bool is_alive, process.empty() ? Result<bool>(false) : heartbeats_.is_alive(process));
      alive[process] = is_alive;
    }
    if (alive[process]) continue;
    if (board.open_attempts(claim.subject) < max_lost_) {
      found.push_back(claim);
      continue;
    }
    const std::string error =
        fmt::format("{} processes in a row ended before they finished this job; --resume tries it again",
                    board.open_attempts(claim.subject));
    WT_CHECK(end(claim, ClaimOutcome::failed, json{{"error", error}}.dump()));
    given_up_[claim.subject] = error;
  }
  return found;
}

Result<std::vector<std::string>> Claims::idle(const ClaimBoard& board) {
  std::set<std::string> busy;
  for (const ClaimName& claim : board.running()) {
    WT_TRY(auto process, process_of(claim));
    busy.insert(std::move(process));
  }
  WT_CHECK(begin_beats());
  WT_TRY(auto alive, heartbeats_.alive());
  std::erase_if(alive, [&](const std::string& id) { return busy.count(id) > 0; });
  return alive;
}

void Claims::look_again() {
  not_due_until_ = {};
  std::error_code none; // on failure, others look when it is due
  fs::remove(look_file(run_), none);
}

Result<bool> Claims::look_is_due() {
  const auto clock = std::chrono::steady_clock::now();
  if (clock < not_due_until_) return false; // do not ask the server before each job
  const auto wait = std::chrono::duration_cast<FileTime>(std::chrono::duration<double>(lease_s_ / 2));
  WT_TRY(const auto before, time_of_shared(look_file(run_)));
  if (!before) {
    WT_TRY(const bool is_first, create_shared(look_file(run_), ""));
    if (is_first) not_due_until_ = clock + wait;
    return is_first;
  }
  // Touching the own heartbeat gives the server's current time.
  WT_TRY(const FileTime now, touch_shared(processes_of(run_) / process_));
  const FileTime age = now - *before;
  const bool is_due = age >= wait || age <= -wait; // far in the future: the server's clock was set back
  not_due_until_ = clock + (is_due ? wait : wait - std::clamp(age, FileTime{}, wait));
  if (is_due) WT_CHECK(touch_shared(look_file(run_)));
  return is_due;
}

} // namespace warptune
