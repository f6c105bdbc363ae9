// The failures of a sweep, one entry per kind: configurations by their status, jobs by their error. Prints nothing.
#pragma once

#include "db/reader.h"
#include "tuner/sweep.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warptune::cli {

// The configurations of all jobs that failed with the same status, and the first of these configurations.
struct FailureKind {
  TrialStatus status = TrialStatus::invalid;
  std::int64_t count = 0;
  std::string job, config, evidence;
};

// Most frequent first. The jobs' results lack some data: the evidence, and the trials of jobs without a correct one.
// This data is read from the database; without a reader it is left out.
std::vector<FailureKind> collect_failures(const std::vector<SweepJob>& jobs, const SweepResult& result,
                                          const Reader* reader);

// Jobs that failed for one reason: errors of the same kind whose first clauses differ only in names and numbers.
struct JobFailures {
  ErrorKind kind = ErrorKind::internal;
  std::string evidence;          // the complete error of the first job
  std::vector<std::string> jobs; // "softmax rows=64,cols=128;bf16;log=0 on cuda:0"
};

// Most frequent first.
std::vector<JobFailures> group_job_failures(const std::vector<SweepJob>& jobs, const SweepResult& result);

} // namespace warptune::cli
