#include "starter/new_folder.h"

#include "core/text.h"
#include "jit/kernel_sources.h"
#include "system/file_errors.h"
#include "system/whole_file.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <system_error>

namespace warptune {
namespace {

namespace fs = std::filesystem;

// The position of the first `"name"` value in a spec.json, such as softmax in `"name": "softmax"`; npos if there is
// none.
std::size_t find_name(const std::string& spec, std::size_t& length) {
  const std::size_t key = spec.find("\"name\"");
  const std::size_t open = key == std::string::npos ? key : spec.find('"', key + 6);
  const std::size_t close = open == std::string::npos ? open : spec.find('"', open + 1);
  if (close == std::string::npos) return close;
  length = close - open - 1;
  return open + 1;
}

// Makes a new folder beside `target`. A folder that exists is never taken: it may be the user's, or the draft of
// another run. Returns errno, or 0.
int make_draft(const fs::path& target, fs::path& draft) {
  const std::string name = "." + target.filename().string() + ".new";
  for (int number = 0; number < 1000; ++number) {
    draft = target.parent_path() / (number == 0 ? name : fmt::format("{}-{}", name, number));
    std::error_code failed;
    if (fs::create_directory(draft, failed)) return 0; // false without an error: the folder exists
    if (failed && failed != std::errc::file_exists) return failed.value();
  }
  return EEXIST;
}

// Returns errno, or 0.
int write_with_parents(const fs::path& path, const std::string& text) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  return failed ? failed.value() : write_file(path, text);
}

} // namespace

Result<void> refuse_existing_folder(const fs::path& folder) {
  std::error_code failed;
  const auto refuse = [&](const char* why) {
    return fail(ErrorKind::bad_input, fmt::format("{} {}", quote(folder.string()), why));
  };
  const fs::path parent = fs::absolute(folder / "", failed).parent_path().parent_path();
  if (!fs::is_directory(parent, failed)) return refuse("cannot be made, because its parent is not a folder");
  if (!fs::exists(fs::symlink_status(folder, failed))) return {};
  if (!fs::is_directory(folder, failed)) return refuse("exists and is not a folder; choose another name");
  if (!fs::is_empty(folder, failed))
    return refuse("exists and is not empty; choose another name, so that nothing is lost");
  return {};
}

Result<void> write_new_folder(const fs::path& folder, const SourceFiles& files) {
  std::error_code failed;
  const fs::path target = fs::absolute(folder / "", failed).parent_path();
  const auto cannot_write = [](const fs::path& what, int error) {
    return fail(kind_of_write_error(error), fmt::format("cannot write {}: {}; check the free space and the permissions",
                                                        quote(what.string()), std::strerror(error)));
  };
  fs::path draft;
  if (const int error = make_draft(target, draft); error != 0) return cannot_write(folder, error);
  for (const auto& [name, text] : files.files)
    if (const int error = write_with_parents(draft / name, text); error != 0) {
      fs::remove_all(draft, failed);
      return cannot_write(folder / name, error);
    }
  fs::rename(draft, target, failed); // may replace an empty folder
  if (!failed) return {};
  const std::error_code why = failed;
  fs::remove_all(draft, failed);
  return fail(kind_of_write_error(why.value()),
              fmt::format("cannot make the folder {}: {}", quote(folder.string()), why.message()));
}

std::string operator_name_of(const fs::path& folder) {
  std::string name;
  for (const char c : (folder / "").parent_path().filename().string()) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    name += is_plain ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '_';
  }
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0) name.insert(0, "k");
  return name;
}

Result<SourceFiles> renamed_folder(const fs::path& folder, const std::string& name) {
  SourceFiles files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (!at->is_regular_file(failed)) continue;
    auto text = read_source_file(at->path());
    if (!text)
      return fail(ErrorKind::bad_input, fmt::format("cannot read {}: {}", at->path().string(), text.error().message));
    files.files.emplace_back(at->path().lexically_relative(folder).string(), std::move(*text));
  }
  std::sort(files.files.begin(), files.files.end());
  for (auto& [file, text] : files.files) {
    std::size_t length = 0;
    if (file != "spec.json") continue;
    if (const std::size_t place = find_name(text, length); place != std::string::npos) {
      text.replace(place, length, name);
      return files;
    }
  }
  return fail(ErrorKind::bad_input,
              fmt::format("{} has no spec.json that gives the kernel a 'name'", quote(folder.string())));
}

} // namespace warptune
