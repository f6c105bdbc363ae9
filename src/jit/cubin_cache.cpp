#include "jit/cubin_cache.h"

#include "core/sha256.h"
#include "jit/compile_message.h"
#include "system/new_file.h"
#include "system/whole_file.h"

#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
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
  const auto bytes = read_file(entry_path(directory_, key));
  if (!bytes) return std::nullopt;
  const std::string_view all = *bytes;
  if (!all.starts_with(kMagic) || all.size() < kMagic.size() + kDigest) return std::nullopt;
  const std::string_view payload = all.substr(kMagic.size() + kDigest);
  if (all.substr(kMagic.size(), kDigest) != sha256_hex(payload)) return std::nullopt;
  return decode_result(key, payload);
}

Result<void> CubinCache::store(const std::string& key, const CompileResult& result) const {
  if (!is_key(key)) return fail(ErrorKind::internal, fmt::format("'{}' is not a cubin cache key", key));
  // Whether a compile ends in time depends on the load of the machine, so this result is not stored.
  if (!result && (result.error().timed_out || result.error().passing)) return {};
  const fs::path path = entry_path(directory_, key);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return cannot_write(path, error.value());
  const std::string payload = encode_result(key, result);
  const std::string entry = std::string(kMagic) + sha256_hex(payload) + payload;
  if (const int why = replace_file(path, entry, Flush::yes); why != 0) return cannot_write(path, why);
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
