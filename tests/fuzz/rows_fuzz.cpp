// A sound database with changed values (changed_rows.h). Each reader (a report in every format, a comparison, a merge,
// a pack, the library) gives an answer or an error, and merging the merged database again changes nothing. Each bit of
// the first byte selects a reader.
#include "db/backup.h"
#include "db/merge.h"
#include "fuzz/changed_rows.h"
#include "fuzz/use_library.h"
#include "pack/pack.h"
#include "report/compare.h"
#include "report/report_csv.h"
#include "report/report_data.h"
#include "report/report_html.h"
#include "report/report_json.h"
#include "report/report_svg.h"
#include "support/temp_dir.h"
#include "support/tuned_db.h"

#include <cstdint>
#include <filesystem>
#include <string>

using namespace warptune;
using test::TunedDb;
namespace fs = std::filesystem;

namespace {

struct Setup {
  Setup() {
    fuzz::stand_apart(dir.path());
    TunedDb(dir / "w.db").add_each({"rows=1,cols=100", "rows=9,cols=100", "rows=64,cols=1024"});
    TunedDb::value(backup_database(dir / "w.db", dir / "sound.db")); // a single file without a log
    sound = test::read_bytes(dir / "sound.db");
    fuzz::require(read(dir / "sound.db", 0xff));
  }
  // Returns whether it could be opened.
  bool read(const fs::path& path, unsigned who) const {
    const auto reader = Reader::open(path);
    if (!reader) return refused(reader);
    if ((who & 1) != 0) report(*reader);
    if ((who & 2) != 0) {
      const auto outcomes = report::load_outcomes(*reader, "", 0);
      if (!refused(outcomes)) (void)summary_sentence(report::compare_outcomes(*outcomes, *outcomes));
    }
    if ((who & 4) != 0) merge(path);
    if ((who & 8) != 0) {
      PackOptions options;
      options.cubins.compile = false;
      refused(make_pack(*reader, dir / "p.wtpack", options));
      fs::remove(dir / "p.wtpack");
    }
    if ((who & 16) != 0) fuzz::use_library(path);
    return true;
  }

  test::TempDir dir;
  std::string sound;

 private:
  template <class T> static bool refused(const Result<T>& result) {
    fuzz::require(result || !result.error().message.empty());
    return !result;
  }
  static void report(const Reader& reader) {
    report::Report made;
    std::int64_t left_out = 0;
    auto views = report::load_views(reader, {}, left_out);
    if (refused(views)) return;
    made.views = std::move(*views);
    (void)report::html_text(made, report::embedded_assets());
    (void)report::json_text(made);
    (void)report::csv_text(made);
    for (const report::View& view : made.views) (void)report::svg_text(view);
  }
  void merge(const fs::path& path) const {
    const fs::path out = dir / "merged.db";
    const bool merged = !refused(merge_databases(out, {path}, {}));
    if (merged) {
      const auto again = merge_databases(out, {path}, {});
      fuzz::require(again && again->total().trials_added == 0 && again->total().sessions_added == 0);
    }
    for (const char* end : {"", "-wal", "-shm"}) fs::remove(out.string() + end);
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Setup setup;
  static const fuzz::ChangedRows rows(setup.sound);
  if (size == 0) return 0;
  fuzz::Bytes input(data, size);
  const unsigned who = input.byte();
  const fs::path path = setup.dir / "changed.db";
  test::write_bytes(path, rows.change(input));
  (void)setup.read(path, who);
  return 0;
}
