// Groups the failures of a sweep by kind: configurations by status, jobs by error. Prints nothing.
#pragma once

#include "db/reader.h"
#include "tuner/sweep.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warptune::cli {

// How many configurations of all jobs failed with the same status, and the first of them.
struct FailureKind {
  TrialStatus status = TrialStatus::invalid;
  std::int64_t count = 0;
  std::string job, config, evidence;
};

// Returns the kinds, most frequent first. Reads from the database the data that the results of jobs lack: diagnostics,
// and the trials of jobs without a correct trial. Without a reader, these data are left out.
std::vector<FailureKind> collect_failures(const std::vector<SweepJob>& jobs, const SweepResult& result,
                                          const Reader* reader);

// Jobs that failed for the same reason: their errors are of one kind, and their first clauses differ only in names and
// numbers.
struct JobFailures {
  ErrorKind kind = ErrorKind::internal;
  std::string evidence;          // the complete error of the first job
  std::vector<std::string> jobs; // "softmax rows=64,cols=128;bf16;log=0 on cuda:0"
};

// Returns the groups, the largest first.
std::vector<JobFailures> group_job_failures(const std::vector<SweepJob>& jobs, const SweepResult& result);

} // namespace warptune::cli
