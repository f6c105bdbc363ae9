#include "db/newest_rows.h"

#include "db/session_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace warptune::db {
namespace {

using Subject = std::tuple<RowId, RowId, RowId>; // kernel source, problem, device

// The results to return for each subject, one per objective; each subject is queried once.
class Winners {
 public:
  Winners(SQLite::Database& db, int schema_version)
      : db_(db), schema_version_(schema_version),
        rows_(db, best_query(db, schema_version, "b.id IN (SELECT id FROM ranked WHERE place = 1)",
                             "SELECT id FROM sessions WHERE kernel_id = ?1 AND problem_id = ?2 AND device_id = ?3",
                             true)) {}

  const std::vector<BestRecord>& of(const Subject& subject, std::int64_t& skipped) {
    const auto [found, is_new] = known_.try_emplace(subject);
    if (is_new) {
      rows_.reset();
      rows_.bind(1, std::get<0>(subject));
      rows_.bind(2, std::get<1>(subject));
      rows_.bind(3, std::get<2>(subject));
      found->second = read_bests(db_, schema_version_, rows_, skipped);
    }
    return found->second;
  }

 private:
  SQLite::Database& db_;
  int schema_version_;
  SQLite::Statement rows_;
  std::map<Subject, std::vector<BestRecord>> known_;
};

} // namespace

std::vector<BestRecord> newest_bests(SQLite::Database& db, int schema_version, const std::string& kernel,
                                     std::size_t limit, std::int64_t& left_out, std::int64_t& skipped) {
  SQLite::Transaction snapshot(db, SQLite::TransactionBehavior::DEFERRED);
  SQLite::Statement row(db, "SELECT b.id, s.kernel_id, s.problem_id, s.device_id, " + objective_column(schema_version) +
                                " FROM best b JOIN sessions s ON s.id = b.session_id WHERE ?1 = '' OR s.kernel_id IN "
                                "(SELECT id FROM kernels WHERE name = ?1) ORDER BY b.created_at DESC, b.id DESC");
  row.bind(1, kernel);
  Winners winners(db, schema_version);
  std::vector<BestRecord> newest;
  std::set<std::pair<Subject, std::string>> lists; // the complete list would have one result for each of these
  while (row.executeStep()) {
    const RowId id = row.getColumn(0).getInt64();
    const Subject subject{row.getColumn(1).getInt64(), row.getColumn(2).getInt64(), row.getColumn(3).getInt64()};
    lists.emplace(subject, row.getColumn(4).getString());
    if (newest.size() == limit) continue; // the others are only counted
    const std::vector<BestRecord>& of_subject = winners.of(subject, skipped);
    const auto winner =
        std::find_if(of_subject.begin(), of_subject.end(), [&](const BestRecord& best) { return best.id == id; });
    if (winner != of_subject.end()) newest.push_back(*winner);
  }
  left_out = static_cast<std::int64_t>(lists.size() - newest.size());
  return newest;
}

} // namespace warptune::db
