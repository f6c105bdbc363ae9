// Any bytes as a pack. The first byte says whether they are sealed first, so that what lies behind the digests is
// reached too: then the bytes are the SQLite file. Whatever opens is read whole, and nothing may crash or hang.
#include "db/pack_file.h"
#include "pack/inspect.h"

#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace warptune;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool is_sealed_here = (data[0] & 1) != 0;
  if (is_sealed_here) bytes.resize(std::max<std::size_t>(1, bytes.size() / db::kPackPageBytes) * db::kPackPageBytes);
  const int fd = ::memfd_create("pack", MFD_CLOEXEC);
  if (fd < 0 || ::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  const std::filesystem::path path = "/proc/self/fd/" + std::to_string(fd);
  if (is_sealed_here) db::seal_pack(path);
  if (const auto pack = Reader::open(path)) {
    if (pack->pack()) (void)inspect_pack(*pack);
    (void)diff_packs(*pack, *pack);
  } else if (pack.error().message.empty()) {
    std::abort();
  }
  ::close(fd);
  return 0;
}
