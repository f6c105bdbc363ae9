#include "jit/cubin_cache.h"

#include "core/sha256.h"
#include "jit/compile_message.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace warptune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "warptune cubin 2\n";
constexpr std::size_t kDigest = 64; // hexadecimal SHA-256

fs::path standard_directory() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return fs::path(cache) / "warptune";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".cache" / "warptune";
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  return (error ? fs::path("/tmp") : temporary) / fmt::format("warptune-cache-{}", getuid());
}

// 256 folders: a directory of a hundred thousand files is slow on network file systems.
fs::path entry_path(const fs::path& directory, const std::string& key) {
  return directory / "cubins" / key.substr(0, 2) / (key + ".cubin");
}

// A key becomes a file name, so only hashes are valid.
bool is_key(const std::string& key) {
  return key.size() >= 16 && key.find_first_not_of("0123456789abcdef") == std::string::npos;
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  bool write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
  bool sync() const { return ::fsync(descriptor_) == 0; }
  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

tl::unexpected<Error> cannot_write(const fs::path& path, int error) {
  return fail(ErrorKind::internal,
              fmt::format("cannot write the cubin cache entry {}: {}; free some space, or choose another folder with "
                          "XDG_CACHE_HOME or --cache",
                          path.string(), std::generic_category().message(error)));
}

} // namespace

CubinCache::CubinCache(fs::path directory)
    : directory_(directory.empty() ? standard_directory() : std::move(directory)) {}

std::optional<CompileResult> CubinCache::find(const std::string& key) const {
  if (!is_key(key)) return std::nullopt;
  std::ifstream file(entry_path(directory_, key), std::ios::binary);
  if (!file) return std::nullopt;
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string_view all = bytes;
  if (!all.starts_with(kMagic) || all.size() < kMagic.size() + kDigest) return std::nullopt;
  const std::string_view payload = all.substr(kMagic.size() + kDigest);
  if (all.substr(kMagic.size(), kDigest) != sha256_hex(payload)) return std::nullopt;
  return decode_result(key, payload);
}

// Writes a file beside the entry and renames it: a reader sees all of an entry or none, and of two writers one wins.
Result<void> CubinCache::store(const std::string& key, const CompileResult& result) const {
  if (!is_key(key)) return fail(ErrorKind::internal, fmt::format("'{}' is not a cubin cache key", key));
  // Whether a compile ends in time depends on the load of the machine, so this result is not stored.
  if (!result && (result.error().timed_out || result.error().passing)) return {};
  static std::atomic<unsigned> counter{0};
  const fs::path path = entry_path(directory_, key);
  const fs::path temporary = path.parent_path() / fmt::format(".{}.{}.{}", key.substr(0, 16), getpid(), counter++);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return cannot_write(path, error.value());
  const std::string payload = encode_result(key, result);
  {
    const File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!file.is_open()) return cannot_write(path, errno);
    if (!file.write_all(kMagic) || !file.write_all(sha256_hex(payload)) || !file.write_all(payload) || !file.sync()) {
      const int why = errno;
      ::unlink(temporary.c_str());
      return cannot_write(path, why);
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int why = errno;
    ::unlink(temporary.c_str());
    return cannot_write(path, why);
  }
  return {};
}

std::optional<EntryLock> CubinCache::lock(const std::string& key, double timeout_s) const {
  if (!is_key(key)) return EntryLock();
  const fs::path path = entry_path(directory_, key);
  std::error_code ignored; // without write access there are no locks either
  fs::create_directories(path.parent_path(), ignored);
  return EntryLock::take(path.parent_path() / ("." + key + ".lock"), timeout_s);
}

} // namespace warptune
