// A sweep's file (docs/sweep.md) -> its jobs: kernels x shapes x dtypes x flags, each with its budget. The only reader
// of the format. Uses the limits of a spec but no device, so it does not check whether a device has a valid
// configuration for a job.
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

// Options of the command line that override the file. Empty: as in the file.
struct SweepOverrides {
  std::string strategy;
  std::optional<Budget> budget;
  std::optional<std::uint64_t> seed;
  std::string only; // only this kernel's jobs
  std::optional<Objective> objective = {};
  bool energy = false;       // true: measured, whatever the file says
  StopRules stop_rules = {}; // only the rules that the user set
  std::optional<KnowledgeParts> knowledge = {};
  bool allow_build = false; // true: for every job
  bool baseline = false;    // true: for every job
};

struct SweepPlan {
  std::string about;              // the file's own description
  std::vector<SweepJob> jobs;     // in the order of the file: by shape, then dtype, then flags; the last varies fastest
  std::vector<std::string> notes; // sentences for the user
};

// `also`: folders of further implementations, as the job names them.
using KernelLoader = std::function<Result<Kernel>(const std::string& name, const std::vector<std::string>& also)>;

// Errors (kind bad_input): all errors of the file, one per line, "ORIGIN: at POINTER: what is wrong; what to do". Of
// jobs that would be the same session, only one is kept, with a note. A kernel is loaded once for each choice of
// further implementations, whatever the number of its jobs.
Result<SweepPlan> expand_sweep(std::string_view json, const std::string& origin, const SweepOverrides& overrides,
                               const KernelLoader& load);

// `name`: a shipped sweep ("llm"), otherwise a file. Paths in the file are relative to it. `also`: folders of further
// implementations, for every kernel of the sweep, in addition to those of each job.
Result<SweepPlan> load_sweep(const std::string& name, const SweepOverrides& overrides, const TemplateStore& store,
                             const std::vector<std::string>& also = {});

// The file of a shipped sweep of this name; otherwise the name is the file.
std::filesystem::path sweep_path(const std::string& name, const TemplateStore& store);

struct ShippedSweep {
  std::string name;
  std::filesystem::path file;
};
// The shipped sweeps, by name: every suites/NAME.json in the template folders.
std::vector<ShippedSweep> shipped_sweeps(const TemplateStore& store);

} // namespace warptune::cli
