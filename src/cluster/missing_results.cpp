#include "cluster/missing_results.h"

#include "cluster/claims.h"
#include "cluster/facts.h"
#include "cluster/run_folder.h"
#include "cluster/shared_file.h"

#include <fmt/format.h>
#include <set>

namespace warptune {

Result<std::vector<MissingResult>> missing_results(const std::filesystem::path& run, const ClaimBoard& board) {
  WT_TRY(const auto names, list_shared(results_of(run)));
  const std::set<std::string> there(names.begin(), names.end());
  std::vector<MissingResult> missing;
  for (const ClaimSubject& subject : board.subjects()) {
    const auto finished = board.last_with(subject, ClaimOutcome::finished);
    if (!finished || board.state(subject) != ClaimBoard::State::finished) continue;
    WT_TRY(const auto text, read_shared(Claims::end_file(run, *finished, ClaimOutcome::finished)));
    std::string database = fact_text(text, "results");
    if (database.empty() || there.count(database) > 0) continue;
    WT_TRY(const auto time, time_of_shared(results_of(run) / database)); // NFS may return an old listing
    if (!time) missing.push_back({*finished, std::move(database)});
  }
  return missing;
}

std::string missing_text(const std::vector<MissingResult>& missing) {
  std::set<std::string> databases;
  for (const MissingResult& one : missing) databases.insert(one.database);
  const std::string jobs =
      missing.size() == 1 ? "1 finished job has" : fmt::format("{} finished jobs have", missing.size());
  const std::string first = "results/" + *databases.begin();
  if (databases.size() == 1) return fmt::format("{} no results, because {} was deleted or moved", jobs, first);
  return fmt::format("{} no results, because {} and {} more were deleted or moved", jobs, first, databases.size() - 1);
}

} // namespace warptune
