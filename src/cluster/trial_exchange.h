// TrialExchange: the folder trials/ of a problem that is split over several processes. Each process publishes its
// measurements in its own files. These files never change, so a published trial stays readable whatever happens to the
// process:
//   PROCESS.NUMBER   some trials, one per line
//   PROCESS.left     the process has left the search; the content is the name of the Ending
#pragma once

#include "core/result.h"
#include "core/trial.h"
#include "tuner/budget.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace warptune {

class TrialExchange {
 public:
  // `process`: a RunProcess::id; empty: this object only reads.
  TrialExchange(const std::filesystem::path& run, std::string process);

  // Queues a trial. publish() writes all queued trials to one file.
  void put(const Trial& trial);
  std::size_t waiting() const { return count_; }
  Result<void> publish();            // does nothing if the queue is empty
  Result<void> leave(Ending ending); // call it after publish()
  // Returns the trials that other processes published since the last call. Errors (database): the folder cannot be
  // read, or a file is damaged.
  Result<std::vector<Trial>> read();
  const std::map<std::string, Ending>& left() const { return left_; } // process -> why it left, as seen by read()

 private:
  Result<void> read_file(const std::string& name, std::vector<Trial>& trials) const;

  const std::filesystem::path folder_;
  const std::string process_;
  std::string lines_;
  std::size_t count_ = 0;
  int published_ = 0;
  std::set<std::string> seen_;
  std::map<std::string, Ending> left_;
};

} // namespace warptune
