// ClaimBoard: the state of each job of a run, read from the names of the files in claims/. A job may have several
// attempts:
//   JOB-MODEL.ATTEMPT            a process has claimed the job (the name is created once, by link)
//   JOB-MODEL.ATTEMPT.finished   it has published the result
//   JOB-MODEL.ATTEMPT.failed     the job has no result, and another attempt would have none either
//   JOB-MODEL.ATTEMPT.back       it has handed the job back
// A file whose name ends in ".tmp" is still being written, or is a file from which its process makes claims by link. A
// killed process leaves such files behind; lists of claims omit them.
// Names are only added, never removed or reused. To claim a job that was handed back or whose process is gone, a
// process creates the job's next attempt. If several processes do this concurrently, exactly one succeeds, even if
// their views of the folder are old. A job is finished if any of its attempts is finished, so the late result of a lost
// claim counts too. Reads no files.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// A job on one device model; each model does every job once.
struct ClaimSubject {
  std::size_t job = 0; // its index in the run's list
  std::string model;   // model_key
  auto operator<=>(const ClaimSubject&) const = default;
};

struct ClaimName {
  ClaimSubject subject;
  int attempt = 1;
  std::string text() const;                                     // "00017-1a2b3c4d.1"
  static std::optional<ClaimName> parse(std::string_view name); // without an outcome
  auto operator<=>(const ClaimName&) const = default;
};

enum class ClaimOutcome { finished, failed, back };
std::string_view outcome_name(ClaimOutcome outcome); // as in file names

class ClaimBoard {
 public:
  static constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);
  // Unknown names and jobs from `jobs` on are ignored: no process could end such a job.
  explicit ClaimBoard(const std::vector<std::string>& names, std::size_t jobs = kAnyNumber);

  enum class State { free, running, finished, failed };
  State state(const ClaimSubject& subject) const;
  int last_attempt(const ClaimSubject& subject) const; // 0: none
  // The newest attempt that ended with this outcome; nullopt: there is none.
  std::optional<ClaimName> last_with(const ClaimSubject& subject, ClaimOutcome outcome) const;
  // The number of attempts in a row, up to the last one, that have no outcome. For a running job it is at least 1.
  int open_attempts(const ClaimSubject& subject) const;
  std::vector<ClaimName> running() const; // the last attempts of running jobs, by job
  std::vector<ClaimSubject> subjects() const;

 private:
  // The outcome of each attempt; nullopt: none yet.
  using Attempts = std::map<int, std::optional<ClaimOutcome>>;
  const Attempts* find(const ClaimSubject& subject) const;
  std::map<ClaimSubject, Attempts> attempts_;
};

} // namespace warptune
