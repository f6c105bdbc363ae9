// A sound pack that was changed. The first byte says how: bit 0, whether it is sealed again, so that what lies behind
// the digests is reached; bit 1, whether values of its rows are changed (changed_rows.h; always sealed) or its bytes,
// by four bytes each: where (three, big-endian, modulo the size) and what is put there; bit 2, whether it is used
// alone, which is quicker. Else whatever opens is read whole as well; nothing may crash or hang, and without a seal of
// its own nothing may change.
#include "db/pack_file.h"
#include "fuzz/changed_rows.h"
#include "fuzz/use_library.h"
#include "pack/inspect.h"
#include "pack/pack.h"
#include "support/temp_dir.h"
#include "support/tuned_db.h"

#include <cstdint>
#include <filesystem>
#include <string>

using namespace warptune;
using test::TunedDb;

namespace {

struct Setup {
  Setup() {
    fuzz::stand_apart(dir.path());
    TunedDb db(dir / "w.db");
    db.add_each({"rows=1,cols=100", "rows=9,cols=100", "rows=64,cols=1024", "rows=8,cols=4096"});
    PackOptions options;
    options.version = "0.1";
    options.cubins.compile = false;
    TunedDb::value(make_pack(TunedDb::value(Reader::open(dir / "w.db")), dir / "p", options));
    sound = test::read_bytes(dir / "p");
    TunedDb::value(inspect_pack(TunedDb::value(Reader::open(dir / "p")))); // else nothing of this would be reached
    pages = sound.substr(0, sound.size() / (db::kPackPageBytes + sizeof(Sha256)) * db::kPackPageBytes);
  }
  test::TempDir dir;
  std::string sound, pages; // pages: without the seal
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Setup setup;
  static const fuzz::ChangedRows rows(setup.pages);
  if (size == 0) return 0;
  fuzz::Bytes input(data, size);
  const std::uint8_t how = input.byte();
  const bool changes_rows = (how & 2) != 0, is_sealed_again = (how & 3) != 0;
  std::string bytes = changes_rows ? rows.change(input) : is_sealed_again ? setup.pages : setup.sound;
  if (!changes_rows)
    for (std::size_t at = 1; at + 4 <= size; at += 4) {
      const std::uint64_t where = input.word(3);
      bytes[where % bytes.size()] = static_cast<char>(input.byte());
    }
  const std::filesystem::path path = setup.dir / "changed"; // not of memory: SQLite follows the links of /proc
  test::write_bytes(path, bytes);
  if (is_sealed_again) db::seal_pack(path);
  if ((how & 4) == 0) {
    const auto pack = Reader::open(path);
    fuzz::require(pack || !pack.error().message.empty());
    if (pack && pack->pack()) {
      const bool is_whole = inspect_pack(*pack).has_value() && diff_packs(*pack, *pack).has_value();
      fuzz::require(!is_whole || is_sealed_again || bytes == setup.sound);
    }
  }
  fuzz::use_library(path);
  return 0;
}
