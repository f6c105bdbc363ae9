// A session of a database as a recording: `record` writes it and `export` converts it.
#pragma once

#include "cli/asked_problem.h"
#include "recording/recording.h"

#include <string>
#include <vector>

namespace warptune::cli {

struct SessionArgs {
  ProblemArgs problem; // all parts are optional
  std::string db;
  std::int64_t session = 0; // 0: the problem's newest finished session
};

struct RecordedSession {
  SessionRecord session;
  Recording recording;
  std::vector<std::string> notes; // sentences for users of the recording
  TrialCounts trials;             // of the session
};

// The error for session `id`, which is not in the database, or is of another kernel or problem than the named ones.
// `sessions`: all sessions of the database.
Error missing_session(const std::vector<SessionRecord>& sessions, RowId id, const std::string& kernel,
                      const std::string& problem = {});

Result<RecordedSession> record_session(const SessionArgs& args);

} // namespace warptune::cli
