// Chooses the stored results that `recheck` checks: those in use that match the request and the present device. Also
// says how many results were left out, and why.
#pragma once

#include "cli/asked_problem.h"
#include "core/result.h"
#include "db/reader.h"
#include "jit/template_store.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warptune::cli {

struct VerifyFilter {
  std::string kernel; // a name, or the path of a folder; empty: all
  std::string shape, dtype, uuid;
  std::vector<std::string> sets; // "flag=value"; a flag that is not named may have any value
};

// The device for re-checks; empty if there is none.
struct VerifyDevice {
  std::string option; // for a worker: "auto", "cuda:0", "recorded:PATH"; empty: no device
  std::string name;   // empty for recordings, which may be from several devices
};
// `device`: as typed; empty (the first GPU, if there is one), auto, cuda:N, replay, recorded:PATH or none. If it is
// empty and there is no GPU, `why_none` says why. Error (no_device): the named device does not exist.
Result<VerifyDevice> find_verify_device(const std::string& device, std::string& why_none);

// Reads the sources of kernels as they are in their folders now.
class KernelFolders {
 public:
  explicit KernelFolders(FolderArgs folders) : folders_(std::move(folders)) {}
  // Calls load_kernel (cli/asked_problem.h), and keeps the folder's data.
  Result<Kernel> load(const std::string& name, const Reader& reader, std::vector<std::string>& notes);
  // Returns an empty text if there is no folder of this name, or if it cannot be read.
  std::string source_hash(const std::string& kernel);
  // Returns the source hash of a result's kernel, or an empty text as above. The text is also empty if files of the
  // result's sources were in folders (--also, --include) that are not given now. Those files may have changed.
  std::string source_hash(const BestRecord& row, const Reader& reader);
  // Returns sentences about those of `rows` whose sources could not be compared, and why: "the sources of a, b were not
  // compared; ...".
  std::vector<std::string> not_compared(const std::vector<BestRecord>& rows, const Reader& reader);

 private:
  struct Folder {
    std::string hash, problem; // problem: why the folder cannot be read
    std::vector<std::string> files;
  };
  const Folder& folder(const std::string& kernel);
  void keep(const Kernel& kernel);
  // Returns a sentence that says which folders of the result's sources are not given now; empty: none is missing.
  const std::string& missing(const BestRecord& row, const Reader& reader);

  FolderArgs folders_;
  std::map<std::string, Folder> known_;
  std::map<std::pair<std::string, std::string>, std::string> missing_; // keyed by kernel and source hash
};

struct RowsToVerify {
  std::vector<BestRecord> rows;
  std::vector<std::string> left_out; // such as "3 results of another device"
};

// Errors: no_candidate if the database does not have the kernel; bad_input if the kernel cannot have the problem.
Result<RowsToVerify> find_rows_to_verify(const Reader& reader, const VerifyFilter& filter, const VerifyDevice& device,
                                         KernelFolders& folders);

} // namespace warptune::cli
