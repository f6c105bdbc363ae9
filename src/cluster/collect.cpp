#include "cluster/collect.h"

#include "cluster/claims.h"
#include "cluster/run_folder.h"
#include "cluster/shared_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <set>
#include <system_error>

namespace warptune {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> nothing_published(const fs::path& run) {
  const auto claims = list_shared(Claims::folder_of(run));
  const std::string finished = fmt::format(".{}", outcome_name(ClaimOutcome::finished));
  if (claims && std::any_of(claims->begin(), claims->end(), [&](const auto& name) { return name.ends_with(finished); }))
    return fail(ErrorKind::database,
                fmt::format("the run in {} has finished jobs, but {} has no database: the databases were "
                            "deleted or moved; put them back, or repeat the jobs with --resume",
                            run.string(), results_of(run).string()));
  return fail(ErrorKind::database,
              fmt::format("the run in {0} has published no result yet; `warptune sweep --status {0}` shows its state",
                          run.string()));
}

} // namespace

Result<CollectedRun> CollectedRun::copy(const fs::path& run) {
  WT_TRY(const auto description, open_run(run));
  WT_TRY(auto names, list_shared(results_of(run)));
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(".db"); });
  if (names.empty()) return nothing_published(run);
  std::sort(names.begin(), names.end());
  std::error_code error, none;
  std::string folder = (fs::temp_directory_path(error) / "warptune-collect-XXXXXX").string();
  if (error || ::mkdtemp(folder.data()) == nullptr)
    return fail(ErrorKind::database,
                fmt::format("cannot make the folder {}: {}; set TMPDIR to a writable folder on a local disk",
                            error ? "$TMPDIR/" + folder : folder, error ? error.message() : std::strerror(errno)));
  CollectedRun collected;
  collected.folder_ = folder;
  WT_TRY(const auto claims, list_shared(Claims::folder_of(run)));
  const ClaimBoard board(claims, description.jobs.size());
  WT_TRY(collected.missing_, missing_results(run, board));
  std::set<std::string> models;
  for (const ClaimSubject& subject : board.subjects()) models.insert(subject.model);
  for (const std::string& model : models)
    for (std::size_t job = 0; job < description.jobs.size(); ++job) {
      const ClaimBoard::State state = board.state({job, model});
      collected.unfinished_ += state == ClaimBoard::State::free || state == ClaimBoard::State::running ? 1 : 0;
      ++collected.jobs_;
    }
  for (const std::string& name : names) {
    collected.originals_.push_back(results_of(run) / name);
    collected.copies_.push_back(collected.folder_ / name);
    if (!fs::copy_file(collected.originals_.back(), collected.copies_.back(), error)) {
      // copy_file says EIO when the disk is full.
      const std::uintmax_t size = fs::file_size(collected.originals_.back(), none);
      if (!none && fs::space(folder, none).available < size)
        error = std::make_error_code(std::errc::no_space_on_device);
      return fail(ErrorKind::database,
                  fmt::format("cannot copy {} to {}: {}; {}", collected.originals_.back().string(), folder,
                              error.message(),
                              fs::is_regular_file(collected.originals_.back(), none)
                                  ? "free some space there, or set TMPDIR to another folder"
                                  : "it is not a file; move it out of results/ to merge the others"));
    }
  }
  return collected;
}

CollectedRun::CollectedRun(CollectedRun&& other) noexcept
    : folder_(std::exchange(other.folder_, {})), copies_(std::move(other.copies_)),
      originals_(std::move(other.originals_)), missing_(std::move(other.missing_)), unfinished_(other.unfinished_),
      jobs_(other.jobs_) {}

CollectedRun::~CollectedRun() {
  std::error_code none;
  if (!folder_.empty()) fs::remove_all(folder_, none);
}

} // namespace warptune
