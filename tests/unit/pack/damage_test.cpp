// A pack may come from an untrusted source or be damaged: any difference gives an error, never another answer. Only the
// pages that are read matter; unused pages may hold anything.
#include "db/digest.h"
#include "db/pack_file.h"
#include "pack/inspect.h"
#include "pack/pack.h"
#include "predict/transfer.h"
#include "support/temp_dir.h"
#include "support/tuned_db.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>
#include <gmock/gmock.h>
#include <sys/stat.h>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

struct Damage : testing::Test {
  TempDir dir;
  fs::path out = dir / "ops.wtpack", copy = dir / "copy.wtpack";
  std::string bytes;

  Damage() {
    ::setenv("XDG_CACHE_HOME", (dir / "cache").c_str(), 1);
    TunedDb db(dir / "w.db");
    db.add("rows=1,cols=100", {{TunedDb::kDefault, 10}, {TunedDb::config(256, 4), 5}}, TunedDb::config(256, 4));
    db.add("rows=9,cols=100", {{TunedDb::kDefault, 10}, {TunedDb::config(256, 2), 5}}, TunedDb::config(256, 2));
    PackOptions options;
    options.version = "0.1";
    options.cubins.compile = false;
    TunedDb::value(make_pack(TunedDb::value(Reader::open(dir / "w.db")), out, options));
    bytes = read_bytes(out);
  }
  // All content of a pack, or the error.
  static std::string content_of(const fs::path& file) {
    auto reader = Reader::open(file);
    if (!reader) return "error: " + reader.error().message;
    std::string all = reader->pack()->digest;
    for (const auto& [name, value] : reader->pack()->values) all += name + value;
    auto bests = reader->best();
    if (!bests) return "error: " + bests.error().message;
    for (const BestRecord& best : *bests)
      all += best.problem + best.config + best.outcome + std::to_string(best.median_us);
    auto sessions = reader->sessions();
    if (!sessions) return "error: " + sessions.error().message;
    for (const SessionRecord& session : *sessions) {
      auto trials = reader->trials(session.id);
      if (!trials) return "error: " + trials.error().message;
      for (const TrialRow& row : *trials) all += row.config + std::to_string(row.trial.timing->median_us);
    }
    auto kernel = reader->kernel("scale");
    if (!kernel) return "error: " + kernel.error().message;
    if (*kernel)
      for (const auto& [name, text] : (*kernel)->files) all += name + text;
    auto rules = reader->pack_rules();
    if (!rules) return "error: " + rules.error().message;
    for (const PackRule& rule : *rules) all += rule.variant + rule.rule;
    auto sizes = reader->cubin_sizes();
    if (!sizes) return "error: " + sizes.error().message;
    for (const CubinSize& size : *sizes) {
      auto cubin = reader->cubin(size.hash);
      if (!cubin) return "error: " + cubin.error().message;
      if (*cubin) all += size.hash + (*cubin)->image;
    }
    if (auto whole = reader->check_bytes(); !whole) return "error: " + whole.error().message;
    return all;
  }
  std::string content_with(const std::string& changed) {
    write_bytes(copy, changed);
    return content_of(copy);
  }
  std::string error_with(const std::string& changed) {
    const std::string content = content_with(changed);
    EXPECT_EQ(content.substr(0, 7), "error: ");
    return content;
  }
  // Malicious content with its own valid seal.
  std::string resealed(const std::string& sql) {
    const auto pages = db::PackFile::open(out);
    write_bytes(copy, bytes.substr(0, static_cast<std::size_t>((*pages)->bytes())));
    SQLite::Database db(copy.string(), SQLite::OPEN_READWRITE);
    db::add_digest_function(db);
    db.exec(sql);
    db::seal_pack(copy);
    return content_of(copy);
  }
  std::vector<std::string> problems_of(const std::string& sql) {
    resealed(sql);
    return TunedDb::value(inspect_pack(TunedDb::value(Reader::open(copy)))).problems;
  }
  std::vector<std::string> changed_subjects(const std::string& sql) {
    resealed(sql);
    std::vector<std::string> subjects;
    for (const PackChange& change :
         TunedDb::value(diff_packs(TunedDb::value(Reader::open(out)), TunedDb::value(Reader::open(copy)))))
      subjects.push_back(change.subject);
    return subjects;
  }
};

TEST_F(Damage, AnyChangedByteIsFound) {
  const std::string sound = content_of(out);
  ASSERT_NE(sound.substr(0, 6), "error:") << sound;
  // Every byte of the header and of the end; of the others one in 997, which is not a divisor or multiple of the page
  // size.
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    if (at < 200 || at + 200 > bytes.size() || at % 997 == 0) places.push_back(at);
  for (const std::size_t at : places) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
    const std::string content = content_with(changed);
    EXPECT_EQ(content.substr(0, 7), "error: ") << "byte " << at;
    EXPECT_THAT(content.substr(0, 200), HasSubstr(copy.string())) << "byte " << at;
  }
}

TEST_F(Damage, ACutFileIsOneSentence) {
  for (const std::size_t size :
       {bytes.size() - 1, bytes.size() - 52, bytes.size() / 2, std::size_t{4096}, std::size_t{150}})
    EXPECT_THAT(error_with(bytes.substr(0, size)), AllOf(HasSubstr("is damaged"), HasSubstr("copy it again"))) << size;
  EXPECT_THAT(error_with(bytes.substr(0, 60)), HasSubstr("is damaged"));
  EXPECT_THAT(error_with(""), HasSubstr("is empty; make it again with `warptune pack -o FILE`"));
  EXPECT_THAT(error_with(bytes + "x"), HasSubstr("is damaged"));
}

TEST_F(Damage, AnotherFormatVersionOrByteOrder) {
  std::string newer = bytes;
  newer[newer.size() - 52 + 14] = '2';
  EXPECT_THAT(error_with(newer), AllOf(HasSubstr("has format 2, made by a newer warptune"), HasSubstr("update")));
  std::string swapped = bytes;
  for (std::size_t at = 0; at + 4 <= swapped.size(); at += 4)
    std::reverse(swapped.data() + at, swapped.data() + at + 4);
  EXPECT_THAT(error_with(swapped), HasSubstr("its byte order is reversed"));
  EXPECT_THAT(resealed("PRAGMA user_version = 99"), HasSubstr("has schema 99, made by a newer warptune"));
  EXPECT_THAT(resealed("PRAGMA user_version = 2"), HasSubstr("which is not a pack's schema"));
}

TEST_F(Damage, WhatIsNoPackIsSaid) {
  EXPECT_THAT(content_of(dir / "none.wtpack"), HasSubstr("there is no pack"));
  EXPECT_THAT(content_of(dir.path()), HasSubstr("is a folder"));
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(content_of(dir / "pipe"), HasSubstr("is a pipe, a socket or a device"));
}

TEST_F(Damage, NothingButOurTablesIsBelieved) {
  // Additional objects in a pack would run when its tables are read.
  for (const char* sql : {"CREATE TRIGGER t AFTER INSERT ON pack BEGIN SELECT 1; END", "CREATE VIEW v AS SELECT 1",
                          "CREATE TABLE more (x)", "CREATE INDEX i ON best (outcome)",
                          "ALTER TABLE pack ADD COLUMN g TEXT AS (hex(zeroblob(1000000000)))",
                          "DROP TABLE cubins; CREATE VIEW cubins AS SELECT '' AS hash"})
    EXPECT_THAT(resealed(sql), AllOf(HasSubstr("error: the pack "), HasSubstr("which does not belong in a pack")))
        << sql;
  EXPECT_THAT(resealed("DROP TABLE merge_conflicts"), HasSubstr("lacks tables of its schema"));
}

TEST_F(Damage, RowsThatCannotBeTrueAreSkippedOrNamed) {
  resealed("PRAGMA ignore_check_constraints = ON; UPDATE best SET median_us = 9e999 WHERE id = 1");
  EXPECT_EQ(TunedDb::value(TunedDb::value(Reader::open(copy)).best()).size(), 1U);
  resealed("UPDATE pack_rules SET worst_loss = 9e999");
  EXPECT_TRUE(TunedDb::value(TunedDb::value(Reader::open(copy)).pack_rules()).empty());
  const auto problems = [&] { return TunedDb::value(inspect_pack(TunedDb::value(Reader::open(copy)))).problems; };
  resealed("UPDATE kernel_files SET text = replace(text, '2.0F', '3.0F')");
  EXPECT_THAT(problems(), testing::Contains(HasSubstr("its files do not match its source hash")));
  resealed("DELETE FROM cubins WHERE hash = (SELECT cubin_hash FROM best LIMIT 1)");
  EXPECT_THAT(problems(), testing::Contains(HasSubstr("is not in the pack")));
  resealed("UPDATE best SET cubin_hash = 'ff'");
  EXPECT_THAT(problems(), testing::Contains(HasSubstr("the stored cubin is not the one that its configuration needs")));
}

TEST_F(Damage, PagesThatLeadToThemselvesEnd) {
  // Each page of trials becomes its own only child: endless rows, or damage that SQLite detects.
  auto file = db::PackFile::open(out);
  const auto size = static_cast<std::size_t>((*file)->bytes());
  std::size_t refused = 0;
  for (std::size_t page = 1; page < size / db::kPackPageBytes; ++page) {
    std::string changed = bytes.substr(0, size);
    const std::size_t at = page * db::kPackPageBytes;
    changed[at] = 5; // an interior page of a table; its one cell and its right child are the page itself
    changed[at + 3] = 0;
    changed[at + 4] = 1;
    for (const std::size_t link : {at + 8, at + 4000}) {
      changed[link] = changed[link + 1] = changed[link + 2] = 0;
      changed[link + 3] = static_cast<char>(page + 1);
    }
    changed[at + 12] = 4000 / 256;
    changed[at + 13] = static_cast<char>(4000 % 256);
    write_bytes(copy, changed);
    db::seal_pack(copy);
    const std::string content = content_of(copy); // it ends and does not crash
    if (content.substr(0, 7) != "error: ") continue;
    ++refused;
    EXPECT_THAT(content, HasSubstr(copy.string())) << "page " << page;
  }
  EXPECT_GT(refused, 20U) << "most pages are read, and such a page is no table";
}

// SQLite's encoding of numbers in three bytes.
std::string varint(std::size_t value) {
  return {static_cast<char>(value >> 14 | 0x80), static_cast<char>((value >> 7 & 0x7F) | 0x80),
          static_cast<char>(value & 0x7F)};
}

TEST_F(Damage, RowsThatClaimMoreThanTheFileHoldsAreRefused) {
  // Devices whose architecture continues in a page that leads to itself: each claims a megabyte that is not stored.
  constexpr int kRows = 100;
  constexpr std::size_t kText = 20'000, kOthers = 24 + 4 + 1 + 4, kMore = std::size_t{240} * 4092;
  resealed("WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 999 + " +
           std::to_string(kRows) +
           ") INSERT INTO devices (backend, name, uuid, arch, seen_at) SELECT 'cuda', 'Q', i, replace(hex(zeroblob(" +
           std::to_string(kText / 2) + ")), '0', 's'), '' FROM n");
  const auto pages = static_cast<std::size_t>((*db::PackFile::open(copy))->bytes()) / db::kPackPageBytes;
  std::string changed = read_bytes(copy).substr(0, pages * db::kPackPageBytes);
  for (std::size_t page = 0; page < pages; ++page) {
    const std::size_t at = page * db::kPackPageBytes;
    if (changed.compare(at, 8, std::string(4, '\0') + "ssss") != 0) continue; // the last page of a text
    changed[at + 2] = static_cast<char>((page + 1) >> 8);
    changed[at + 3] = static_cast<char>(page + 1);
  }
  int claims = 0;
  const std::string payload = varint(kText + kOthers), type = varint(2 * kText + 13);
  for (std::size_t at = changed.find(payload); at != std::string::npos; at = changed.find(payload, at + 1)) {
    const std::size_t type_at = changed.find(type, at);
    if (type_at - at > 20) continue;
    changed.replace(at, 3, varint(kText + kOthers + kMore));
    changed.replace(type_at, 3, varint(2 * (kText + kMore) + 13));
    ++claims;
  }
  ASSERT_EQ(claims, kRows);
  write_bytes(copy, changed);
  db::seal_pack(copy);
  const auto devices = TunedDb::value(Reader::open(copy)).devices();
  ASSERT_FALSE(devices);
  EXPECT_THAT(devices.error().message, AllOf(HasSubstr("is damaged or was tampered with: reading it gives more data"),
                                             HasSubstr(copy.string())));
}

TEST_F(Damage, BehindAGoodSealIsSaidOfThePack) {
  EXPECT_THAT(resealed("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'kernels'"),
              AllOf(HasSubstr("error: the pack "), HasSubstr("make the pack again"), Not(HasSubstr("recover"))));
  EXPECT_THAT(resealed("UPDATE devices SET arch = hex(zeroblob(3000000))"),
              HasSubstr("is damaged or was tampered with: a value in it is longer than a pack allows"));
}

// For changed cubins: stores new digests as warptune does.
const std::string kAnewDigests = "; UPDATE cubins SET digest = wt_digest(hash || char(10) || arch || char(10) || "
                                 "lowered_names || wt_digest(image))";

TEST_F(Damage, WhatWouldNotWorkIsAProblem) {
  EXPECT_THAT(problems_of("UPDATE cubins SET image = x'7f454c46'"),
              testing::Contains(HasSubstr("does not match its digest: the file was changed or damaged")));
  using testing::Contains;
  EXPECT_THAT(problems_of("SELECT 1"), testing::IsEmpty());
  EXPECT_THAT(problems_of("UPDATE cubins SET lowered_names = ''" + kAnewDigests),
              Contains(HasSubstr("names 0 kernels, but the launches use 1")));
  EXPECT_THAT(problems_of("UPDATE cubins SET lowered_names = '_Z5other'" + kAnewDigests),
              Contains(HasSubstr("has no kernel _Z5other")));
  EXPECT_THAT(problems_of("PRAGMA foreign_keys = OFF; UPDATE best SET session_id = 9999"),
              Contains(HasSubstr("the pack lists 2 shapes on NVIDIA H200, but contains none of them")));
  EXPECT_THAT(problems_of("DELETE FROM pack_rules"),
              Contains(HasSubstr("the pack contains 2 shapes on NVIDIA H200, but lists")));
  EXPECT_THAT(problems_of("UPDATE kernels SET name = 'other'"),
              Contains(HasSubstr("other: its spec.json belongs to scale")));
  EXPECT_THAT(problems_of("UPDATE pack_rules SET rule = '1;nan;zz'"), Contains(HasSubstr("not a valid transfer rule")));
  TransferRule rule;
  rule.leave_one_out.left_out = {{{1, 2, 3}, 0.1}};
  EXPECT_THAT(problems_of("UPDATE pack_rules SET rule = '" + transfer_text(rule) + "'"),
              Contains(HasSubstr("shapes of 3 dims")));
}

TEST_F(Damage, ADifferenceIsNeverLeftUnsaid) {
  using testing::Contains;
  EXPECT_THAT(changed_subjects("SELECT 1"), testing::IsEmpty());
  EXPECT_THAT(changed_subjects("UPDATE trials SET median_us = 2 * median_us"),
              Contains(AllOf(HasSubstr("scale rows=1,cols=100;fp32;mode=plain on NVIDIA H200"), HasSubstr(": times"))));
  EXPECT_THAT(changed_subjects("UPDATE devices SET sm_count = 7"), Contains(HasSubstr(": multiprocessors")));
  EXPECT_THAT(changed_subjects("UPDATE cubins SET lowered_names = 'x'" + kAnewDigests),
              Contains(HasSubstr("program ")));
  EXPECT_THAT(changed_subjects("UPDATE sessions SET version = 'another'"),
              testing::ElementsAre(HasSubstr("SHA-256 of all")));
}

TEST_F(Damage, ReplacedDeletedOrCutWhileOpen) {
  write_bytes(copy, bytes);
  const Reader reader = TunedDb::value(Reader::open(copy));
  fs::remove(copy);
  EXPECT_EQ(TunedDb::value(reader.best()).size(), 2U); // readers that have it open still see it
  write_bytes(copy, "another file");
  EXPECT_EQ(TunedDb::value(reader.kernel_names()).size(), 1U);

  write_bytes(copy, bytes);
  const Reader cut = TunedDb::value(Reader::open(copy));
  fs::resize_file(copy, 4096);
  EXPECT_THAT(cut.best().error().message, HasSubstr("has changed since it was packed"));
}

TEST_F(Damage, WhatLiesBesideItIsNotLookedAt) {
  const std::string sound = content_of(out);
  write_bytes(out.string() + "-journal", std::string("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8) + std::string(600, '\1'));
  write_bytes(out.string() + "-wal", std::string(600, '\1'));
  EXPECT_EQ(content_of(out), sound);
  EXPECT_EQ(read_bytes(out) == bytes, true);
}

TEST_F(Damage, IsNeverWrittenTo) {
  EXPECT_THAT(Writer::open(out).error().message, HasSubstr("is a pack, and warptune does not write to packs"));
  EXPECT_EQ(read_bytes(out) == bytes, true);
  EXPECT_FALSE(fs::exists(out.string() + "-wal"));
}

} // namespace
} // namespace warptune
