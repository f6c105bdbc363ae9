// A small operator and a database of tuned results for it, as the tuner would write it.
#pragma once

#include "db/stored_kernel.h"
#include "db/writer.h"
#include "jit/compiler.h"
#include "spec/config.h"
#include "support/hashed_record.h"
#include "support/request_of.h"
#include "support/temp_dir.h"
#include "unit/runtime/library.h"

#include <gmock/gmock.h>
#include <optional>
#include <stdexcept>
#include <string>

namespace warptune::test {

// y = alpha * x + y, in one launch or (SPLIT > 1) through a workspace in two. The second template argument depends on
// the shape, so a neighbour's cubin is not always the right one.
inline constexpr const char* kBlendSpec = R"json({
  "format": 1, "name": "blend", "summary": "y = alpha * x + y",
  "problem": {"dims": {"n": {"meaning": "elements", "max": 1073741824}}, "dtypes": ["fp32", "bf16"],
              "flags": {"mode": {"values": ["plain", "clamped"], "meaning": "what happens to large results"}}},
  "params": {"WIDTH": {"values": [1, 2, 4, 8], "default": 1, "meaning": "elements of a thread"},
             "SPLIT": {"values": [1, 2], "default": 1, "meaning": "parts"}},
  "constraints": [{"expr": "n % WIDTH == 0", "why": "a thread has whole vectors"}],
  "arguments": {
    "x": {"buffer": "dtype", "count": "n", "role": "input"},
    "alpha": {"scalar": "fp32", "value": 1.5, "role": "parameter"},
    "sums": {"buffer": "fp32", "count": "n", "role": "workspace"},
    "flags": {"buffer": "int32", "count": "33", "role": "workspace", "zero": true},
    "y": {"buffer": "dtype", "count": "n", "role": "inout"},
    "n": {"scalar": "int64", "value": "n"}
  },
  "launches": [
    {"kernel": "blend", "template": [{"type": "dtype"}, "WIDTH", "n % 16 == 0"], "when": "SPLIT == 1",
     "grid": ["ceil_div(n, 256 * WIDTH)"], "block": [256], "args": ["x", "y", "alpha", "n"]},
    {"kernel": "blend_part", "template": [{"type": "dtype"}, "WIDTH"], "when": "SPLIT > 1",
     "grid": ["ceil_div(n, 256 * WIDTH)"], "block": [256], "args": ["x", "sums", "flags", "y", "alpha", "n"]},
    {"kernel": "blend_rest", "when": "SPLIT > 1", "grid": ["ceil_div(n, 256)"], "block": [256],
     "args": ["sums", "flags", "y", "n"]}
  ],
  "reference": {"launches": [{"kernel": "blend_reference", "grid": [1], "block": [32], "args": ["x", "y", "alpha", "n"]}]},
  "cost": {"bytes_read": "2 * n * dtype_bytes", "bytes_written": "n * dtype_bytes", "flops": {"fp32": "2 * n"}},
  "tolerance": {"default": {"rtol": 1e-6}}
})json";

inline DeviceInfo fake_device(const std::string& name = "Fake H200") {
  DeviceInfo device;
  device.name = name;
  device.uuid = "GPU-" + name;
  device.arch = "sm_90a";
  device.limits = {132, 90, 32, 1024, 2048, 232448, 233472, 65536, 32, 62914560};
  return device;
}

template <class T> T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Each `version` has other sources, with another hash.
inline KernelRecord blend_record(const std::string& version = "first") {
  KernelRecord record;
  record.name = "blend";
  record.files = {{"kernel.cu", "// never compiled: the cubins of the tests are stored; version " + version + "\n"},
                  {"reference.cu", "//\n"},
                  {"spec.json", kBlendSpec}};
  return with_own_hash(std::move(record));
}

// Returns the key of a configuration's cubin, as the tuner stores it. The key has no compiler name, like the sessions
// of add_best.
inline std::string cubin_key(const KernelRecord& record, const std::string& problem, const std::string& config,
                             const DeviceInfo& device) {
  const KernelSpec spec = must(spec_of(record));
  const Problem parsed = must(parse_problem_key(spec, problem));
  return compile_key(
      must(request_of(spec, SourceFiles{record.files}, parsed, must(parse_config(spec, config)), device)), "");
}

struct Tuned {
  std::string problem, config;
  std::string device = "Fake H200";
  std::string cubin = {};        // the cubin's image; empty: none is stored
  std::string arch = "sm_90a";   // architecture of the cubin
  std::string version = "first"; // version of the sources
  double default_us = 25;        // the default's time; the configuration takes 10 us
  bool is_certified = true;
};

// Stores `best` as the result of a finished session. The kernel and the device must be stored already.
inline void add_best(Writer& writer, const DeviceInfo& device, const std::string& kernel,
                     const std::string& source_hash, const std::string& problem, BestRecord best) {
  SessionIdentity identity;
  identity.kernel = kernel;
  identity.source_hash = source_hash;
  identity.problem = problem;
  identity.device_backend = device.backend;
  identity.device_name = device.name;
  identity.device_uuid = device.uuid;
  identity.arch = device.arch;
  identity.strategy = "exhaustive";
  best.session = must(writer.begin_session(identity, 8, "0"));
  best.kernel = kernel;
  best.median_us = 10;
  Trial trial; // the winner's trial, without which the result is not valid
  trial.status = TrialStatus::ok;
  trial.timing = Timing{};
  trial.timing->median_us = 1e-5; // an impossible time, so that readers skip it and no rule is learned from it
  must(writer.record(best.session, best.config, trial));
  must(writer.put_best(best));
  must(writer.end_session(best.session, SessionState::finished));
}

// Adds results, each in its own session.
inline void add_tuned(const std::filesystem::path& path, const std::vector<Tuned>& results,
                      const std::optional<KernelRecord>& other = {}) {
  Writer writer = must(Writer::open(path));
  for (const Tuned& tuned : results) {
    const DeviceInfo device = fake_device(tuned.device);
    must(writer.put_device(device));
    const KernelRecord record = other ? *other : blend_record(tuned.version);
    must(writer.put_kernel(record));
    BestRecord best;
    best.config = tuned.config;
    best.default_us = tuned.default_us;
    best.certified = tuned.is_certified;
    if (!tuned.cubin.empty()) {
      DeviceInfo compiled_for = device;
      compiled_for.arch = tuned.arch;
      best.cubin_hash = cubin_key(record, tuned.problem, tuned.config, compiled_for);
      CubinRecord cubin{best.cubin_hash, tuned.arch, tuned.cubin, {"lowered_blend"}};
      if (tuned.config.find("SPLIT=2") != std::string::npos) cubin.lowered_names = {"lowered_part", "lowered_rest"};
      must(writer.put_cubin(cubin));
    }
    add_best(writer, device, record.name, record.source_hash, tuned.problem, std::move(best));
  }
}

} // namespace warptune::test
