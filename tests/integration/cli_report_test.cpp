// report through the command line: replays a recording into a database, and reads the written files with independent
// parsers.
#include "db/reader.h"
#include "db/writer.h"
#include "support/recorded_cli.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

struct CliReport : RecordedCli {
  CliReport() {
    cli.set("WARPTUNE_DB", db);
    cli.set("WARPTUNE_RECORDINGS", cli.dir().path().string());
    tune();
  }
  void tune() { EXPECT_EQ(RecordedCli::tune().code, 0); }
  CliResult report(std::vector<std::string> more) {
    more.insert(more.begin(), "report");
    return cli.run(more);
  }
  json data(std::vector<std::string> more = {}) {
    more.insert(more.begin(), "report");
    return parsed(more);
  }
  void sql(const std::string& text) { SQLite::Database(db, SQLite::OPEN_READWRITE).exec(text); }
  // One line per file, as tests/support/check_report.py prints it; empty without Python.
  std::string checked(const std::vector<std::string>& files) {
    const fs::path out = cli.dir() / "checked.txt";
    std::string command = "python3 -B " + (data_dir().parent_path() / "support" / "check_report.py").string();
    for (const std::string& file : files) command += " " + in_dir(file);
    EXPECT_EQ(std::system((command + " > " + out.string()).c_str()), 0) << read_text(out);
    return read_text(out);
  }
};

bool has_python() { return std::system("python3 -c '' > /dev/null 2>&1") == 0; }

TEST_F(CliReport, ShowsTwoDatabasesBesideEachOther) {
  const std::string other = in_dir("other.db");
  fs::copy_file(db, other);
  EXPECT_FALSE(data()["views"][0].contains("database"));
  const json views = data({"--with", other})["views"];
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0]["database"], "w.db");
  EXPECT_EQ(views[1]["database"], "other.db");
  EXPECT_NE(views[0]["id"], views[1]["id"]);
  EXPECT_EQ(views.dump().find(in_dir("")), std::string::npos) << "no folders of this machine";
  const std::string same_name = in_dir("other") + "/w.db";
  fs::create_directory(in_dir("other"));
  fs::copy_file(db, same_name);
  EXPECT_EQ(data({"--with", same_name})["views"][1]["database"], same_name);
  const CliResult session = report({"--with", other, "--session", "1"});
  EXPECT_EQ(session.code, 2);
  EXPECT_THAT(session.err, HasSubstr("leave out --with"));
  SQLite::Database(other, SQLite::OPEN_READWRITE).exec("DELETE FROM sessions");
  const CliResult empty = report({"--with", other, "-o", in_dir("r.html")});
  EXPECT_EQ(empty.code, 0) << empty.err;
  EXPECT_THAT(empty.out + empty.err, AllOf(HasSubstr("no result of"), HasSubstr("no sessions yet")));
  EXPECT_EQ(report({"--with", in_dir("none.db")}).code, 5);
  const CliResult onto = report({"--with", other, "-o", other, "--force"});
  EXPECT_EQ(onto.code, 2) << "an input is never replaced";
}

TEST_F(CliReport, ShowsStoredSamplesAndWhyTheDefaultIsSlower) {
  json view = data()["views"][0];
  EXPECT_EQ(view["sampled"], json::array());
  ASSERT_TRUE(view["why"].is_object());
  ASSERT_EQ(report({"-o", in_dir("why.html")}).code, 0);
  EXPECT_THAT(read_text(in_dir("why.html")), HasSubstr("<p>The default takes")); // works without JavaScript
  EXPECT_THAT(view["why"]["verdict"].get<std::string>(),
              AllOf(HasSubstr("The default takes"), HasSubstr("nothing was counted")));
  EXPECT_THAT(view["why"]["ratio"]["measured"].get<std::string>(), HasSubstr("not interleaved"));
  {
    Writer writer = *Writer::open(db);
    const std::string best = view["best"]["config_text"].get<std::string>();
    ASSERT_TRUE(writer.add(1, best, {{}, {}, read_text(data_dir() / "report" / "samples_best.json")}));
  }
  view = data()["views"][0];
  ASSERT_EQ(view["sampled"].size(), 1U);
  EXPECT_EQ(view["sampled"][0]["trial"], view["best"]["trial"]);
  EXPECT_EQ(view["sampled"][0]["files"][0]["name"], "kernel.cu");
  EXPECT_THAT(view["sampled"][0]["files"][0]["text"][4].get<std::string>(), HasSubstr("const long long first"));
  sql("UPDATE source_samples SET content = 'broken'");
  view = data()["views"][0];
  EXPECT_EQ(view["sampled"], json::array());
  EXPECT_THAT(view["notes"].dump(), HasSubstr("the stored samples are damaged"));
}

TEST_F(CliReport, EveryFormatHoldsEveryTrial) {
  const CliResult result =
      report({"-o", in_dir("r.html"), "--svg", in_dir("r.svg"), "--csv", in_dir("r.csv"), "--json", in_dir("r.json")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("r.html: page, "), HasSubstr("r.svg: picture, "), HasSubstr("r.csv: table, "),
                                HasSubstr("r.json: data, "),
                                HasSubstr("scale rows=64,cols=1024;fp32;mode=plain on NVIDIA H200: ")));
  const auto rows = Reader::open(db)->trials(1);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), 9U);
  if (!has_python()) GTEST_SKIP() << "no python3 to read it with";
  EXPECT_THAT(checked({"r.html", "r.svg", "r.csv", "r.json"}),
              AllOf(HasSubstr("html views=1 trials=9 tables=1 pictures=1"), HasSubstr("svg svg texts="),
                    HasSubstr("csv rows=9"), HasSubstr("json views=1 trials=9")));
}

TEST_F(CliReport, HostileNamesAreInert) {
  if (!has_python()) GTEST_SKIP() << "no python3 to read it with";
  sql("UPDATE devices SET name = '</script><img src=x onerror=alert(1)>' || char(27) || '[2J' || char(8238);"
      "UPDATE kernels SET name = '=cmd|''x''!A0\"<svg onload=alert(1)>'");
  ASSERT_EQ(report({"-o", in_dir("r.html"), "--svg", in_dir("r.svg"), "--csv", in_dir("r.csv")}).code, 0);
  EXPECT_THAT(checked({"r.html", "r.svg", "r.csv"}), HasSubstr("html views=1 trials=9 tables=1 pictures=1"));
  EXPECT_THAT(read_text(cli.dir() / "r.csv"), HasSubstr("\"'=cmd|"));
  const CliResult shown = report({"-o", in_dir("r.html")});
  EXPECT_THAT(shown.out, Not(HasSubstr("\x1b")));
}

TEST_F(CliReport, ThePageIsTheDefault) {
  const CliResult result = cli.run({"report"}, [this] { fs::current_path(cli.dir().path()); });
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(fs::exists(cli.dir() / "report.html"));
  EXPECT_EQ(cli.run({"report", "--csv", in_dir("only.csv")}, [this] { fs::current_path(cli.dir().path()); }).code, 0);
  fs::remove(cli.dir() / "report.html");
  EXPECT_EQ(cli.run({"report", "--csv", in_dir("only.csv")}, [this] { fs::current_path(cli.dir().path()); }).code, 0);
  EXPECT_FALSE(fs::exists(cli.dir() / "report.html")) << "files were named";
}

TEST_F(CliReport, StandardOutputHoldsNothingElse) {
  const json view = data()["views"][0];
  EXPECT_EQ(view["trials"]["n"], 9);
  EXPECT_EQ(view["device"]["recorded"], true);
  EXPECT_EQ(view["best"]["config_text"], Reader::open(db)->best()->front().config);
  EXPECT_THAT(report({"--csv", "-"}).out, testing::StartsWith("session,kernel,problem,device,"));
  EXPECT_THAT(report({"--svg", "-"}).out, AllOf(testing::StartsWith("<svg"), testing::EndsWith("</svg>\n")));
  EXPECT_EQ(report({"-o", "-"}).code, 0);
  const CliResult two = report({"--csv", "-", "--svg", "-"});
  EXPECT_EQ(two.code, 2);
  EXPECT_THAT(two.err, HasSubstr("only one of the outputs can go to standard output"));
}

TEST_F(CliReport, Selection) {
  tune();
  EXPECT_EQ(data({"--kernel", "scale", "--shape", kScaleShape})["views"].size(), 1U);
  EXPECT_EQ(data({"--session", "1"})["views"][0]["session"]["id"], 1);
  EXPECT_EQ(data({"--device", "h200"})["views"].size(), 1U);
  const CliResult kernel = report({"--kernel", "scal"});
  EXPECT_EQ(kernel.code, 4);
  EXPECT_THAT(kernel.err, HasSubstr("has no results of 'scal'; did you mean 'scale'?"));
  const CliResult problem = report({"--problem", "rows=64,cols=1024;fp32;mode=plane"});
  EXPECT_EQ(problem.code, 4);
  EXPECT_THAT(problem.err, HasSubstr("did you mean 'rows=64,cols=1024;fp32;mode=plain'?"));
  EXPECT_EQ(report({"--device", "A100"}).code, 4);
  EXPECT_THAT(report({"--device", "recorded"}).err, HasSubstr("has no results from a device 'recorded'"));
  EXPECT_EQ(report({"--session", "77"}).code, 4);
  EXPECT_THAT(report({"--shape", kScaleShape}).err, HasSubstr("--shape, --dtype and --set need a kernel"));
  EXPECT_THAT(report({"--kernel", "scale", "--shape", kScaleShape, "--problem", "x"}).err,
              HasSubstr("--problem already contains the shape"));
}

TEST_F(CliReport, WithoutAnythingToReport) {
  const CliResult missing = report({"--db", in_dir("none.db")});
  EXPECT_EQ(missing.code, 5);
  EXPECT_THAT(missing.err, HasSubstr("there is no database"));
  sql("DELETE FROM best; DELETE FROM trials");
  const CliResult empty = report({"-o", in_dir("r.html")});
  EXPECT_EQ(empty.code, 4);
  EXPECT_THAT(empty.err, HasSubstr("nothing to report: 1 session without trials"));
  EXPECT_FALSE(fs::exists(cli.dir() / "r.html"));
  sql("DELETE FROM sessions");
  EXPECT_THAT(report({}).err, HasSubstr("has no sessions yet"));
}

// Times that the schema allows but no measurement can give.
TEST_F(CliReport, TimesThatCannotBeTrueAreLeftOut) {
  for (const char* number : {"median_us = 0", "median_us = 1e-300", "median_us = 1e300", "ci_low_us = 1e-300"})
    for (const char* where : {"UPDATE trials SET ", "UPDATE best SET "}) {
      sql(std::string(where) + number);
      const CliResult result = report(
          {"-o", in_dir("r.html"), "--svg", in_dir("r.svg"), "--csv", in_dir("r.csv"), "--json", in_dir("r.json")});
      EXPECT_TRUE(result.code == 0 || result.code == 2)
          << where << number << " ends with " << result.code << result.err;
      for (const std::vector<std::string>& words :
           {std::vector<std::string>{"show", "best"}, {"show", "trials", "--session", "1"}, {"show", "sessions"}})
        EXPECT_EQ(cli.run(words).code, 0) << words[1] << " after " << where << number;
    }
}

TEST_F(CliReport, AnInterruptedSearchHasNoWinner) {
  sql("DELETE FROM best; UPDATE sessions SET state = 'interrupted'");
  const CliResult result = report({"-o", in_dir("r.html")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("no winner yet"));
  EXPECT_TRUE(data()["views"][0]["best"].is_null());
}

TEST_F(CliReport, OutputThatCannotBeWritten) {
  EXPECT_EQ(report({"-o", in_dir("none/r.html")}).code, 2);
  EXPECT_THAT(report({"-o", cli.dir().path().string()}).err, HasSubstr("is a directory"));
  EXPECT_THAT(report({"-o", "/dev/full"}).err, HasSubstr("No space left on device; free some space, raise the limit"));
  std::ofstream(cli.dir() / "notes.txt") << "mine";
  const CliResult foreign = report({"-o", in_dir("notes.txt")});
  EXPECT_EQ(foreign.code, 2);
  EXPECT_THAT(foreign.err, HasSubstr("use --force to replace it"));
  EXPECT_EQ(read_text(cli.dir() / "notes.txt"), "mine");
  EXPECT_EQ(report({"-o", in_dir("notes.txt"), "--force"}).code, 0);
  EXPECT_EQ(report({"-o", in_dir("notes.txt")}).code, 0) << "now it is ours";
  EXPECT_THAT(report({"-o", in_dir("a"), "--csv", in_dir("a")}).err, HasSubstr("two outputs would go to"));
}

TEST_F(CliReport, Baselines) {
  const auto write =
      [&](const std::string& device) {
        std::ofstream(cli.dir() / "b.json")
            << R"({"warptune_baselines":1,"device":")" << device
            << R"(","source":"torch","entries":[{"kernel":"scale",)"
            << R"("problem":"rows=64,cols=1024;fp32;mode=plain","name":"torch eager","median_us":20}]})";
      };
  write("NVIDIA H200");
  const json baselines = data({"--baselines", in_dir("b.json")})["views"][0]["baselines"];
  ASSERT_EQ(baselines.size(), 1U);
  EXPECT_EQ(baselines[0]["name"], "torch eager");
  EXPECT_TRUE(data()["views"][0]["baselines"].empty());
  fs::create_directory(cli.dir() / "baselines"); // beside the recordings: used without --baselines
  fs::copy(cli.dir() / "b.json", cli.dir() / "baselines" / "b.json");
  EXPECT_EQ(data()["views"][0]["baselines"].size(), 1U);
  write("another");
  EXPECT_THAT(
      report({"--baselines", in_dir("b.json"), "-o", in_dir("r.html")}).out,
      HasSubstr("no entry in " + in_dir("b.json") + " has the kernel, problem and device of a result in this report"));
  std::ofstream(cli.dir() / "b.json") << "{}";
  const CliResult wrong = report({"--baselines", in_dir("b.json")});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("not a file of baselines"));
  EXPECT_THAT(report({"--baselines", in_dir("nowhere.json")}).err, HasSubstr("No such file"));
}

TEST_F(CliReport, ManyViewsAreLimited) {
  sql("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 60) "
      "INSERT INTO problems SELECT i, 'scale', 'rows=64,cols=' || (i * 64 + 7) || ';fp32;mode=plain' FROM n;"
      "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 60) "
      "INSERT INTO sessions SELECT n.i, kernel_id, n.i, device_id, toolchain_id, arch, strategy, budget, seed, "
      "cold_l2, "
      "space_size, state, version, started_at, ended_at, 'uuid' || n.i, objective FROM sessions, n WHERE id = 1;"
      "INSERT INTO trials (session_id, config_id, config_index, status, evidence, cubin_hash, registers, spill_bytes, "
      "static_shared_bytes, occupancy, compile_ms, verify_ms, measure_ms, median_us, ci_low_us, ci_high_us, min_us, "
      "rel_iqr, cold_l2, complete, sm_clock_mhz, temperature_c, power_w, recorded_at) SELECT s.id, config_id, "
      "config_index, "
      "t.status, evidence, cubin_hash, registers, spill_bytes, static_shared_bytes, occupancy, compile_ms, verify_ms, "
      "measure_ms, median_us, ci_low_us, ci_high_us, min_us, rel_iqr, t.cold_l2, complete, sm_clock_mhz, "
      "temperature_c, "
      "power_w, recorded_at FROM trials t, sessions s WHERE t.session_id = 1 AND s.id > 1");
  const CliResult result = report({"-o", in_dir("r.html")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("note: left out 10 older results; use --limit 0 to show all"));
  const auto limited = data(), all = data({"--limit", "0"});
  EXPECT_EQ(limited["views"].size(), 50U);
  EXPECT_EQ(limited["left_out"], 10);
  EXPECT_THAT(limited["title"].get<std::string>(), HasSubstr("warptune: 50 of 60 results of "));
  EXPECT_EQ(all["views"].size(), 60U);
  EXPECT_EQ(all["left_out"], 0);
  EXPECT_THAT(all["title"].get<std::string>(), HasSubstr("warptune: 60 results of "));
  EXPECT_EQ(data({"--limit", "3"})["views"].size(), 3U);
}

} // namespace
} // namespace warptune
