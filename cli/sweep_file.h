// Reads the file of a sweep (docs/sweep.md) and returns its jobs: kernels x shapes x dtypes x flags, each with its
// budget. No other code reads this format. Uses the limits in a spec but no device, so it does not check whether a
// device has a valid configuration for a job.
#pragma once

#include "core/result.h"
#include "jit/template_store.h"
#include "tuner/sweep.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

// Command-line options that override the file. An empty option does not change the file's value.
struct SweepOverrides {
  std::string strategy;
  std::optional<Budget> budget;
  std::optional<std::uint64_t> seed;
  std::string only; // only the jobs of this kernel
  std::optional<Objective> objective = {};
  bool energy = false;       // true: measure energy, whatever the file says
  StopRules stop_rules = {}; // only those that the user set
  std::optional<KnowledgeParts> knowledge = {};
  bool allow_build = false; // true: for all jobs
  bool baseline = false;    // true: for all jobs
};

struct SweepPlan {
  std::string about;              // the file's description of itself
  std::vector<SweepJob> jobs;     // in the order of the file: by shape, then dtype, then flags; flags vary fastest
  std::vector<std::string> notes; // sentences for the user
};

// `also`: folders with additional implementations, as the job names them.
using KernelLoader = std::function<Result<Kernel>(const std::string& name, const std::vector<std::string>& also)>;

// The error (bad_input) lists all errors of the file, one per line: "ORIGIN: at POINTER: what is wrong; what to do". If
// several jobs would be the same session, only one is kept, with a note. A kernel is loaded only once for each choice
// of additional implementations, however many jobs it has.
Result<SweepPlan> expand_sweep(std::string_view json, const std::string& origin, const SweepOverrides& overrides,
                               const KernelLoader& load);

// `name`: a shipped sweep ("llm") or else a file; paths in the file are relative to it. `also`: folders with additional
// implementations for every kernel of the sweep, besides those of each job.
Result<SweepPlan> load_sweep(const std::string& name, const SweepOverrides& overrides, const TemplateStore& store,
                             const std::vector<std::string>& also = {});

// Returns the file of the shipped sweep with this name; if there is none, `name` itself as a path.
std::filesystem::path sweep_path(const std::string& name, const TemplateStore& store);

struct ShippedSweep {
  std::string name;
  std::filesystem::path file;
};
// Returns the shipped sweeps, sorted by name: every suites/NAME.json in the template folders.
std::vector<ShippedSweep> shipped_sweeps(const TemplateStore& store);

} // namespace warptune::cli
