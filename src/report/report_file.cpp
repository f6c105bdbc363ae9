#include "report/report_file.h"

#include "core/text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace warptune::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLookedAt = 4 << 20; // a page's data stand behind its styles

// By what each kind of report begins with or must hold; the word "warptune" alone stands in many files of its users.
bool is_report(std::string_view start) {
  return start.empty() || start.starts_with("session,kernel,problem,device,") ||
         start.starts_with("{\"format\":1,\"title\":") ||
         (start.starts_with("<svg") && start.find("<!-- made by warptune report -->") != std::string_view::npos) ||
         (start.starts_with("<!") && start.find("id=\"wt-data\"") != std::string_view::npos);
}

bool is_ours(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string start(kLookedAt, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return is_report(std::string_view(start).substr(0, static_cast<std::size_t>(in.gcount())));
}

bool write_all(int fd, std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t n = ::write(fd, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  return ::fsync(fd) == 0 || errno == EINVAL || errno == EROFS;
}

} // namespace

Result<void> write_report(const fs::path& file, std::string_view text, bool force) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::bad_input, fmt::format("cannot write {}: {}", quote(file.string()), why));
  };
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::is_directory(status)) return refuse("it is a directory; name a file in it");
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error))
    return refuse(fmt::format("there is no directory {}; make it first", quote(folder.string())));
  if (fs::exists(status) && !fs::is_regular_file(status)) { // a device or a pipe has nothing to keep
    const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return refuse(std::strerror(errno));
    const bool written = write_all(fd, text);
    const int cause = errno;
    ::close(fd);
    if (!written) return refuse(std::strerror(cause));
    return {};
  }
  if (fs::exists(status) && !force && !is_ours(file))
    return refuse("the file that is there was not made by `warptune report`; --force replaces it");
  // Through a link its target is replaced, not the link.
  const fs::path target = fs::exists(status) ? fs::canonical(file, error) : file;
  const fs::path temporary = target.string() + fmt::format(".{}.tmp", ::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return refuse(std::strerror(errno));
  bool done = write_all(fd, text);
  int cause = errno;
  done = ::close(fd) == 0 && done;
  if (done && ::rename(temporary.c_str(), target.c_str()) != 0) {
    done = false;
    cause = errno;
  }
  if (done) return {};
  ::unlink(temporary.c_str());
  return refuse(std::strerror(cause));
}

} // namespace warptune::report
