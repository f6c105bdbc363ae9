#include "cluster/frozen_sweep.h"

#include "cluster/shared_file.h"
#include "core/text.h"
#include "system/temporary_path.h"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

namespace warptune {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path folder_in(const fs::path& run) { return run / "frozen"; }

FrozenSweep paths_in(const fs::path& folder) {
  return {folder / "bin" / "warptune", folder / "kernel_templates", folder / "sweep.json", {}};
}

// A temporary folder that is removed unless it is renamed to its target, so that a copy cut short by a full disk or a
// kill is never taken for a complete one.
class UnfinishedFolder {
 public:
  explicit UnfinishedFolder(const fs::path& target) : path_(temporary_path(target)), target_(target) {}
  ~UnfinishedFolder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;
  const fs::path& path() const { return path_; }
  // Has no effect if another process was faster.
  Result<void> become() const {
    std::error_code error, none;
    fs::rename(path_, target_, error);
    if (!error || fs::exists(paths_in(target_).sweep, none)) return {};
    return fail(ErrorKind::database,
                fmt::format("cannot write {}: {}; move the existing folder away and repeat the command",
                            target_.string(), error.message()));
  }

 private:
  const fs::path path_, target_;
};

tl::unexpected<Error> cannot_copy(const fs::path& from, const fs::path& to, const std::error_code& error) {
  return fail(ErrorKind::database, fmt::format("cannot copy {} to {}: {}; check both folders and the free space",
                                               from.string(), to.string(), error.message()));
}

Result<void> copy_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  const fs::path outside = fs::weakly_canonical(to, error).lexically_relative(fs::weakly_canonical(from, error));
  if (!error && !outside.empty() && *outside.begin() != "..") // the copy would contain itself
    return fail(ErrorKind::bad_input, fmt::format("the run folder is inside {}, which must be copied into the run "
                                                  "folder; name a run folder outside of all kernel folders",
                                                  from.string()));
  fs::create_directories(to, error);
  if (error) return cannot_copy(from, to, error);
  // Files of an earlier folder are kept. Links are followed, so that the copy does not change with their targets. What
  // is no file, such as a link without a target or a pipe, is left out.
  fs::recursive_directory_iterator entry(from, fs::directory_options::follow_directory_symlink, error), end;
  while (!error && entry != end) {
    const fs::path file = entry->path(), copy = to / file.lexically_relative(from);
    std::error_code none;
    const fs::file_status status = entry->status(none);
    if (fs::is_directory(status))
      fs::create_directories(copy, error);
    else if (fs::is_regular_file(status) && !fs::exists(copy, none))
      fs::copy_file(file, copy, error);
    if (error) return cannot_copy(file, copy, error);
    entry.increment(error);
  }
  if (error) return cannot_copy(from, to, error);
  return {};
}

// Copies each kernel folder once.
class KernelCopies {
 public:
  // `base`: the folder of the sweep file, to which paths are relative.
  KernelCopies(fs::path frozen, fs::path base) : frozen_(std::move(frozen)), base_(std::move(base)) {}

  // Returns the name of the copy, relative to the frozen sweep.
  Result<std::string> copy(const fs::path& folder) {
    const fs::path source = fs::path(folder).is_relative() ? base_ / folder : folder;
    const fs::path plain = (source / ".").lexically_normal();
    if (const auto known = names_.find(plain); known != names_.end()) return known->second;
    const std::string name = fmt::format("kernels/{}-{}", names_.size(), plain.parent_path().filename().string());
    WT_CHECK(copy_folder(plain, frozen_ / name));
    return names_[plain] = "./" + name;
  }

 private:
  const fs::path frozen_, base_;
  std::map<fs::path, std::string> names_;
};

Result<void> freeze_job(json& job, KernelCopies& copies) {
  if (const std::string kernel = job.value("kernel", ""); kernel.find('/') != std::string::npos) {
    WT_TRY(job["kernel"], copies.copy(kernel));
  }
  if (!job.contains("also")) return {};
  for (json& folder : job["also"]) {
    WT_TRY(folder, copies.copy(folder.get<std::string>()));
  }
  return {};
}

// Returns false if the text has changed since it was checked, and is not a sweep.
Result<bool> freeze_jobs(json& sweep, KernelCopies& copies) {
  try {
    for (json& job : sweep.at("jobs")) WT_CHECK(freeze_job(job, copies));
    return true;
  } catch (const json::exception&) {
    return false;
  }
}

} // namespace

FrozenSweep frozen_in(const fs::path& run) {
  const fs::path folder = folder_in(run);
  FrozenSweep frozen = paths_in(folder);
  const auto text = read_shared(folder / "also");
  const std::string lines = text ? text->value_or("") : "";
  for (const std::string_view line : split(lines, '\n'))
    if (!line.empty()) frozen.also.push_back((folder / line).string());
  return frozen;
}

bool is_frozen(const fs::path& run) {
  std::error_code none;
  return fs::exists(frozen_in(run).sweep, none);
}

Result<FrozenSweep> freeze_sweep(const fs::path& run, const fs::path& sweep, const std::vector<fs::path>& templates,
                                 const std::vector<std::string>& also) {
  remove_left_behind(folder_in(run));
  const UnfinishedFolder made(folder_in(run));
  const FrozenSweep frozen = paths_in(made.path());
  WT_CHECK(make_shared_folder(frozen.program.parent_path()));
  WT_CHECK(copy_to_shared("/proc/self/exe", frozen.program));
  std::error_code error;
  fs::permissions(frozen.program, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, error);
  WT_CHECK(make_shared_folder(frozen.templates)); // WARPTUNE_TEMPLATES will name it, so it must exist
  for (const fs::path& root : templates)
    if (fs::is_directory(root, error)) WT_CHECK(copy_folder(root, frozen.templates));
  WT_TRY(const auto text, read_shared(sweep));
  json all = json::parse(text.value_or(""), nullptr, false);
  KernelCopies copies(made.path(), sweep.parent_path());
  WT_TRY(const bool is_sweep, freeze_jobs(all, copies));
  if (!is_sweep)
    return fail(
        ErrorKind::database,
        fmt::format("{} was changed or deleted while this command was reading it; repeat the command", sweep.string()));
  std::string lines;
  for (const std::string& folder : also) {
    WT_TRY(const auto name, copies.copy(fs::absolute(folder)));
    lines += name + "\n";
  }
  WT_CHECK(replace_shared(made.path() / "also", lines));
  WT_CHECK(replace_shared(frozen.sweep, all.dump(1) + "\n"));
  WT_CHECK(made.become());
  return frozen_in(run);
}

} // namespace warptune
