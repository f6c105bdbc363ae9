// The content of an opened pack or database, as the library needs it: kernels with their tuning results, devices by
// name, and stored programs. Chooses configurations and explains the choice (choose.cpp). Uses no driver and launches
// nothing, so it works without a GPU. An open catalog never changes; a newer file is opened as another catalog.
#pragma once

#include "db/learned_rule.h"
#include "db/reader.h"
#include "jit/template_store.h"
#include "plan/compile_request.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warptune {

// The program with which a result was measured.
struct NamedCubin {
  std::string hash;
  std::string compiler; // compiler of the session that made the result
};

// The tuning results of a kernel, for one problem or for all.
struct TunedResults {
  std::vector<TunedEntry> entries;
  std::set<Config> configs;                  // configurations of the entries
  std::map<std::int64_t, NamedCubin> cubins; // keyed by TunedEntry::row_id
  std::vector<std::string> notes;            // sentences: which results were left out, and why
};

// A kernel with the tuning results that were read so far. The choice for a tuned problem reads only the results of this
// problem. The results of all problems, and the rule for untuned problems, are read when first needed.
struct TunedKernel {
  Kernel kernel;
  mutable std::unique_ptr<const TunedResults> all; // set once, guarded by the catalog's mutex; never changed
  // Guarded by the catalog's mutex. The key is the set of problems that the rule was learned from
  // (Reader::near_problems). The rules refer to kernel.spec.
  mutable std::map<SomeProblems, std::shared_ptr<const LearnedRule>> learned;
};

struct StoredProgram {
  std::string hash;                          // name of the program in the file; empty: the file does not have it
  std::string digest;                        // image_digest
  std::shared_ptr<const CubinRecord> record; // set if the program was read during this choice
};

// The program that a configuration needs.
struct NeededProgram {
  std::string key;      // program_key of its plan; empty: the plan has no program
  StoredProgram stored; // the entry of this program in the file
  std::string unusable; // a clause: why the stored program cannot be used; empty: no reason is known
};

// A configuration that may be chosen.
struct PlannedCandidate {
  LaunchPlan plan;
  CompileRequest compile;
  NeededProgram program;
};

struct Choice {
  Problem problem;
  Selection selection;
  LaunchPlan plan;
  CompileRequest compile;
  NeededProgram program;
  std::optional<TunedEntry> entry; // nullopt: the default or the learned rule was used
  std::string config, explanation;
};

// Which programs a choice may use.
struct ProgramRule {
  // Returns why the candidate may not be chosen; nullopt: it may.
  std::function<std::optional<std::string>(const PlannedCandidate&)> refuse;
  bool is_stored_only = false;   // if the problem has no usable result, try only configurations in the file
  bool by_expected_time = false; // see SelectOptions
};

// Returns a hash over the loaded parts of a program: the cubin and the names of its functions. The program's key
// (program_key) covers only the source.
std::string image_digest(const CubinRecord& cubin);

class Catalog {
 public:
  static Result<std::unique_ptr<Catalog>>
  open(const std::string& path); // an empty path follows the rules of database_path

  // Opens the user's own database, or the database that the environment names. If this database does not exist yet, the
  // catalog is empty, and kernels come from the shipped templates. A pack must exist.
  static Result<std::unique_ptr<Catalog>> open_or_empty(const std::filesystem::path& path);

  bool is_pack() const { return is_pack_; }
  bool is_absent() const { return is_absent_; } // whether the file did not exist when it was opened
  const std::filesystem::path& path() const { return path_; }
  const std::vector<std::string>& kernel_names() const { return names_; }

  // Returns the kernel from the file if it was tuned, otherwise from the shipped templates. Reads each kernel once.
  Result<std::shared_ptr<const TunedKernel>> kernel(const std::string& name) const;

  // `name`: the name or UUID of a device in the file, or an architecture.
  Result<DeviceInfo> device(const std::string& name) const;

  // Applies the rules of predict/select.h. Chooses only configurations that this device can launch, with an available
  // program and with buffers at multiples of `alignment` bytes.
  Result<Choice> choose(const TunedKernel& tuned, const Problem& problem, std::uint32_t alignment,
                        const DeviceInfo& device, const ProgramRule& rule) const;

  Result<std::optional<CubinRecord>> cubin(const std::string& hash) const;
  // Records that a stored program could not be loaded, so that later choices skip it. `why`: as in
  // NeededProgram::unusable.
  void set_unusable(const std::string& hash, const std::string& why) const;

 private:
  class Chooser;
  explicit Catalog(Reader reader) : reader_(std::move(reader)) {}
  Result<std::shared_ptr<TunedKernel>> load_kernel(const std::string& name) const;
  Result<TunedResults> make_results(const Kernel& kernel, std::vector<BestRecord> rows) const;
  Result<TunedResults> results_of(const TunedKernel& tuned, const Problem& problem) const;
  const TunedResults* find_all_results(const TunedKernel& tuned) const; // nullptr: not read yet
  Result<const TunedResults*> all_results(const TunedKernel& tuned) const;
  Result<std::shared_ptr<const LearnedRule>> learned_rule(const TunedKernel& tuned, const Problem& problem,
                                                          const DeviceInfo& device) const;
  // Finds a program in the file. The result's hash is empty if the file lacks the program or has only a part of it;
  // `unusable` then says why. Error (internal): the file could not be searched.
  Result<StoredProgram> find_stored(const std::string& hash, std::string& unusable) const;

  struct KnownProgram {
    std::string digest, unusable; // both empty: the file does not have the program
  };

  Reader reader_;
  std::filesystem::path path_;
  bool is_pack_ = false, is_absent_ = false;
  std::vector<std::string> names_;
  std::vector<DeviceInfo> devices_;
  mutable std::mutex mutex_; // guards reader_ and the members below
  mutable std::map<std::string, std::shared_ptr<const TunedKernel>, std::less<>> kernels_;
  mutable std::map<std::string, KnownProgram, std::less<>> programs_; // keyed by hash
};

} // namespace warptune
