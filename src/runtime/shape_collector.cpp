#include "runtime/shape_collector.h"

#include "core/shell_words.h"
#include "runtime/process.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <system_error>

namespace warptune {
namespace {

namespace fs = std::filesystem;

std::string chosen_path(const std::string& option) {
  if (!option.empty()) return option;
  const char* chosen = std::getenv("WARPTUNE_MISSES");
  return chosen == nullptr ? "" : chosen;
}

// Prints only the first line of each process, whichever library it comes from.
void say(const std::string& line) {
  static std::atomic<bool> is_said{false};
  if (!is_said.exchange(true)) std::fputs(("warptune: " + line + "\n").c_str(), stderr);
}

} // namespace

ShapeCollector::ShapeCollector(const std::string& option, const fs::path& absent) : absent_(absent) {
  const std::string chosen = chosen_path(option);
  is_named_ = !chosen.empty();
  if (chosen == "off") return;
  if (is_named_)
    path_ = absolute_path(chosen);
  else if (!absent.empty())
    path_ = absolute_path(fs::path(absent).replace_extension(".untuned.json"));
}

void ShapeCollector::append() {
  std::error_code ignored; // if the folder is missing, writing reports it
  if (!is_named_) fs::create_directories(path_.parent_path(), ignored);
  const auto appended = misses_.append_new(path_);
  const std::string first_run =
      is_named_ ? "" : fmt::format("no database at {}, so kernels run with untuned configurations; ", absent_.string());
  if (!appended) {
    say(first_run + appended.error().message);
    has_failed_ = true;
    return;
  }
  const std::string repaired =
      appended->is_repaired
          ? fmt::format("repaired {}: the end of this file of untuned shapes was incomplete, because an "
                        "earlier write was interrupted",
                        path_.string())
          : "";
  if (appended->has_new && !is_named_)
    say(fmt::format("{}their shapes are collected in a file; `warptune sweep {}` tunes them (to write no file, set "
                    "WARPTUNE_MISSES=off){}{}",
                    first_run, quote_for_shell(path_.string()), repaired.empty() ? "" : "; ", repaired));
  else if (!repaired.empty())
    say(repaired);
}

void ShapeCollector::add(const KernelSpec& spec, const Problem& problem) noexcept {
  try {
    misses_.add(spec, problem);
    if (!path_.empty() && !has_failed_) append();
  } catch (const std::exception&) { // out of memory: the launch continues
  }
}

Result<void> ShapeCollector::write(const std::string& path) {
  if (!path.empty()) return misses_.write(path);
  if (path_.empty())
    return fail(ErrorKind::bad_input,
                "no file was named for the untuned shapes; give a path, or set WARPTUNE_MISSES before "
                "wt_open");
  return misses_.write(path_);
}

void ShapeCollector::close() noexcept {
  if (path_.empty()) return;
  try {
    static_cast<void>(misses_.write(path_));
  } catch (const std::exception&) { // out of memory: the library is closed anyway
  }
}

} // namespace warptune
