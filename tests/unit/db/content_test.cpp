// The content of a database is verified: files against the hash of their kernel, images against the digest beside them,
// results against the other rows of their session.
#include "db/cubin_digest.h"
#include "db/migrate.h"
#include "db/stored_kernel.h"
#include "support/hashed_record.h"
#include "support/spec_text.h"
#include "unit/db/merge_fixture.h"

namespace warptune {
namespace {

using namespace test;
using ::testing::Contains;
using ::testing::HasSubstr;

struct Content : MergeTest {
  const KernelRecord kernel =
      with_own_hash({0, "demo", "", {{"kernel.cu", "// 1\n"}, {"spec.json", warptune::testing::SpecText().text()}}});
  const CubinRecord cubin{"c0ffee",
                          "sm_90a",
                          std::string("\x7f"
                                      "ELF\0image",
                                      10),
                          {"_Z1a"}};

  void store(const fs::path& file) const {
    Writer writer = must(Writer::open(file));
    must(writer.put_kernel(kernel));
    must(writer.put_cubin(cubin));
  }
  Result<KernelSpec> spec() const { return spec_of(must(must(Reader::open(a)).kernel("demo")).value()); }
  Result<std::optional<CubinRecord>> program() const { return must(Reader::open(a)).cubin(cubin.hash); }
  BestRecord best(const fs::path& file) const { return must(must(Reader::open(file)).best()).at(0); }
};

TEST_F(Content, FilesAreThoseOfTheHashOrAreNotUsed) {
  store(a);
  ASSERT_TRUE(spec());
  for (const char* sql : {"UPDATE kernel_files SET text = '// 2' || char(10) WHERE name = 'kernel.cu'",
                          "UPDATE kernel_files SET text = text || ' ' WHERE name = 'spec.json'",
                          "UPDATE kernels SET source_hash = 'x'"}) {
    fs::remove(b);
    copy(a, b);
    change(b, sql);
    const auto read = spec_of(must(must(Reader::open(b)).kernel("demo")).value());
    ASSERT_FALSE(read) << sql;
    EXPECT_EQ(read.error().kind, ErrorKind::database);
    EXPECT_THAT(read.error().message, HasSubstr("its files do not match its source hash")) << sql;
  }
}

TEST_F(Content, ADamagedDescriptionIsTheFaultOfTheDatabase) {
  store(a);
  for (const char* sql : {"UPDATE kernel_files SET text = '{' WHERE name = 'spec.json'",
                          "DELETE FROM kernel_files WHERE name = 'spec.json'"}) {
    change(a, sql);
    const auto read = spec();
    ASSERT_FALSE(read) << sql;
    EXPECT_EQ(read.error().kind, ErrorKind::database) << sql;
    EXPECT_THAT(read.error().message, HasSubstr("spec.json")) << sql;
  }
}

TEST_F(Content, TuningAgainPutsTheTrueFilesAndImageBack) {
  store(a);
  change(a, "UPDATE kernel_files SET text = 'x' WHERE name = 'kernel.cu'; UPDATE cubins SET image = x'00'");
  ASSERT_FALSE(spec());
  ASSERT_FALSE(program());
  store(a);
  EXPECT_TRUE(spec());
  EXPECT_EQ(must(program())->image, cubin.image);
}

// A description may change in keys that are not part of the hash: the next tuning stores the newer one.
TEST_F(Content, TuningAgainBringsWhatTheHashDoesNotCount) {
  KernelRecord record = kernel;
  std::string& json = record.files[1].second;
  const std::string flops = R"("flops": {"fp32": "5 * rows * cols"})";
  ASSERT_NE(json.find(flops), std::string::npos);
  json.replace(json.find(flops), flops.size(), R"("flops": {"tensor": "5 * rows * cols"})");
  record = with_own_hash(record);
  Writer writer = must(Writer::open(a));
  must(writer.put_kernel(record));
  std::string& newer = record.files[1].second;
  newer.insert(newer.find('}', newer.find(R"("flops")")) + 1, R"(, "tensor_when": "dtype != fp32")");
  ASSERT_EQ(with_own_hash(record).source_hash, record.source_hash);
  change(a, "UPDATE kernels SET created_at = '2000-01-01T00:00:00Z'");
  must(writer.put_kernel(record));
  EXPECT_GT(SQLite::Database(a.string()).execAndGet("SELECT created_at FROM kernels").getString(), "2001")
      << "merge keeps the files that were stored last";
  EXPECT_EQ(must(must(Reader::open(a)).kernel("demo", record.source_hash)).value().files, record.files);
}

TEST_F(Content, AnImageIsWhatWasStoredUnderItsKeyOrAnError) {
  store(a);
  EXPECT_EQ(must(program())->image, cubin.image);
  for (const char* sql : {"UPDATE cubins SET image = x'7f454c46'", "UPDATE cubins SET arch = 'sm_80'",
                          "UPDATE cubins SET lowered_names = '_Z1b' || char(10)", "UPDATE cubins SET digest = ''"}) {
    fs::remove(b);
    copy(a, b);
    change(b, sql);
    const auto read = must(Reader::open(b)).cubin(cubin.hash);
    ASSERT_FALSE(read) << sql;
    EXPECT_EQ(read.error().kind, ErrorKind::database);
    EXPECT_THAT(read.error().message, HasSubstr("does not match its digest")) << sql;
  }
  change(a, "UPDATE cubins SET hash = 'decade'");
  EXPECT_FALSE(must(Reader::open(a)).cubin("decade")) << "an image under another key";
}

TEST_F(Content, AnImageOfAnOlderSchemaIsReadAndGetsItsDigestFromTheFirstWriter) {
  {
    SQLite::Database db(a.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    const auto all = db::embedded_migrations();
    db::migrate(db, std::span(all).first(6));
    db.exec("INSERT INTO cubins VALUES ('c0ffee', 'sm_90a', '_Z1a' || char(10), x'7f454c4600696d616765', '')");
  }
  EXPECT_EQ(must(program())->image, cubin.image);
  { must(Writer::open(a)); }
  EXPECT_EQ(must(program())->image, cubin.image);
  EXPECT_EQ(SQLite::Database(a.string()).execAndGet("SELECT digest FROM cubins").getString(),
            db::cubin_digest(cubin.hash, cubin.arch, db::cubin_names(cubin), cubin.image));
  change(a, "UPDATE cubins SET image = x'00'");
  EXPECT_FALSE(program());
}

TEST_F(Content, AMergeTakesNoFalseFilesAndNoFalseImage) {
  store(a);
  change(a, "UPDATE kernel_files SET text = 'x' WHERE name = 'kernel.cu'; UPDATE cubins SET image = x'00'");
  const MergeReport report = merge(out, {a});
  EXPECT_EQ(count(out, "kernel_files"), 0);
  EXPECT_EQ(count(out, "cubins"), 0);
  EXPECT_EQ(report.total().skipped_rows, 3);
  EXPECT_THAT(report.notes, Contains(HasSubstr("they do not match its source hash")));
  store(b);
  merge(out, {b});
  EXPECT_EQ(count(out, "kernel_files"), 2) << "whoever has the true ones brings them";
  EXPECT_EQ(count(out, "cubins"), 1);
}

TEST_F(Content, AResultThatOtherRowsContradictIsDisqualifiedWithTheReason) {
  fill(a, 2);
  EXPECT_EQ(best(a).disqualified, "");
  for (const auto& [sql, reason] : {
           std::pair{"DELETE FROM trials WHERE config_id = (SELECT config_id FROM best)", "has no trial of this"},
           std::pair{"UPDATE trials SET status = 'wrong_result' WHERE config_id = (SELECT config_id FROM best)",
                     "was not correct"},
           std::pair{"UPDATE trials SET status = 'crashed'", "was not correct"},
           std::pair{"UPDATE configs SET kernel = 'axpy' WHERE id = (SELECT config_id FROM best)", "to another kernel"},
           std::pair{"UPDATE sessions SET state = 'running'", "is marked as running"},
       }) {
    fs::remove(b);
    copy(a, b);
    change(b, sql);
    EXPECT_THAT(best(b).disqualified, HasSubstr(reason)) << sql;
    fs::remove(out);
    merge(out, {b});
    const auto merged = must(must(Reader::open(out)).best());
    if (reason != std::string("is marked as running")) { // a merge ends sessions that no process works on
      EXPECT_TRUE(merged.empty() || !merged[0].disqualified.empty()) << sql;
    }
  }
}

TEST_F(Content, AResultWhoseIntervalIsUpsideDownIsSkipped) {
  fill(a, 2);
  change(a, "UPDATE best SET ci_low_us = 11, ci_high_us = 10");
  const Reader reader = must(Reader::open(a));
  EXPECT_TRUE(must(reader.best()).empty());
  EXPECT_EQ(reader.skipped_rows(), 1);
}

TEST_F(Content, AContradictedResultGivesWayToASoundOne) {
  fill(a, 2);
  SessionIdentity again = sample_identity();
  again.seed = 9;
  fill(a, 2, again, 1);
  change(a, "UPDATE best SET median_us = 1 WHERE id = 1; DELETE FROM trials WHERE session_id = 1");
  EXPECT_EQ(best(a).config, sample_config(1));
  EXPECT_EQ(best(a).disqualified, "");
}

} // namespace
} // namespace warptune
