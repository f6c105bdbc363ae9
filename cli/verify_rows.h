// Chooses the stored results that `verify` re-checks: those in use today that match the request and the present device.
// Also says how many results were left out, and why.
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

// The device for re-checks, by name; empty if there is no device.
struct VerifyDevice {
  std::string option; // the device option for a worker: "auto", "cuda:0", "recorded:PATH"; empty: no device
  std::string name;   // the device's name; empty for recordings, which may be of several devices
};
// `device` as typed: empty (the first GPU, if there is one), auto, cuda:N, replay, recorded:PATH or none. Kind
// no_device if the named device does not exist. `why_none`: the reason if no device was named and there is none.
Result<VerifyDevice> find_verify_device(const std::string& device, std::string& why_none);

// Loads the sources of kernels as they are in their folders today.
class KernelFolders {
 public:
  explicit KernelFolders(FolderArgs folders) : folders_(std::move(folders)) {}
  // Like load_kernel (cli/asked_problem.h). Remembers the kernel's folder.
  Result<Kernel> load(const std::string& name, const Reader& reader, std::vector<std::string>& notes);
  // Returns an empty hash if there is no folder of that name, or it cannot be read.
  std::string source_hash(const std::string& kernel);
  // The same for a result. Also empty if its sources had files from outside the kernel's folder (--also, --include)
  // that were not given now, because the changes are then not known.
  std::string source_hash(const BestRecord& row, const Reader& reader);
  // "the sources of a, b were not compared; ...": sentences on those of `rows` that could not be compared, and why.
  std::vector<std::string> not_compared(const std::vector<BestRecord>& rows, const Reader& reader);

 private:
  struct Folder {
    std::string hash, problem; // problem: why it cannot be read
    std::vector<std::string> files;
  };
  const Folder& folder(const std::string& kernel);
  void keep(const Kernel& kernel);
  // Returns the files from outside the folder that a result's sources had and today's sources lack; empty: none.
  const std::string& missing(const BestRecord& row, const Reader& reader);

  FolderArgs folders_;
  std::map<std::string, Folder> known_;
  std::map<std::pair<std::string, std::string>, std::string> missing_; // missing files, by kernel and source hash
};

struct RowsToVerify {
  std::vector<BestRecord> rows;
  std::vector<std::string> left_out; // "3 results of another device", ...
};

// Errors (kind bad_input): a kernel that the database does not have, or a problem that the kernel does not have.
Result<RowsToVerify> find_rows_to_verify(const Reader& reader, const VerifyFilter& filter, const VerifyDevice& device,
                                         KernelFolders& folders);

} // namespace warptune::cli
