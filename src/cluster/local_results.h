// LocalResults: the databases that a process writes. They are in a local folder, because SQLite needs locks and shared
// memory, which network file systems do not provide reliably. After each job the process copies its database to
// results/ of the run folder, and renames the finished copy.
//
// A process writes to one database, and begins another when the database exceeds kMaxBytes. So the number of published
// files depends on the number of processes and not on the number of jobs: 10,000 jobs of 100 trials on 256 devices give
// 256 files of about 4 MB. This keeps the run folder small and merging quick. The cost is that each job copies the
// whole file again: at most kMaxBytes per job. In this example, a process copies 80 MB in total. The database also has
// the data that later sessions of the process need: earlier results and the device's roofs.
#pragma once

#include "core/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace warptune {

// Returns the error sentence for a database that another program has deleted.
std::string deleted_database(const std::filesystem::path& database);

class LocalResults {
 public:
  static constexpr std::uintmax_t kMaxBytes = 16 << 20;

  // `parent`: a local folder; empty: $TMPDIR or /tmp. `process`: a RunProcess::id. Error (database): the folder cannot
  // be created.
  static Result<std::unique_ptr<LocalResults>> make(const std::filesystem::path& parent,
                                                    const std::filesystem::path& run, const std::string& process);
  ~LocalResults(); // removes the folder, unless something in it is unpublished
  LocalResults(const LocalResults&) = delete;
  LocalResults& operator=(const LocalResults&) = delete;

  std::filesystem::path database() const; // for the next job
  // Copies `published`, another process's database in results/, and returns the copy, so that this process can continue
  // from its measurements. If `published` is missing or damaged, returns database().
  std::filesystem::path continue_from(const std::string& published);
  // The damaged files that continue_from could not use.
  std::set<std::filesystem::path> damaged() const;
  // Publishes the current state of a database of this folder, even while the database is written to. Returns its name
  // in results/; empty if it has no session to publish. Error (database): the run folder cannot be written; the message
  // says where the database is kept.
  Result<std::string> publish(const std::filesystem::path& database);
  // Keeps the databases, because `why` prevents this process from publishing. Returns the error, which says where the
  // databases are.
  tl::unexpected<Error> keep(const Error& why, const std::filesystem::path& database);

 private:
  LocalResults(std::filesystem::path folder, std::filesystem::path results, std::string process);
  std::filesystem::path volume(int number) const;
  bool was_deleted(const std::filesystem::path& database) const;
  void watch(const std::filesystem::path& database);

  const std::filesystem::path folder_, results_;
  const std::string process_;
  mutable std::mutex mutex_;
  int last_ = 1, current_ = 1, copies_ = 0;
  bool all_published_ = true;
  std::set<std::filesystem::path> damaged_;
  // Open file descriptors of the published databases. Their only purpose is to detect that a database was deleted. A
  // new database with the same name would otherwise replace the published copy, whose data would then be lost.
  std::map<std::filesystem::path, int> watched_;
};

} // namespace warptune
