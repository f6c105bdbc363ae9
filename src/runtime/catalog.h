// An opened pack or database as the library sees it: kernels with what was tuned for them, devices by name, and stored
// programs. Chooses and explains; knows no driver and launches nothing, so it works on a machine without a GPU. What
// the file says does not change while it is open; a newer file is another catalog.
#pragma once

#include "core/plan.h"
#include "core/select.h"
#include "db/reader.h"
#include "jit/template_store.h"

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

struct TunedKernel {
  Kernel kernel;
  std::vector<TunedEntry> entries;
  std::map<std::int64_t, std::string> cubins; // TunedEntry::row_id -> hash of its cubin
  std::optional<LearnedTransfers> learned;    // refers to kernel.spec
  std::set<Config> known;                     // configurations that the file has times or results of, and the default
  std::vector<std::string> notes;             // sentences: what was left out and why
};

struct Choice {
  Problem problem;
  Selection selection;
  LaunchPlan plan;
  std::string program;             // program_key of the plan
  std::string stored;              // hash of the stored cubin that is this very program; empty when there is none
  std::optional<TunedEntry> entry; // what was tuned; nothing for the default and for the learned rule
  std::string config, explanation;
};

// The program of a configuration that is being considered.
struct Candidate {
  LaunchPlan plan;
  std::string program, stored; // as of Choice
};

// Which programs can be had.
struct ProgramRule {
  std::function<std::optional<std::string>(const Candidate&)> refuse; // why not; nothing: it can
  bool is_stored_only = false; // only what the file knows is worth a look: the rest of the space has no program
};

// Of what a program is loaded from: its image and the names of its functions. Its key tells the source alone.
std::string image_digest(const CubinRecord& cubin);

class Catalog {
 public:
  static Result<std::unique_ptr<Catalog>> open(const std::string& path); // empty: database_path's rules

  bool is_pack() const { return is_pack_; }
  const std::filesystem::path& path() const { return path_; }
  const std::vector<std::string>& kernel_names() const { return names_; }

  // From the file, where it was tuned, else from the shipped templates. Read once.
  Result<std::shared_ptr<const TunedKernel>> kernel(const std::string& name) const;

  // The name or UUID of a device in the file, or an architecture.
  Result<DeviceInfo> device(const std::string& name) const;

  // What the rules of core/select.h choose of the configurations that can be launched for this problem on this device,
  // with buffers whose addresses are multiples of `alignment` bytes, and whose program can be had.
  Result<Choice> choose(const TunedKernel& tuned, const Problem& problem, std::uint32_t alignment,
                        const DeviceInfo& device, const ProgramRule& rule) const;

  Result<std::optional<CubinRecord>> cubin(const std::string& hash) const;
  std::string digest(const std::string& hash) const; // image_digest of that cubin; empty: the file does not hold it

 private:
  explicit Catalog(Reader reader) : reader_(std::move(reader)) {}
  Result<std::shared_ptr<TunedKernel>> load_kernel(const std::string& name) const;
  bool has_cubin(const std::string& hash) const;
  bool is_same_program(const TunedKernel& tuned, const TunedEntry& entry, const CompileRequest& request,
                       const DeviceInfo& device) const;
  std::string find_stored(const TunedKernel& tuned, const Config& config, const Candidate& candidate,
                          const DeviceInfo& device) const;

  Reader reader_;
  std::filesystem::path path_;
  bool is_pack_ = false;
  std::vector<std::string> names_;
  std::vector<DeviceInfo> devices_;
  mutable std::mutex mutex_; // of reader_ and what follows
  mutable std::map<std::string, std::shared_ptr<const TunedKernel>, std::less<>> kernels_;
  mutable std::map<std::string, bool, std::less<>> known_cubins_;
  mutable std::map<std::string, std::string, std::less<>> digests_;
};

} // namespace warptune
