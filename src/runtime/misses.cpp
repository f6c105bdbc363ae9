#include "runtime/misses.h"

#include "core/text.h"

#include <fmt/format.h>
#include <vector>

namespace warptune {
namespace {

namespace fs = std::filesystem;

std::string job_text(const KernelSpec& spec, const Problem& problem) {
  const std::string key = problem_key(spec, problem); // "rows=1,cols=2;bf16;log=0"
  const auto parts = split(key, ';');
  std::string text = fmt::format("    {{\"kernel\": \"{}\", \"shapes\": [\"{}\"], \"dtypes\": [\"{}\"]", spec.name,
                                 parts[0], parts[1]);
  if (parts.size() < 3) return text;
  text += ", \"flags\": {";
  bool is_first = true;
  for (const std::string_view flag : split(parts[2], ',')) {
    const std::size_t equals = flag.find('=');
    text += fmt::format("{}\"{}\": \"{}\"", is_first ? "" : ", ", flag.substr(0, equals), flag.substr(equals + 1));
    is_first = false;
  }
  return text + "}";
}

} // namespace

void Misses::add(const KernelSpec& spec, const Problem& problem) {
  if (!is_plain(spec.name) || !is_plain(problem_key(spec, problem))) return;
  const std::string job = job_text(spec, problem);
  const std::lock_guard lock(mutex_);
  add_times(counts_, job, 1);
}

// Allocates no memory, because the caller may have run out of it.
void Misses::put_back(MissCounts& counts) {
  const std::lock_guard lock(mutex_);
  counts_.merge(counts);
  for (const auto& [job, count] : counts) add_times(counts_, job, count);
}

Result<void> Misses::write(const fs::path& path) {
  MissCounts counts;
  {
    const std::lock_guard lock(mutex_);
    counts.swap(counts_);
  }
  try {
    auto written = merge_misses(path, counts);
    if (!written) put_back(counts);
    return written;
  } catch (...) {
    put_back(counts);
    throw;
  }
}

Result<Misses::Appended> Misses::append_new(const fs::path& path) {
  const std::lock_guard file_lock(file_mutex_);
  std::vector<std::string> jobs;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [job, count] : counts_)
      if (!file_.holds(job)) jobs.push_back(job);
  }
  if (jobs.empty()) return Appended{};
  WT_TRY(const auto added, file_.append(path, jobs));
  const std::lock_guard lock(mutex_);
  for (const std::string& job : added.jobs)
    if (const auto counted = counts_.find(job); counted != counts_.end() && --counted->second == 0)
      counts_.erase(counted);
  return Appended{!added.jobs.empty(), added.is_repaired};
}

} // namespace warptune
