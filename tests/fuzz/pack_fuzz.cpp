// A sound pack with changed bytes. The first byte says whether it is sealed again, so that what lies behind the digests
// is reached too; then come changes of four bytes each: where (three, big-endian, modulo the size) and what is put
// there. Whatever opens is read whole; nothing may crash or hang, and without a seal of its own nothing may change.
#include "db/pack_file.h"
#include "pack/inspect.h"
#include "pack/pack.h"
#include "support/temp_dir.h"
#include "support/tuned_db.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace warptune;
using test::TunedDb;

namespace {

std::string sound_pack() {
  const test::TempDir dir;
  ::setenv("XDG_CACHE_HOME", (dir / "cache").c_str(), 1);
  TunedDb db(dir / "w.db");
  const std::string wide = TunedDb::config(256, 4);
  db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {wide, 5}}, wide);
  db.add("rows=9,cols=100", {{TunedDb::kDefault, 10}, {wide, 6}}, wide);
  PackOptions options;
  options.version = "0.1";
  options.cubins.compile = false;
  TunedDb::value(make_pack(TunedDb::value(Reader::open(dir / "w.db")), dir / "p", options));
  return test::read_bytes(dir / "p");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string sound = sound_pack();
  if (size == 0) return 0;
  std::string bytes = sound;
  const bool is_sealed_again = (data[0] & 1) != 0;
  if (is_sealed_again) bytes.resize(bytes.size() / (db::kPackPageBytes + sizeof(Sha256)) * db::kPackPageBytes);
  for (std::size_t at = 1; at + 4 <= size; at += 4)
    bytes[(data[at] << 16 | data[at + 1] << 8 | data[at + 2]) % bytes.size()] = static_cast<char>(data[at + 3]);
  const int fd = ::memfd_create("pack", MFD_CLOEXEC);
  if (fd < 0 || ::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  const std::filesystem::path path = "/proc/self/fd/" + std::to_string(fd);
  if (is_sealed_again) db::seal_pack(path);
  const auto pack = Reader::open(path);
  if (!pack && pack.error().message.empty()) std::abort();
  if (pack && pack->pack()) {
    const bool is_whole = inspect_pack(*pack).has_value() && diff_packs(*pack, *pack).has_value();
    if (is_whole && !is_sealed_again && bytes != sound) std::abort();
  }
  ::close(fd);
  return 0;
}
