// A session of a database as a recording: what `record` writes and `export` converts.
#pragma once

#include "cli/asked_problem.h"
#include "recording/recording.h"

#include <string>
#include <vector>

namespace warptune::cli {

struct SessionArgs {
  ProblemArgs problem; // all of it optional
  std::string db;
  std::int64_t session = 0; // 0: the newest finished one of the problem
};

struct RecordedSession {
  SessionRecord session;
  Recording recording;
  std::vector<std::string> notes; // what whoever uses the recording should know
};

Result<RecordedSession> record_session(const SessionArgs& args);

} // namespace warptune::cli
