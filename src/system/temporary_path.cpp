#include "system/temporary_path.h"

#include "core/sha256.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace warptune {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSuffix = ".tmp";

// A process id is valid only on one machine, and within one container.
std::string make_machine() {
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  std::ifstream file("/etc/machine-id");
  std::string id;
  std::getline(file, id);
  std::error_code ec;
  const fs::path numbers = fs::read_symlink("/proc/self/ns/pid", ec);
  return sha256_hex(fmt::format("{}\n{}\n{}", host.data(), id, numbers.string())).substr(0, 8);
}

const std::string& machine() {
  static const std::string& name = *new std::string(make_machine()); // an application may write files while it exits
  return name;
}

// `process` is "PID-MACHINE-N", as temporary_path makes it.
bool has_ended(std::string_view process) {
  pid_t pid = 0;
  const char* const end = process.data() + process.size();
  const auto [at, error] = std::from_chars(process.data(), end, pid);
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  if (error != std::errc() || pid <= 0 || !rest.starts_with("-" + machine() + "-")) return false;
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

} // namespace

fs::path temporary_path(const fs::path& target) {
  static std::atomic<unsigned> counter{0};
  return fmt::format("{}.{}-{}-{}{}", target.string(), ::getpid(), machine(), counter++, kSuffix);
}

void remove_left_behind(const fs::path& target) {
  const std::string prefix = target.filename().string() + ".";
  std::error_code ec;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, ec), end; !ec && entry != end; entry.increment(ec)) {
    const std::string name = entry->path().filename().string();
    if (name.size() <= prefix.size() + kSuffix.size() || !name.starts_with(prefix) || !name.ends_with(kSuffix))
      continue;
    const std::string process = name.substr(prefix.size(), name.size() - prefix.size() - kSuffix.size());
    std::error_code ignored; // a file that cannot be removed does no harm
    if (has_ended(process)) fs::remove_all(entry->path(), ignored);
  }
}

} // namespace warptune
