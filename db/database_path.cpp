#include "db/reader.h"

#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace warptune {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

} // namespace

std::filesystem::path database_path(const std::string& given) {
  if (!given.empty()) return given;
  if (std::string path = environment("WARPTUNE_DB"); !path.empty()) return path;
  // The XDG base directory specification ignores a relative path.
  if (std::string data = environment("XDG_DATA_HOME"); !data.empty() && data.front() == '/')
    return std::filesystem::path(data) / "warptune" / "warptune.db";
  std::string home = environment("HOME");
  if (home.empty()) {
    const passwd* user = ::getpwuid(::getuid()); // a service may run without HOME
    home = user && user->pw_dir ? user->pw_dir : "/";
  }
  return std::filesystem::path(home) / ".local" / "share" / "warptune" / "warptune.db";
}

} // namespace warptune
