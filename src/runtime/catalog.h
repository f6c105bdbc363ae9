// An opened pack or database as the library sees it: kernels with what was tuned for them, devices by name, and stored
// programs. Chooses and explains (choose.cpp); knows no driver and launches nothing, so it works on a machine without a
// GPU. What the file says does not change while it is open; a newer file is another catalog.
#pragma once

#include "db/learned_rule.h"
#include "db/reader.h"
#include "jit/template_store.h"
#include "plan/compile_request.h"
#include "predict/select.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// What a result says of its program.
struct NamedCubin {
  std::string hash;
  std::string compiler; // of its session
};

// What was tuned for a kernel: for one problem, or for all.
struct TunedResults {
  std::vector<TunedEntry> entries;
  std::set<Config> configs;                  // of the entries
  std::map<std::int64_t, NamedCubin> cubins; // by TunedEntry::row_id
  std::vector<std::string> notes;            // sentences: what was left out and why
};

// What a choice for a problem that was tuned needs is its own results alone, however many others there are; all of them
// and the rule for untuned problems are read when they are first asked for.
struct TunedKernel {
  Kernel kernel;
  mutable std::unique_ptr<const TunedResults> all;    // set once, under the catalog's mutex; then it stays
  mutable std::unique_ptr<const LearnedRule> learned; // likewise; refers to kernel.spec
};

struct StoredProgram {
  std::string hash;                          // the name that the file has for it; empty: none
  std::string digest;                        // image_digest
  std::shared_ptr<const CubinRecord> record; // where it was read for this choice
};

// What a configuration needs to run.
struct NeededProgram {
  std::string key;      // program_key of its plan; empty: the plan has no program
  StoredProgram stored; // that is this very program
  std::string unusable; // a clause: why what the file holds of it cannot be used; empty: nothing is known against it
};

// A configuration that is being considered.
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
  std::optional<TunedEntry> entry; // what was tuned; nothing for the default and for the learned rule
  std::string config, explanation;
};

// Which programs can be had.
struct ProgramRule {
  std::function<std::optional<std::string>(const PlannedCandidate&)> refuse; // why not; nothing: it can
  bool is_stored_only = false; // only what the file knows is worth a look: the rest of the space has no program
};

// Of what a program is loaded from: its image and the names of its functions. Its key tells the source alone.
std::string image_digest(const CubinRecord& cubin);

class Catalog {
 public:
  static Result<std::unique_ptr<Catalog>> open(const std::string& path); // empty: database_path's rules

  // The same of the user's own database, or the one that the environment names: where there is none yet the catalog is
  // empty, and kernels come from the shipped templates. A pack has to be there.
  static Result<std::unique_ptr<Catalog>> open_or_empty(const std::filesystem::path& path);

  bool is_pack() const { return is_pack_; }
  bool is_absent() const { return is_absent_; } // there was no file
  const std::filesystem::path& path() const { return path_; }
  const std::vector<std::string>& kernel_names() const { return names_; }

  // From the file, where it was tuned, else from the shipped templates. Read once.
  Result<std::shared_ptr<const TunedKernel>> kernel(const std::string& name) const;

  // The name or UUID of a device in the file, or an architecture.
  Result<DeviceInfo> device(const std::string& name) const;

  // What the rules of predict/select.h choose of the configurations that can be launched for this problem on this
  // device, with buffers whose addresses are multiples of `alignment` bytes, and whose program can be had.
  Result<Choice> choose(const TunedKernel& tuned, const Problem& problem, std::uint32_t alignment,
                        const DeviceInfo& device, const ProgramRule& rule) const;

  Result<std::optional<CubinRecord>> cubin(const std::string& hash) const;
  // A stored program that could not be loaded: later choices pass it over. `why` as NeededProgram::unusable.
  void set_unusable(const std::string& hash, const std::string& why) const;

 private:
  class Chooser;
  explicit Catalog(Reader reader) : reader_(std::move(reader)) {}
  Result<std::shared_ptr<TunedKernel>> load_kernel(const std::string& name) const;
  Result<TunedResults> make_results(const Kernel& kernel, std::vector<BestRecord> rows) const;
  Result<TunedResults> results_of(const TunedKernel& tuned, const Problem& problem) const;
  const TunedResults* find_all_results(const TunedKernel& tuned) const; // nullptr: not read yet
  Result<const TunedResults*> all_results(const TunedKernel& tuned) const;
  Result<const LearnedRule*> learned_rule(const TunedKernel& tuned) const;
  // Empty hash: the file does not hold it, or not whole; `unusable` says why then. Kind internal: it could not be
  // looked.
  Result<StoredProgram> find_stored(const std::string& hash, std::string& unusable) const;

  struct KnownProgram {
    std::string digest, unusable; // both empty: not there
  };

  Reader reader_;
  std::filesystem::path path_;
  bool is_pack_ = false, is_absent_ = false;
  std::vector<std::string> names_;
  std::vector<DeviceInfo> devices_;
  mutable std::mutex mutex_; // of reader_ and what follows
  mutable std::map<std::string, std::shared_ptr<const TunedKernel>, std::less<>> kernels_;
  mutable std::map<std::string, KnownProgram, std::less<>> programs_; // by hash
};

} // namespace warptune
