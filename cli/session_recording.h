// Makes a recording from a session of a database. `record` writes it, and `export` converts it.
#pragma once

#include "cli/asked_problem.h"
#include "recording/recording.h"

#include <string>
#include <vector>

namespace warptune::cli {

struct SessionArgs {
  ProblemArgs problem; // each part may be missing
  std::string db;
  std::int64_t session = 0; // 0: the newest finished session of the problem
};

struct RecordedSession {
  SessionRecord session;
  Recording recording;
  std::vector<std::string> notes; // sentences for those who use the recording
  TrialCounts trials;             // counts of the session's trials
};

// Makes the error for session `id`, which is not in the database, or is for another kernel or problem than the command
// names. `sessions`: all sessions of the database.
Error missing_session(const std::vector<SessionRecord>& sessions, RowId id, const std::string& kernel,
                      const std::string& problem = {});

Result<RecordedSession> record_session(const SessionArgs& args);

} // namespace warptune::cli
