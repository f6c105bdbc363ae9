// A sound pack with changes. The first byte selects them. Bit 0: seal the pack again, so that code after the digests is
// reached. Bit 1: change values of its rows (changed_rows.h; always sealed), or else bytes: four input bytes each, the
// place (three, big-endian, modulo the size) and the new byte. Bit 2: only use the pack, which is faster; otherwise the
// test also reads all content of a pack that opens. Nothing may crash or hang, and without a new seal the content must
// be the same.
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
    // Otherwise no code for its content would be reached.
    TunedDb::value(inspect_pack(TunedDb::value(Reader::open(dir / "p"))));
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
  const std::filesystem::path path = setup.dir / "changed"; // a file, not memory: SQLite follows the links of /proc
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
