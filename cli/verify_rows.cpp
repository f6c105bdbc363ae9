#include "cli/verify_rows.h"

#include "cli/asked_problem.h"
#include "cli/device_choice.h"
#include "cli/units.h"
#include "core/device.h"
#include "core/text.h"
#include "db/stored_values.h"
#include "db/tuned_entries.h"
#include "gpu/devices.h"
#include "recording/recording.h"
#include "spec/source_hash.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <tuple>

namespace warptune::cli {
namespace {

// Whether a row can be checked on a device: on the same model; recordings only check recorded rows.
class Fit {
 public:
  explicit Fit(const VerifyDevice& device) : device_(device) {
    if (!is_recorded_device(device.option)) return;
    for (const RecordingEntry& entry : list_recordings(recordings_of(device.option)))
      recorded_.emplace(entry.kernel, entry.problem, entry.device);
  }
  bool operator()(const BestRecord& row) const {
    if (device_.option.empty()) return true;
    if (is_recorded_device(device_.option))
      return is_recorded_device(row.device_backend) && recorded_.count({row.kernel, row.problem, row.device_name}) > 0;
    return row.device_name == device_.name;
  }

 private:
  const VerifyDevice& device_;
  std::set<std::tuple<std::string, std::string, std::string>> recorded_;
};

// The parts of the problem that the user selected.
class ProblemFilter {
 public:
  // `spec`: of the selected kernel, or nullptr if none was selected. It must outlive the filter.
  static Result<ProblemFilter> make(const VerifyFilter& asked, const KernelSpec* spec) {
    if (asked.shape.empty() && asked.dtype.empty() && asked.sets.empty()) return ProblemFilter();
    if (!spec)
      return fail(ErrorKind::bad_input,
                  "--shape, --dtype and --set need --kernel, because their meaning depends on the kernel");
    // make_problem reports unknown dims, types and flags, which would otherwise look like untuned ones.
    const std::string shape = asked.shape.empty() ? shape_text(*spec, smallest_shape(*spec)) : asked.shape;
    ProblemFilter filter;
    WT_TRY(filter.wanted_, make_problem(*spec, shape, asked.dtype, asked.sets));
    filter.stored_.emplace(*spec);
    filter.by_shape_ = !asked.shape.empty();
    filter.by_dtype_ = !asked.dtype.empty();
    for (const std::string& set : asked.sets) {
      const std::string_view name = trim(std::string_view(set).substr(0, set.find('=')));
      for (std::size_t f = 0; f < spec->flags.size(); ++f)
        if (spec->flags[f].name == name) filter.flags_.push_back(f);
    }
    return filter;
  }
  bool operator()(const BestRecord& row) {
    if (!stored_) return true;
    const Result<Problem>& problem = stored_->problem(row.problem);
    if (!problem) return false;
    if (by_shape_ && (wanted_.dims != problem->dims || wanted_.lists != problem->lists)) return false;
    if (by_dtype_ && wanted_.dtype != problem->dtype) return false;
    return std::all_of(flags_.begin(), flags_.end(),
                       [&](std::size_t f) { return wanted_.flags[f] == problem->flags[f]; });
  }

 private:
  std::optional<StoredValues> stored_; // nullopt: all problems match
  Problem wanted_;
  bool by_shape_ = false, by_dtype_ = false;
  std::vector<std::size_t> flags_; // indices of the selected flags
};

// The kernel that --kernel names; nullopt if it is not given.
Result<std::optional<Kernel>> asked_kernel(const Reader& reader, const std::string& name, KernelFolders& folders) {
  if (name.empty()) return std::nullopt;
  std::vector<std::string> notes;
  auto kernel = folders.load(name, reader, notes);
  WT_TRY(auto known, reader.kernel_names());
  if (!kernel && name.find('/') != std::string::npos) return fail(kernel.error());
  const std::string& real_name = kernel ? kernel->spec.name : name;
  if (std::find(known.begin(), known.end(), real_name) == known.end())
    return fail(ErrorKind::no_candidate,
                fmt::format("the database has no results of {}{}", quote(real_name), suggest_name(real_name, known)));
  WT_CHECK(kernel);
  return std::optional(std::move(*kernel));
}

// A check found the result wrong: applications do not get it, and a new check would not change that. A failed check
// might pass.
bool is_out_for_good(const BestRecord& row) {
  return !row.disqualified.empty() && !(row.last_check && row.last_check->status == CheckStatus::failed);
}

// If a problem has results from several sources of its kernel, the result of the folder's current sources counts.
// Without such a result, the newest one counts. An objective has its own results.
std::set<RowId> superseded_rows(const std::vector<BestRecord>& rows, KernelFolders& folders) {
  using Subject = std::tuple<std::string, std::string, std::string, std::string, std::string, Objective>;
  std::map<Subject, const BestRecord*> current;
  for (const BestRecord& row : rows) { // newest first
    auto& best =
        current[{row.kernel, row.problem, row.device_backend, row.device_name, row.device_uuid, row.objective}];
    if (best == nullptr || (best->source_hash != row.source_hash && row.source_hash == folders.source_hash(row.kernel)))
      best = &row;
  }
  std::set<RowId> superseded;
  for (const BestRecord& row : rows) superseded.insert(row.id);
  for (const auto& [key, row] : current) superseded.erase(row->id);
  return superseded;
}

} // namespace

Result<Kernel> KernelFolders::load(const std::string& name, const Reader& reader, std::vector<std::string>& notes) {
  auto kernel = load_kernel(name, &reader, notes, folders_);
  if (kernel && kernel->origin != kFromDatabase) keep(*kernel);
  return kernel;
}

void KernelFolders::keep(const Kernel& kernel) {
  Folder& folder = known_[kernel.spec.name];
  folder = {kernel.source_hash, {}, {}};
  for (const auto& [name, text] : kernel.sources.files) folder.files.push_back(name);
}

const KernelFolders::Folder& KernelFolders::folder(const std::string& kernel) {
  if (const auto found = known_.find(kernel); found != known_.end()) return found->second;
  const TemplateStore store = TemplateStore::standard(folders_.include);
  const auto names = store.names();
  Folder& folder = known_[kernel];
  if (std::find(names.begin(), names.end(), kernel) == names.end()) return folder;
  const auto loaded = store.load(kernel);
  if (loaded)
    keep(*loaded);
  else
    folder.problem = loaded.error().message;
  return folder;
}

std::string KernelFolders::source_hash(const std::string& kernel) { return folder(kernel).hash; }

std::string KernelFolders::source_hash(const BestRecord& row, const Reader& reader) {
  const std::string& hash = folder(row.kernel).hash;
  return hash.empty() || hash == row.source_hash || missing(row, reader).empty() ? hash : std::string();
}

const std::string& KernelFolders::missing(const BestRecord& row, const Reader& reader) {
  const auto [found, is_new] = missing_.try_emplace({row.kernel, row.source_hash});
  const Folder& own = folder(row.kernel);
  if (!is_new || own.hash.empty() || own.hash == row.source_hash) return found->second;
  const auto record = reader.kernel(row.kernel, row.source_hash);
  if (!record || !*record) return found->second;
  const auto spec = spec_of(**record);
  std::vector<std::string> implementations, headers;
  for (const auto& [name, text] : (*record)->files) {
    if (std::find(own.files.begin(), own.files.end(), name) != own.files.end()) continue;
    const std::string first = name.substr(0, name.find('/'));
    if (is_implementation_file(name))
      implementations.push_back(first);
    else if (spec && std::find(spec->include.begin(), spec->include.end(), first) != spec->include.end())
      headers.push_back(name);
  }
  std::string& text = found->second;
  if (!implementations.empty())
    text =
        fmt::format("the results were tuned with the implementation {0}, which the folder of {1} does not have; give "
                    "the folder of {0} with --also",
                    fmt::join(implementations, ", "), row.kernel);
  if (!headers.empty())
    text += fmt::format("{}the tuned sources include {}, which was not found; name the folder that contains {} with "
                        "--include",
                        text.empty() ? "" : "; ", quote(headers.front()),
                        quote(headers.front().substr(0, headers.front().find('/'))));
  return text;
}

std::vector<std::string> KernelFolders::not_compared(const std::vector<BestRecord>& rows, const Reader& reader) {
  std::set<std::string> unknown;
  std::map<std::string, std::set<std::string>> reasons; // keyed by kernel
  for (const BestRecord& row : rows) {
    const Folder& own = folder(row.kernel);
    if (!own.problem.empty())
      reasons[row.kernel].insert(own.problem);
    else if (own.hash.empty())
      unknown.insert(row.kernel);
    else if (const std::string& text = missing(row, reader); !text.empty())
      reasons[row.kernel].insert(text);
  }
  std::vector<std::string> notes;
  if (!unknown.empty())
    notes.push_back(fmt::format(
        "the stored sources of {} were not compared with the current ones; to compare them, name {} with --kernel",
        fmt::join(unknown, ", "), unknown.size() == 1 ? "its folder" : "the folder of each"));
  for (const auto& [kernel, texts] : reasons)
    notes.push_back(fmt::format("the stored sources of {} were not compared with the current ones: {}", kernel,
                                fmt::join(texts, "; ")));
  return notes;
}

Result<VerifyDevice> find_verify_device(const std::string& device, std::string& why_none) {
  if (device == "none") return VerifyDevice{};
  if (is_recorded_device(device)) {
    VerifyDevice replay{device, {}};
    std::error_code ignored;
    if (const auto path = recordings_of(device); !std::filesystem::exists(path, ignored))
      return fail(ErrorKind::bad_input,
                  fmt::format("no recording at {}: the file or directory does not exist", path.string()));
    return replay;
  }
  if (!device.empty() && device != "auto" && device != "cuda" && device.rfind("cuda:", 0) != 0)
    return fail(ErrorKind::bad_input, unknown_name(device, "a device", {"auto", "cuda:0", "recorded", "none"},
                                                   "use auto, cuda:N, recorded, recorded:PATH or none"));
  auto found = find_cuda_device(device, kReplayInstead);
  if (found) return VerifyDevice{device.empty() ? "auto" : device, found->name};
  if (!device.empty()) return fail(found.error());
  why_none = found.error().message;
  return VerifyDevice{};
}

Result<RowsToVerify> find_rows_to_verify(const Reader& reader, const VerifyFilter& filter, const VerifyDevice& device,
                                         KernelFolders& folders) {
  WT_TRY(auto kernel, asked_kernel(reader, filter.kernel, folders));
  WT_TRY(auto rows, reader.best(kernel ? kernel->spec.name : ""));
  WT_TRY(auto problem_fits, ProblemFilter::make(filter, kernel ? &kernel->spec : nullptr));
  std::erase_if(rows, [&](const BestRecord& row) {
    return !problem_fits(row) || (!filter.uuid.empty() && row.device_uuid != filter.uuid);
  });
  RowsToVerify out;
  const auto leave_out = [&](const char* why, const auto& is_out) {
    if (const auto count = std::erase_if(rows, is_out); count > 0)
      out.left_out.push_back(fmt::format("{} {}", count_text(static_cast<std::int64_t>(count), "result"), why));
  };
  const std::set<RowId> superseded = superseded_rows(rows, folders);
  leave_out("from other sources than the current or newest ones",
            [&](const BestRecord& row) { return superseded.count(row.id) > 0; });
  leave_out("never certified", [](const BestRecord& row) { return !row.certified; });
  leave_out("found wrong in an earlier check and withheld from applications", is_out_for_good);
  const Fit fit(device);
  leave_out(is_recorded_device(device.option) ? "without a matching recording" : "of another device",
            [&](const BestRecord& row) { return !fit(row); });
  out.rows = std::move(rows);
  return out;
}

} // namespace warptune::cli
