// Which stored results `verify` looks at: those that somebody would be given today, that fit what was asked for and the
// device at hand. Says how many were left out and why.
#pragma once

#include "cli/asked_problem.h"
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
  std::string option; // for a worker: "auto", "cuda:0", "recorded:PATH"; empty: none
  std::string name;   // empty for recordings, which are of several
};
// `device` as typed: empty (the first GPU, if there is one), auto, cuda:N, replay, recorded:PATH or none. Kind
// no_device when the one that was named is not there; `why_none` says why an unnamed one is not.
Result<VerifyDevice> find_verify_device(const std::string& device, std::string& why_none);

// The sources of kernels as their folders hold them today.
class KernelFolders {
 public:
  explicit KernelFolders(FolderArgs folders) : folders_(std::move(folders)) {}
  // As load_kernel (cli/common.h). The kernel's folder is known from then on.
  Result<Kernel> load(const std::string& name, const Reader& reader, std::vector<std::string>& notes);
  // Empty when there is no folder of that name, or it cannot be read.
  std::string source_hash(const std::string& kernel);
  // The same for a result; empty, too, where its sources had files from outside the kernel's folder (--also, --include)
  // that were not given: it is not known then what has changed.
  std::string source_hash(const BestRecord& row, const Reader& reader);
  // "the sources of a, b were not compared; ...": sentences on those of `rows` that could not be, and why.
  std::vector<std::string> not_compared(const std::vector<BestRecord>& rows, const Reader& reader);

 private:
  struct Folder {
    std::string hash, problem; // problem: why it cannot be read
    std::vector<std::string> files;
  };
  const Folder& folder(const std::string& kernel);
  void keep(const Kernel& kernel);
  // What a result's sources had from outside the folder and these have not; empty: nothing.
  const std::string& missing(const BestRecord& row, const Reader& reader);

  FolderArgs folders_;
  std::map<std::string, Folder> known_;
  std::map<std::pair<std::string, std::string>, std::string> missing_; // by kernel and source hash
};

struct RowsToVerify {
  std::vector<BestRecord> rows;
  std::vector<std::string> left_out; // "3 of another device", ...
};

// Errors (kind bad_input): a kernel that the database does not know, a problem that is none of the kernel's.
Result<RowsToVerify> find_rows_to_verify(const Reader& reader, const VerifyFilter& filter, const VerifyDevice& device,
                                         KernelFolders& folders);

} // namespace warptune::cli
