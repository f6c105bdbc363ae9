// Which stored results `verify` looks at: those that somebody would be given today, that fit what was asked for and the
// device at hand. Says how many were left out and why.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "db/reader.h"
#include "jit/template_store.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune::cli {

struct VerifyFilter {
  std::string kernel; // a name or the path of a folder; empty: all
  std::string shape, dtype, uuid;
  std::vector<std::string> sets; // "flag=value"; flags that are not named may have any value
};

// The device to look again on, by name; nothing when none is at hand.
struct VerifyDevice {
  std::string option; // for a worker: "auto", "cuda:0", "replay:PATH"; empty: none
  std::string name;   // empty for recordings, which are of several
};
// `device` as typed: empty (the first GPU, if there is one), auto, cuda:N, replay, replay:PATH or none. Kind no_device
// when the one that was named is not there; `why_none` says why an unnamed one is not.
Result<VerifyDevice> find_verify_device(const std::string& device, std::string& why_none);

// The sources of kernels as their folders hold them today.
class KernelFolders {
 public:
  explicit KernelFolders(std::vector<std::string> include) : include_(std::move(include)) {} // folders of headers
  // As load_kernel (cli/common.h).
  Result<Kernel> load(const std::string& name, const Reader& reader, std::vector<std::string>& notes) const;
  // Empty when there is no folder of that name, or it cannot be read.
  std::string source_hash(const std::string& kernel);
  // "the sources of a, b were not compared; ...": those of `rows` whose folder is not known. Empty when there is none.
  std::string not_compared(const std::vector<BestRecord>& rows);
  void add(const Kernel& kernel) { hashes_[kernel.spec.name] = kernel.source_hash; }

 private:
  std::vector<std::string> include_;
  std::map<std::string, std::string> hashes_;
};

struct RowsToVerify {
  std::vector<BestRecord> rows;
  std::vector<std::string> left_out; // "3 of another device", ...
};

// Errors (kind bad_input): a kernel that the database does not know, a problem that is none of the kernel's.
Result<RowsToVerify> find_rows_to_verify(const Reader& reader, const VerifyFilter& filter, const VerifyDevice& device,
                                         KernelFolders& folders);

} // namespace warptune::cli
