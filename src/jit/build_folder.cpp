#include "jit/build_folder.h"

#include "system/whole_file.h"

#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <system_error>

namespace warptune {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> cannot_write(const fs::path& path, const std::string& why) {
  return fail(ErrorKind::internal,
              fmt::format("cannot write {} for a build command: {}; set TMPDIR to another folder", path.string(), why));
}

} // namespace

Result<BuildFolder> BuildFolder::make(const std::vector<std::pair<std::string, std::string>>& inputs) {
  std::error_code error;
  fs::path base = fs::temp_directory_path(error);
  if (error) base = "/tmp";
  base = fs::absolute(base, error); // commands start in another folder than this process
  std::string name = (base / "warptune-build-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return cannot_write(name, std::generic_category().message(errno));
  BuildFolder folder{fs::path(name)};
  for (const fs::path& part : {folder.inputs(), folder.output()})
    if (!fs::create_directory(part, error)) return cannot_write(part, error.message());
  for (const auto& [input, text] : inputs) {
    const fs::path path = folder.inputs() / input;
    fs::create_directories(path.parent_path(), error);
    if (const int why = write_file(path, text); why != 0)
      return cannot_write(path, std::generic_category().message(why));
    if (text.starts_with("#!")) fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add, error); // a script
  }
  return folder;
}

BuildFolder::~BuildFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

} // namespace warptune
