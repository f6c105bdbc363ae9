// A pack as a user makes and inspects it.
#include "db/pack_file.h"
#include "support/run_cli.h"
#include "support/tuned_db.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

struct CliPack : testing::Test {
  CliRunner cli;
  const std::string db = (cli.dir() / "w.db").string(), out = (cli.dir() / "ops.wtpack").string();

  CliPack() {
    TunedDb tuned(db);
    tuned.add("rows=64,cols=1024", {{TunedDb::kDefault, 10}, {TunedDb::config(256, 4), 5}}, TunedDb::config(256, 4));
    tuned.add("rows=9,cols=100", {{TunedDb::kDefault, 10}, {TunedDb::config(64, 2), 9.9}}, TunedDb::config(64, 2),
              false);
  }
  CliResult pack(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"pack", "--db", db, "-o", out, "--no-compile"});
    return cli.run(more);
  }
};

TEST_F(CliPack, MakesListsAndChecks) {
  const CliResult made = pack();
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("scale"), HasSubstr("ops.wtpack: 2 cubins, "),
                              HasSubstr(" in total; 2 reused, 0 compiled")));
  const CliResult listed = cli.run({"pack", "--list", out});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_THAT(listed.out, AllOf(HasSubstr("fp32;mode=plain"), HasSubstr("cover 3%"), HasSubstr("2 tuned shapes")));
  const CliResult checked = cli.run({"pack", "--check", out});
  EXPECT_EQ(checked.code, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("the pack is consistent\n"));
  const CliResult parsed = cli.run({"pack", "--list", out, "--json"});
  const json list = json::parse(parsed.out, nullptr, false);
  EXPECT_EQ(list["variants"].size(), 1U);
  EXPECT_EQ(list["variants"][0]["guarded"], 1);
  EXPECT_EQ(list["pack"]["digest"].get<std::string>().size(), 64U);
  EXPECT_THAT(list["pack"]["licence"].get<std::string>(), HasSubstr("Apache License"));
}

TEST_F(CliPack, ExplainSaysThatAKernelIsNotInThePack) {
  pack();
  const CliResult result = cli.run({"explain", "axpy", "--shape", "n=64", "--arch", "sm_90", "--db", out});
  EXPECT_EQ(result.code, 4) << result.out;
  EXPECT_THAT(result.err, HasSubstr("the pack has no kernel 'axpy'; known: scale"));
  const CliResult packed =
      cli.run({"explain", "scale", "--shape", "rows=64,cols=1024", "--arch", "sm_90", "--db", out});
  EXPECT_THAT(packed.err, testing::Not(HasSubstr("has no kernel")));
}

// The pack is sealed again, so only its rows reveal the change.
TEST_F(CliPack, ACheckOfRowsThatDoNotFitTogetherEndsInOne) {
  pack();
  const auto content = static_cast<std::uintmax_t>((*db::PackFile::open(out))->bytes()); // the seal follows
  fs::resize_file(out, content);
  SQLite::Database(out, SQLite::OPEN_READWRITE).exec("UPDATE best SET cubin_hash = 'ff'");
  db::seal_pack(out);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"pack", "check", out}, {"pack", "check", out, "--json"}}) {
    const CliResult checked = cli.run(words);
    EXPECT_EQ(checked.code, 1) << checked.err;
    EXPECT_THAT(checked.out, HasSubstr("stored cubin is not the one"));
  }
}

TEST_F(CliPack, TellsTwoApart) {
  pack();
  fs::copy_file(out, cli.dir() / "old.wtpack");
  const std::string old = (cli.dir() / "old.wtpack").string();
  EXPECT_EQ(cli.run({"pack", "--diff", old, out}).out, "the packs have the same content\n");
  pack({"--cover", "0.5%", "--kernels", "scale"});
  const CliResult changed = cli.run({"pack", "--diff", old, out});
  EXPECT_EQ(changed.code, 1);
  EXPECT_THAT(changed.out, HasSubstr("~ pack: cover: 3% -> 0.5%"));
}

// Also if the exit code would be that of a finding.
TEST_F(CliPack, WhatIsNotToldIsAnError) {
  pack();
  const std::string old = (cli.dir() / "old.wtpack").string();
  fs::copy_file(out, old);
  pack({"--cover", "0.5%"});
  const std::vector<std::vector<std::string>> commands = {
      {"pack", "--list", out}, {"pack", "--check", out}, {"pack", "--diff", old, out}, {"pack", "--diff", out, out}};
  for (const auto& words : commands) {
    const CliResult full = cli.run(words, [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); });
    EXPECT_EQ(full.code, 6) << words[1];
    EXPECT_THAT(full.err, HasSubstr("cannot write the output: No space left")) << words[1];
    const CliResult closed = cli.run(words, [] { ::close(STDOUT_FILENO); });
    EXPECT_EQ(closed.code, 6) << words[1];
    EXPECT_THAT(closed.err, HasSubstr("standard output was closed")) << words[1];
  }
  const CliResult gone = cli.run_into_closed_pipe(commands[2]);
  EXPECT_EQ(gone.code, 1) << "whoever reads no further has seen enough";
}

TEST_F(CliPack, NoOutputIsTakenForTheLogOfADatabase) {
  const std::string other = (cli.dir() / "other.db").string();
  write_bytes(other, std::string("SQLite format 3\0 and more", 25));
  for (const char* end : {"-wal", "-shm", "-journal"}) {
    const std::vector<std::vector<std::string>> commands = {{"pack", "--db", db, "--no-compile", "-o", other + end},
                                                            {"merge", "-o", other + end, db}};
    for (const auto& words : commands) {
      const CliResult result = cli.run(words);
      EXPECT_EQ(result.code, 2) << words[0] << end;
      EXPECT_THAT(result.err, HasSubstr("is the name of the log that SQLite keeps for the database '" + other + "'"));
      EXPECT_FALSE(fs::exists(other + end));
    }
    EXPECT_EQ(cli.run({"pack", "--db", db, "--no-compile", "-o", out + end}).code, 0) << "of no database";
  }
}

TEST_F(CliPack, AnApplicationsChoiceComesFromIt) {
  pack();
  const CliResult said =
      cli.run({"explain", "scale", "--shape", "rows=64,cols=1024", "--device", "NVIDIA H200", "--db", out});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("exact"), HasSubstr("THREADS=256,VEC=4")));
}

// The default ships instead of the session's winner; the winner's 9.9 us would be 40.4 %.
TEST_F(CliPack, TheShareOfTheRoofIsThatOfWhatShips) {
  pack();
  const json best = json::parse(cli.run({"show", "best", "--db", out, "--json"}).out, nullptr, false)["best"];
  ASSERT_EQ(best.size(), 2U) << best;
  for (const json& row : best)
    EXPECT_DOUBLE_EQ(row["roofline_share"].get<double>(), TunedDb::kFloorUs / row["median_us"].get<double>()) << row;
  EXPECT_THAT(cli.run({"show", "best", "--db", out}).out, AllOf(HasSubstr("40.0 %"), HasSubstr("80.0 %")));
}

TEST_F(CliPack, BadInputIsOneSentence) {
  const auto refused = [&](const std::vector<std::string>& words, int code, const char* sentence) {
    const CliResult result = cli.run(words);
    EXPECT_EQ(result.code, code) << words[1];
    EXPECT_THAT(result.err, HasSubstr(sentence));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  refused({"pack"}, 2, "name an action");
  refused({"pack", "--db", db, "-o", db}, 2, "the file exists and is not a pack");
  refused({"pack", "--db", db, "-o", out, "--list", out}, 2, "exclude each other");
  refused({"pack", "--db", db, "-o", out, "--cover", "many"}, 2,
          "--cover takes a share from 0% to 100%, such as 2%, not 'many'");
  refused({"pack", "--db", db, "-o", out, "--cover", "0.03"}, 2, "--cover '0.03' is ambiguous: write 0.03% or 3%");
  refused({"pack", "--db", db, "-o", out, "--gpus", "NVIDIA H20"}, 4, "nothing was tuned on 'NVIDIA H20'");
  refused({"pack", "--check", db}, 2, "is a database, not a pack");
  refused({"pack", "--list", (cli.dir() / "none").string()}, 5, "there is no pack");
  refused({"pack", (cli.dir() / "none").string(), "--list"}, 2, "pack list FILE");
  pack();
  refused({"pack", "--db", out, "-o", out}, 2, "name the database that it was made from");
  refused({"merge", "-o", (cli.dir() / "m.db").string(), out}, 5, "is a pack, and warptune does not write to packs");
  std::string bytes = read_bytes(out);
  bytes[bytes.size() / 2] ^= 1;
  write_bytes(out, bytes);
  refused({"pack", "--check", out}, 5, "is damaged");
}

} // namespace
} // namespace warptune
