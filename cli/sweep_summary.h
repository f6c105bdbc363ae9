// What `sweep` prints at its end: a table of jobs, the failures with commands to inspect them, and the next command to
// type.
#pragma once

#include "cli/sweep_failures.h"
#include "cli/table.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::cli {

struct SweepReport {
  std::string name;
  const std::vector<SweepJob>& jobs;
  const SweepResult& result;
  const std::vector<FailureKind>& failures;
  const std::vector<std::string>& notes; // from the sweep's file
  std::filesystem::path database;
  std::string db; // as typed
  std::string resume_command;
  std::string run = {}; // the run folder, as typed; empty: no run, so the results are in `database`
};

// Returns each note once, for --json, because most sessions of a sweep have the same notes.
std::vector<std::string> distinct_notes(const SweepReport& report);
// Returns the notes for the screen: equal notes of several jobs become one note, with the number of jobs.
std::vector<std::string> grouped_notes(const SweepReport& report);

const char* state_name(JobState state);
Table sweep_table(const std::vector<SweepJob>& jobs, const SweepResult& result); // the jobs that were begun
// Returns "64 jobs: 60 finished, 3 known, 1 failed; 5120 configurations measured in 12m30s". The number of jobs
// includes those that were never begun and have no report. `is_part`: the result is one process's part of a run, so
// jobs without a report do not count.
std::string render_sweep_totals(const std::vector<SweepJob>& jobs, const SweepResult& result, bool is_part = false);
void print_sweep_text(const SweepReport& report, bool wide); // `wide`: --wide
void print_sweep_json(const SweepReport& report);

} // namespace warptune::cli
