// ClaimBoard: the state of each job of a run, found from the names of the files in claims/. A job may have several
// attempts:
//   JOB-MODEL.ATTEMPT            a process has claimed the job (the name is created only once, by link)
//   JOB-MODEL.ATTEMPT.finished   that process has published the result
//   JOB-MODEL.ATTEMPT.failed     the job has no result, and another attempt would not have one either
//   JOB-MODEL.ATTEMPT.back       that process has made the job available to others again
//   JOB-MODEL.ATTEMPT.lost       the published result was lost afterwards, so the job is available again
// A file whose name ends in ".tmp" is still being written, or is the file to which a process's claims are links. Killed
// processes leave such files behind, so lists of claims omit them.
//
// Names are added, but never removed or used again. To claim a job that is available again, or whose process is gone, a
// process creates the job's next attempt. If several processes try this at the same time, exactly one succeeds, even if
// they have old views of the folder. A job is finished if any of its attempts is finished, even an attempt whose claim
// was lost. Reads only names, not files.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// A job on one device model. Every job is done once on each model.
struct ClaimSubject {
  std::size_t job = 0; // index in the run's list of jobs
  std::string model;   // a model_key
  auto operator<=>(const ClaimSubject&) const = default;
};

struct ClaimName {
  ClaimSubject subject;
  int attempt = 1;
  std::string text() const;                                     // "00017-1a2b3c4d.1"
  static std::optional<ClaimName> parse(std::string_view name); // nullopt if the name also has an outcome
  auto operator<=>(const ClaimName&) const = default;
};

// If an attempt has several outcomes, the first one in this order counts: a job that was handed back may still be
// finished, and then its result may be lost.
enum class ClaimOutcome { lost, finished, failed, back };
std::string_view outcome_name(ClaimOutcome outcome); // as in the file names

class ClaimBoard {
 public:
  static constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);
  // Ignores unknown names, and jobs with an index of `jobs` or above, because no process could do such jobs.
  explicit ClaimBoard(const std::vector<std::string>& names, std::size_t jobs = kAnyNumber);

  enum class State { free, running, finished, failed };
  State state(const ClaimSubject& subject) const;      // `failed` also if there is no number left for another attempt
  int last_attempt(const ClaimSubject& subject) const; // number of the last attempt; 0: there is none
  // Returns the newest attempt with this outcome; nullopt: there is none.
  std::optional<ClaimName> last_with(const ClaimSubject& subject, ClaimOutcome outcome) const;
  // Returns the number of attempts after the last attempt that has an outcome. At least 1 for a running job.
  int open_attempts(const ClaimSubject& subject) const;
  std::vector<ClaimName> running() const; // the last attempt of each running job, sorted by job
  std::vector<ClaimSubject> subjects() const;

 private:
  // Attempt -> its outcome; nullopt: it has none yet.
  using Attempts = std::map<int, std::optional<ClaimOutcome>>;
  const Attempts* find(const ClaimSubject& subject) const;
  std::map<ClaimSubject, Attempts> attempts_;
};

} // namespace warptune
