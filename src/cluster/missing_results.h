// Finished jobs whose results are missing, because published databases were deleted or moved.
#pragma once

#include "cluster/claim_board.h"
#include "core/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

struct MissingResult {
  ClaimName claim;      // the attempt that finished the job
  std::string database; // name of the file that results/ does not have
};

// Reads one small file for each finished job. Jobs that finished without a database are not missing. The result is
// sorted by job.
Result<std::vector<MissingResult>> missing_results(const std::filesystem::path& run, const ClaimBoard& board);

// "3 finished jobs have no results, because results/a.db and 1 more database were deleted or moved". Precondition:
// `missing` is not empty.
std::string missing_text(const std::vector<MissingResult>& missing);

} // namespace warptune
