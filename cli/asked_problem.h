// Finds the kernel and problem that a command is about, from its options and the database.
#pragma once

#include "core/result.h"
#include "db/reader.h"
#include "jit/template_store.h"
#include "spec/problem.h"

#include <string>
#include <vector>

namespace warptune::cli {

// Folders that the user gives in addition to the kernel's own folder.
struct FolderArgs {
  std::vector<std::string> also;    // folders with additional implementations
  std::vector<std::string> include; // folders of headers, searched after those of $WARPTUNE_INCLUDE
};

struct ProblemArgs {
  std::string kernel, shape, dtype;
  std::vector<std::string> sets; // "flag=value"
  FolderArgs folders;
};

struct Asked {
  Kernel kernel;
  Problem problem;
  std::string key() const { return problem_key(kernel.spec, problem); }
};

// Returns the kernel from its folder. If there is no folder of this name, takes the kernel from the database (if given)
// and adds a note. Also adds a note if the user gave folders of headers but the kernel uses none.
Result<Kernel> load_kernel(const std::string& name, const Reader* reader, std::vector<std::string>& notes,
                           const FolderArgs& folders);
Result<Asked> load_problem(const ProblemArgs& args, const Reader* reader, std::vector<std::string>& notes);

inline constexpr const char* kFromDatabase = "database"; // Kernel::origin of a kernel that is from the database

// Returns a note if --include was given but `spec` includes no headers of other projects; otherwise an empty text.
std::string unused_include(const KernelSpec& spec, const FolderArgs& folders);

// Returns a command that the user can type, quoted for a shell: "warptune run softmax --shape rows=1 --dtype bf16 --db
// x". `device`: for --device; empty: none.
std::string command_for(const std::string& command, const ProblemArgs& args, const std::string& db,
                        const std::string& device = {});

} // namespace warptune::cli
