#include "db/spec_reader.h"

#include <utility>

namespace warptune {

Result<std::vector<SpecTrial>> SpecReader::trials(RowId session) {
  WT_TRY(auto rows, reader_->trials(session));
  std::vector<SpecTrial> out;
  out.reserve(rows.size());
  for (TrialRow& row : rows) {
    const Result<Config>& config = values_.config(row.config);
    out.push_back({std::move(row), config});
  }
  return out;
}

Result<std::vector<SpecBest>> SpecReader::best() {
  WT_TRY(auto rows, reader_->best(values_.spec().name));
  std::vector<SpecBest> out;
  out.reserve(rows.size());
  for (BestRecord& row : rows) {
    const Result<Problem>& problem = values_.problem(row.problem);
    const Result<Config>& config = values_.config(row.config);
    out.push_back({std::move(row), problem, config});
  }
  return out;
}

} // namespace warptune
