// The rows of the database as values (db/schema/*.sql holds the tables). Shared by reader and writer.
#pragma once

#include "core/device.h"
#include "core/select.h"
#include "core/trial.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

using RowId = std::int64_t;

// What a session is about; two sessions with equal identities measure the same thing.
struct SessionIdentity {
  std::string kernel, source_hash; // spec name and content hash
  std::string problem;             // problem_key
  std::string device_backend, device_name, device_uuid, arch, driver, compiler;
  std::string strategy, budget; // as typed; the strategy with its options
  std::uint64_t seed = 0;
  bool cold_l2 = true;
  bool operator==(const SessionIdentity&) const = default;
};

enum class SessionState { running, interrupted, finished, failed };

struct SessionRecord {
  RowId id = 0;
  SessionIdentity identity;
  SessionState state = SessionState::running;
  std::string started_at, ended_at, version; // ISO 8601 UTC
  std::int64_t space_size = 0, trial_count = 0, ok_count = 0;
};

// The outcome of a session's final rounds (docs/methodology: certified winners).
struct BestRecord {
  RowId id = 0, session = 0;
  std::string kernel, source_hash, problem, device_name, device_uuid, arch, config, default_config;
  double median_us = 0, ci_low_us = 0, ci_high_us = 0, default_us = 0; // default_us 0: the default did not run
  double roofline_share = 0;
  std::string bound;
  bool certified = false;
  bool cold_l2 = true;              // the session's
  double p_value = 1;               // that it is not faster than the default
  std::string outcome;              // "faster than the default", "not distinguishable from the default", ...
  std::vector<std::string> tie_set; // config texts, the winner's included
  std::string checks;               // verification seeds and ragged shapes passed, or why none was possible
  std::string cubin_hash;
  std::string created_at;
};

// A kernel as it was when tuned, complete: a reader needs no template folder.
struct KernelRecord {
  RowId id = 0;
  std::string name, source_hash;
  std::vector<std::pair<std::string, std::string>> files;
};

struct CubinRecord {
  std::string hash, arch, image;
  std::vector<std::string> lowered_names;
};

} // namespace warptune
