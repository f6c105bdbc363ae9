// A sweep's file (docs/sweep.md) -> its jobs: kernels x shapes x dtypes x flags, each with its budget. The only reader
// of the format. Knows what a spec allows; nothing of devices, so whether a device has a valid configuration for a job
// is not decided here.
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

// From the command line; stands above what the file says. Empty: as the file says.
struct SweepOverrides {
  std::string strategy;
  std::optional<Budget> budget;
  std::optional<std::uint64_t> seed;
  std::string only; // this kernel's jobs alone
  std::optional<Objective> objective = {};
  bool energy = false;       // true: measured whatever the file says
  StopRules stop_rules = {}; // each rule that is set
  std::optional<KnowledgeParts> knowledge = {};
  bool allow_build = false; // true: for every job
  bool baseline = false;    // true: for every job
};

struct SweepPlan {
  std::string about;              // what the file says of itself
  std::vector<SweepJob> jobs;     // in the order of the file: by shape, then dtype, then flags; the last varies fastest
  std::vector<std::string> notes; // sentences for the user
};

// `also`: folders of further implementations, as the job names them.
using KernelLoader = std::function<Result<Kernel>(const std::string& name, const std::vector<std::string>& also)>;

// Errors (kind bad_input): every one of the file, one a line, "ORIGIN: at POINTER: what is wrong; what to do". Jobs
// that would be the same session are kept once, with a note. A kernel is loaded once, whatever the number of its
// jobs, for each choice of further implementations.
Result<SweepPlan> expand_sweep(std::string_view json, const std::string& origin, const SweepOverrides& overrides,
                               const KernelLoader& load);

// `name`: a shipped sweep ("llm"), else a file. Paths in it are relative to the file.
// `also`: folders of further implementations, for every kernel of the sweep, beside those of each job.
Result<SweepPlan> load_sweep(const std::string& name, const SweepOverrides& overrides, const TemplateStore& store,
                             const std::vector<std::string>& also = {});

struct ShippedSweep {
  std::string name;
  std::filesystem::path file;
};
// suites/NAME.json beside the templates, by name.
std::vector<ShippedSweep> shipped_sweeps(const TemplateStore& store);

} // namespace warptune::cli
