// A name for an output, built from parts that lead to a database, its log and links to them. The first byte says
// whether the command's database exists yet. Outputs that refuse_overwriting allows are written; then the databases are
// unchanged, and no file has the name of one of their logs.
#include "cli/overwrite.h"
#include "fuzz/bytes.h"
#include "support/temp_dir.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace warptune;
namespace fs = std::filesystem;

namespace {

constexpr std::array kParts = {"w.db",  "other.db", "-wal",    "-shm",   "-journal", "/",    "..",
                               ".",     "to_db",    "hard",    "to_log", "to_sub",   "sub",  "x",
                               "to_to", " ",        "to_none", "new.db", ".json",    "W.DB", "to_other"};

void require(bool holds) {
  if (!holds) std::abort();
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
}

class Folder {
 public:
  explicit Folder(bool has_database) {
    fs::create_directory(dir_ / "sub");
    write("other.db");
    if (has_database) write("w.db");
    fs::create_symlink("w.db", dir_ / "to_db");
    fs::create_symlink("to_db", dir_ / "to_to");
    fs::create_symlink("other.db-wal", dir_ / "to_log");
    fs::create_symlink("../other.db", dir_ / "sub" / "to_other");
    fs::create_symlink("none", dir_ / "to_none");
    fs::create_directory_symlink(".", dir_ / "to_sub");
    if (has_database) fs::create_hard_link(dir_ / "w.db", dir_ / "hard");
  }
  const fs::path& path() const { return dir_.path(); }
  bool is_inside(const fs::path& file) const {
    std::error_code ec;
    const fs::path real = fs::weakly_canonical(file, ec), top = fs::canonical(dir_.path());
    return !ec && real.string().starts_with(top.string() + "/");
  }
  void expect_whole(bool has_database) const {
    require(read(dir_ / "other.db") == kContent);
    require(fs::exists(dir_ / "w.db") == has_database);
    if (has_database) require(read(dir_ / "w.db") == kContent);
    for (const char* name : {"w.db", "other.db"})
      for (const char* log : {"-wal", "-shm", "-journal"}) require(!fs::exists(dir_ / (std::string(name) + log)));
  }

 private:
  void write(const char* name) const { std::ofstream(dir_ / name, std::ios::binary) << kContent; }
  static inline const std::string kContent = std::string("SQLite format 3\0 and more", 25);
  test::TempDir dir_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 12) return 0;
  fuzz::Bytes input(data, size);
  const bool has_database = (input.byte() & 1) != 0;
  const Folder folder(has_database);
  std::string name;
  while (!input.is_empty()) name += kParts[input.byte() % kParts.size()];
  const fs::path output = folder.path() / name;
  const auto allowed = cli::refuse_overwriting(output, {folder.path() / "w.db"});
  require(allowed || (allowed.error().kind == ErrorKind::bad_input && !allowed.error().message.empty()));
  if (allowed && folder.is_inside(output)) std::ofstream(output, std::ios::binary) << "an output";
  folder.expect_whole(has_database);
  return 0;
}
