// What several subcommands ask for in the same words: a kernel, a problem, a device, the database. Turns options into
// the values that the libraries take; their errors go up unchanged.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "db/reader.h"
#include "db/tuned_entries.h"
#include "jit/template_store.h"
#include "predict/select.h"
#include "spec/problem.h"
#include "tuner/session.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune::cli {

// What a kernel takes from outside its folder.
struct FolderArgs {
  std::vector<std::string> also;    // folders of further implementations
  std::vector<std::string> include; // folders of headers, after those of $WARPTUNE_INCLUDE
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

// The kernel from its folder; where there is none of that name, as the database (if given) remembers it, with a note.
// A folder of headers that it does not ask for is a note.
Result<Kernel> load_kernel(const std::string& name, const Reader* reader, std::vector<std::string>& notes,
                           const FolderArgs& folders);
Result<Asked> load_problem(const ProblemArgs& args, const Reader* reader, std::vector<std::string>& notes);

inline constexpr const char* kFromDatabase = "database"; // Kernel::origin of one that the database remembered

// A sentence where --include was given and `spec` includes no headers of others; empty otherwise.
std::string unused_include(const KernelSpec& spec, const FolderArgs& folders);

// A database that need not exist: nothing when there is no such file.
Result<std::optional<Reader>> open_if_present(const std::filesystem::path& path);

// After the last reader of a command that wrote: only a writer that closes a database last removes its log (FILE-wal).
void settle_database(const std::filesystem::path& path);

struct ChosenDevice {
  DeviceInfo info;
  std::string why; // where it comes from, when it was not named
};

// For commands that only reason about a device. `device`: empty or "auto" (the first GPU, else the database's only
// device, else the limits of an H200), "cuda:N", "recorded:PATH", or the name of a device in the database. `arch`
// ("sm_80") instead of it.
Result<ChosenDevice> choose_device(const std::string& device, const std::string& arch, const Reader* reader);

// Where the recordings of "replay" or "recorded:PATH" lie.
std::filesystem::path recordings_of(const std::string& device);

// The device of any recording there. Error (kind bad_input): there is none.
Result<DeviceInfo> device_of_recording(const std::string& device);

// The GPU that a command will use: "auto" or "cuda:N". Kind no_device when there is none, with `instead`: what the
// command takes without one, such as kReplayInstead.
inline constexpr std::string_view kReplayInstead = "; without a GPU, --device recorded takes recorded sweeps";
Result<DeviceInfo> find_cuda_device(const std::string& device, std::string_view instead = {});

struct Choice {
  Selection selection;
  std::vector<TunedEntry> entries;
  const TunedEntry* entry() const {
    return selection.entry >= 0 ? &entries[static_cast<std::size_t>(selection.entry)] : nullptr;
  }
};
// What the dispatcher would pick from the database, or without one, for buffers at multiples of so many bytes.
// `allow_vendor`: configurations that call libraries too; $WARPTUNE_ALLOW_VENDOR allows them as well.
Result<Choice> choose_config(const Asked& asked, const DeviceInfo& device, const Reader* reader,
                             std::vector<std::string>& notes, bool allow_vendor,
                             std::int64_t alignment = kDefaultAlignment);

// "driver.copy": the library calls that a configuration makes for the problem, in their order.
std::vector<std::string> library_calls_of(const Asked& asked, const Config& config, const DeviceInfo& device);

// The strategy of whoever names none: the first so many in order would be one corner of the space.
std::string default_strategy(const Budget& budget, const StopRules& rules);

// --profile none, best or all.
Result<void> read_profile_scope(const std::string& text, ProfileScope& scope);

// "2%" or "2" -> 0.02. Errors: "'x' is no WHAT from 0% to 100%, such as 2%"; less than 0.1 without a percent sign,
// which may be meant as a share of 1: "write 0.03% or 3%: '0.03' may be either, and is no WHAT".
Result<double> parse_percent(const std::string& text, const std::string& what);

// The same command, to be typed again after it was stopped.
std::string resume_command(std::vector<std::string> words);

// "warptune run softmax --shape rows=1 --dtype bf16 --db x": a command to type, quoted for a shell.
std::string command_for(const std::string& command, const ProblemArgs& args, const std::string& db);
std::string quote_for_shell(const std::string& word);
std::string quote_for_shell(const std::vector<std::string>& words);

void print_notes(const std::vector<std::string>& notes); // "note: ..." lines

} // namespace warptune::cli
