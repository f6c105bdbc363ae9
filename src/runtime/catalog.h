// An opened database as the dispatcher sees it: kernels with what was tuned for them, and devices by name. Chooses and
// explains; knows no driver and launches nothing, so it works on a machine without a GPU.
#pragma once

#include "core/plan.h"
#include "core/select.h"
#include "db/reader.h"
#include "jit/template_store.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

struct TunedKernel {
  Kernel kernel;
  std::vector<TunedEntry> entries;
  std::map<std::int64_t, std::string> cubins; // TunedEntry::row_id -> hash of its cubin
  std::vector<std::string> notes;             // sentences: what was left out and why
};

// As the application wrote it.
struct Request {
  std::string_view kernel, shape, dtype, flags;
};

struct Choice {
  Problem problem;
  Selection selection;
  LaunchPlan plan;
  std::optional<TunedEntry> entry; // what was tuned; nothing for the default
  std::string cubin_hash;          // a cubin in the database that is this very program; empty when there is none
  std::string config, explanation;
};

class Catalog {
 public:
  static Result<std::unique_ptr<Catalog>> open(const std::string& path); // empty: database_path's rules

  const std::vector<std::string>& kernel_names() const { return names_; }

  // From the database, where it was tuned, else from the shipped templates. Read once.
  Result<std::shared_ptr<const TunedKernel>> kernel(const std::string& name) const;

  // The name or UUID of a device in the database, or an architecture.
  Result<DeviceInfo> device(const std::string& name) const;

  // The nearest result that can be launched for this problem on this device.
  Result<Choice> choose(const TunedKernel& tuned, const Request& request, const DeviceInfo& device) const;

  Result<std::optional<CubinRecord>> cubin(const std::string& hash) const;

 private:
  explicit Catalog(Reader reader) : reader_(std::move(reader)) {}
  Result<TunedKernel> load_kernel(const std::string& name) const;
  bool is_same_program(const TunedKernel& tuned, const Choice& choice, const DeviceInfo& device) const;

  Reader reader_;
  std::vector<std::string> names_;
  std::vector<DeviceInfo> devices_;
  mutable std::mutex mutex_; // of reader_ and kernels_
  mutable std::map<std::string, std::shared_ptr<const TunedKernel>, std::less<>> kernels_;
};

} // namespace warptune
