// The options of a session on the toy device, with all its files in one folder.
#pragma once

#include "support/paths.h"
#include "support/temp_dir.h"
#include "tuner/session.h"

namespace warptune::test {

inline SessionOptions toy_session_options(const TempDir& dir) {
  SessionOptions options;
  options.worker_executable = program_dir() / "test_worker";
  options.database = dir / "t.db";
  options.cache_directory = dir.path();
  options.compile_workers = 2;
  options.device = "toy:";
  options.compile_timeout_s = options.evaluate_timeout_s = 60;
  return options;
}

} // namespace warptune::test
