// replay, strategies, import and export as a user runs them.
#include "support/held_cli.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string spaces() { return (share_dir() / "recordings" / "spaces").string(); }
std::string space(const std::string& name) { return spaces() + "/" + name + ".json.gz"; }

// The table of a public scoring script for the same traces: strategy, then its columns.
TEST(CliReplay, ScoresOfPeersAreThoseOfTheirScript) {
  const CliRunner cli;
  const CliResult r = cli.run({"replay", spaces(), spaces() + "/peers.jsonl.gz", "--traces-only", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json out = json::parse(r.out);
  ASSERT_EQ(out["spaces"].size(), 9u);
  json tabu;
  for (const json& s : out["strategies"])
    if (s["strategy"] == "Kernel Tuner adaptive_tabu_greywolf") tabu = s;
  EXPECT_NEAR(tabu["optimum_over_best_at"]["25"].get<double>(), 0.758, 5e-4);
  EXPECT_NEAR(tabu["optimum_over_best_at"]["400"].get<double>(), 0.992, 5e-4);
  EXPECT_NEAR(tabu["worst_space_at_100"].get<double>(), 0.859, 5e-4);
  EXPECT_NEAR(tabu["evaluations_to_95"].get<double>(), 72, 0.5);
  EXPECT_NEAR(tabu["evaluations_to_99"].get<double>(), 221, 0.5);
}

TEST(CliReplay, TracesAreWrittenAndReadAgain) {
  const CliRunner cli;
  const std::string traces = (cli.dir() / "t.jsonl").string();
  const CliResult run = cli.run({"replay", space("pnpoly__RTX_3090"), "--strategy", "random,exhaustive", "--seeds", "3",
                                 "--budget", "50", "-o", traces, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const CliResult read = cli.run({"replay", space("pnpoly__RTX_3090"), traces, "--traces-only", "--json"});
  ASSERT_EQ(read.code, 0) << read.err;
  json ran = json::parse(run.out)["strategies"], again = json::parse(read.out)["strategies"];
  ASSERT_EQ(ran.size(), 2u);
  for (json* list : {&ran, &again})
    for (json& s : *list) s.erase("own_ms_per_evaluation");
  EXPECT_EQ(ran, again);
  EXPECT_THAT(read_text(traces),
              HasSubstr(R"({"space": "pnpoly__RTX_3090", "strategy": "random", "seed": 2, "trace": [[)"));
}

TEST(CliReplay, ANumberThatNoRunReachedIsMarkedAsABound) {
  const CliRunner cli;
  const std::vector<std::string> words = {
      "replay", space("pnpoly__RTX_3090"), "--strategy", "random", "--seeds", "2", "--budget", "2"};
  const CliResult table = cli.run(words);
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr(" >4 ")) << "two seeds of two evaluations, and none came to 99 %";
  std::vector<std::string> for_programs = words;
  for_programs.emplace_back("--json");
  EXPECT_NEAR(json::parse(cli.run(for_programs).out)["strategies"][0]["evaluations_to_99"].get<double>(), 4, 1e-9);
}

TEST(CliReplay, OneStrategyWithSeveralOptionsIsSeveral) {
  const CliRunner cli;
  const CliResult r = cli.run({"replay", space("pnpoly__RTX_3090"), "--strategy",
                               "genetic,genetic:population=30,crossover=0.5,random,genetic", "--seeds", "1", "--budget",
                               "20", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  std::vector<std::string> names;
  const json out = json::parse(r.out);
  for (const json& s : out["strategies"]) names.push_back(s["strategy"]);
  EXPECT_THAT(names, testing::UnorderedElementsAre("genetic", "genetic:crossover=0.5,population=30", "random"));
}

TEST(CliReplay, TheTableShowsPeersBesideOurs) {
  const CliRunner cli;
  const CliResult r = cli.run({"replay", space("pnpoly__RTX_3090"), spaces() + "/peers.jsonl.gz", "--strategy",
                               "random", "--seeds", "2", "--per-space"});
  ASSERT_EQ(r.code, 0) << r.err;
  for (const char* part : {"worst at 100", "Optuna TPE", "\nrandom ", "\n  pnpoly__RTX_3090 "})
    EXPECT_THAT(r.out, HasSubstr(part));
  EXPECT_THAT(r.err, HasSubstr("runs: 2/2"));
}

TEST(CliReplay, TracesOfAPeerWithANameOfOursAreToldApart) {
  const CliRunner cli;
  std::ofstream(cli.dir() / "peer.jsonl")
      << R"({"space": "pnpoly__RTX_3090", "strategy": "random", "seed": 0, "trace": [[1, 99]]})"
      << "\n";
  const CliResult r = cli.run({"replay", space("pnpoly__RTX_3090"), (cli.dir() / "peer.jsonl").string(), "--strategy",
                               "random", "--seeds", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("peer: random"));
}

json of_strategy(const CliResult& replayed, const std::string& name) {
  EXPECT_EQ(replayed.code, 0) << replayed.err;
  const json out = json::parse(replayed.out, nullptr, false);
  for (const json& s : out["strategies"])
    if (s["strategy"] == name) return s;
  return {};
}

TEST(CliReplay, ColumnsBeyondTheBudgetAreEmpty) {
  const CliRunner cli;
  const std::string traces = (cli.dir() / "t.jsonl").string(), one = space("pnpoly__RTX_3090");
  const std::vector<std::string> run = {"replay", one,        "--strategy", "random", "--seeds",
                                        "1",      "--budget", "50",         "-o",     traces};
  std::vector<std::string> run_json = run;
  run_json.emplace_back("--json");
  const std::vector<std::string> read_json = {"replay", one, traces, "--traces-only", "--json"};
  for (const auto& words : {run_json, read_json}) {
    const json random = of_strategy(cli.run(words), "random");
    EXPECT_TRUE(random["optimum_over_best_at"]["50"].is_number());
    EXPECT_TRUE(random["optimum_over_best_at"]["100"].is_null()) << words.back();
    EXPECT_TRUE(random["worst_space_at_100"].is_null());
    EXPECT_LE(random["evaluations_to_99"], 50);
  }
  EXPECT_THAT(cli.run(run).out, testing::ContainsRegex("random +1 +1 +0\\.[0-9]+ +0\\.[0-9]+ +- +- +- +- "));
}

TEST(CliReplay, TracesOfSpacesThatWereNotNamedAreCounted) {
  const CliRunner cli;
  const std::string peers = spaces() + "/peers.jsonl.gz";
  const CliResult r = cli.run({"replay", space("pnpoly__RTX_3090"), peers, "--traces-only"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, testing::ContainsRegex("note: .*peers.jsonl.gz: left out [0-9]+ traces of 8 spaces"));
  EXPECT_THAT(cli.run({"replay", spaces(), peers, "--traces-only"}).out, Not(HasSubstr("left out")));
}

TEST(CliReplay, NoiseWithoutSamplesIsNoted) {
  const CliRunner cli;
  const std::string plain = (cli.dir() / "plain.json").string(),
                    ours = (share_dir() / "recordings" / "axpy__n_4194304__fp32.json").string();
  std::ofstream(plain) << R"({"kernel_name": "k", "device_name": "d", "problem_size": "1", "tune_params_keys": ["x"],
    "tune_params": {"x": [1, 2]}, "cache": {"1": {"x": 1, "time": 2.0}, "2": {"x": 2, "time": 1.0}}})";
  const auto noisy = [&](const std::string& file) {
    const CliResult r = cli.run({"replay", file, "--strategy", "random", "--seeds", "1", "--budget", "2", "--noise"});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  EXPECT_THAT(noisy(plain), HasSubstr("note: no file contains samples, so --noise changes nothing"));
  EXPECT_THAT(noisy(ours), Not(HasSubstr("no file contains samples")));
}

TEST(CliReplay, ATraceFasterThanItsSpaceIsRefused) {
  const CliRunner cli;
  const std::string traces = (cli.dir() / "t.jsonl").string();
  std::ofstream(traces)
      << R"({"space": "pnpoly__RTX_3090", "strategy": "peer", "seed": 7, "trace": [[1, 99], [2, 1e-3]]})";
  const CliResult r = cli.run({"replay", space("pnpoly__RTX_3090"), traces, "--traces-only"});
  EXPECT_EQ(r.code, 2) << r.out;
  for (const char* part :
       {traces.c_str(), "the trace of 'peer' with seed 7 reaches 0.001 ms on pnpoly__RTX_3090", "another recording"})
    EXPECT_THAT(r.err, HasSubstr(part));
}

TEST(CliReplay, WhatIsReadIsNotWrittenOver) {
  const CliRunner cli;
  const std::string folder = (cli.dir() / "spaces").string(), file = folder + "/pnpoly__RTX_3090.json.gz",
                    traces = (cli.dir() / "t.jsonl").string(), recording = (cli.dir() / "r.json").string();
  std::filesystem::create_directory(folder);
  std::filesystem::copy_file(space("pnpoly__RTX_3090"), file);
  std::ofstream(traces) << R"({"space": "pnpoly__RTX_3090", "strategy": "peer", "seed": 0, "trace": [[1, 99]]})";
  std::filesystem::copy_file(share_dir() / "recordings" / "axpy__n_4194304__fp32.json", recording);
  const std::string before = read_text(file), traces_before = read_text(traces),
                    recording_before = read_text(recording);
  const std::vector<std::vector<std::string>> cases = {
      {"replay", folder, "--strategy", "random", "--seeds", "1", "-o", file},
      {"replay", folder, traces, "--strategy", "random", "--seeds", "1", "-o", traces},
      {"import", file, "-o", file, "--format", "t4"},
      {"import", recording, "-o", recording},
      {"import", recording, "-o", cli.dir().path().string()},
      {"export", "--recording", recording, "--format", "t4", "-o", recording}};
  for (const auto& words : cases) {
    const CliResult r = cli.run(words);
    EXPECT_EQ(r.code, 2) << words.front() << " " << words.back();
    EXPECT_THAT(r.err, HasSubstr("is an input and would be overwritten")) << words.front();
  }
  EXPECT_EQ(read_text(file), before);
  EXPECT_EQ(read_text(traces), traces_before);
  EXPECT_EQ(read_text(recording), recording_before);
  const std::string database = (cli.dir() / "my.db").string(), content("SQLite format 3\0 and more", 25);
  std::ofstream(database, std::ios::binary) << content;
  const std::vector<std::vector<std::string>> replacing = {
      {"replay", folder, "--strategy", "random", "--seeds", "1", "-o", database},
      {"import", recording, "-o", database},
      {"record", "axpy", "-o", database},
      {"export", "--recording", recording, "--format", "t4", "-o", database}};
  for (const auto& words : replacing) {
    const CliResult r = cli.run(words);
    EXPECT_EQ(r.code, 2) << words.front();
    EXPECT_THAT(r.err, HasSubstr("is a database or a pack and would be overwritten")) << words.front();
  }
  EXPECT_EQ(read_text(database), content);
  const CliResult log = cli.run({"import", recording, "-o", database + "-journal"});
  EXPECT_EQ(log.code, 2);
  EXPECT_THAT(log.err, HasSubstr("is the name of the log that SQLite keeps for the database"));
  const CliResult nothing = cli.run({"replay", folder, traces, "--traces-only", "-o", (cli.dir() / "n").string()});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("nothing to write"));
}

// The rule: a file in the written format is replaced, any other file only with --force.
TEST(CliReplay, AFileOfAnotherKindIsKept) {
  const CliRunner cli;
  const std::string mine = (cli.dir() / "mine.json").string(), cache = (cli.dir() / "cache.json").string(),
                    recording = (share_dir() / "recordings" / "axpy__n_4194304__fp32.json").string();
  ASSERT_EQ(cli.run({"export", "--recording", recording, "--format", "kernel-tuner", "-o", cache}).code, 0);
  const std::string cache_before = read_text(cache);
  std::ofstream(mine) << "my thesis";
  const std::vector<std::vector<std::string>> cases = {
      {"import", cache, "-o", mine},
      {"import", cache, "-o", mine, "--format", "t4"},
      {"export", "--recording", recording, "--format", "t4", "-o", mine},
      {"export", "--recording", recording, "--format", "t4", "-o", cache},
      {"replay", recording, "--strategy", "random", "--seeds", "1", "--budget", "20", "-o", mine},
      {"replay", recording, "--strategy", "random", "--seeds", "1", "--budget", "20", "-o", cache}};
  for (const auto& words : cases) {
    const CliResult r = cli.run(words);
    EXPECT_EQ(r.code, 2) << words.front() << " " << words.back();
    EXPECT_THAT(r.err, HasSubstr("use --force to replace it")) << words.front();
  }
  EXPECT_EQ(read_text(mine), "my thesis");
  EXPECT_EQ(read_text(cache), cache_before);
  for (auto words : {cases[0], cases[2], cases[4]}) {
    words.emplace_back("--force");
    EXPECT_EQ(cli.run(words).code, 0) << words.front();
    words.pop_back();
    EXPECT_EQ(cli.run(words).code, 0) << words.front() << ": now it is of that kind";
  }
}

TEST(CliReplay, WhatCannotBeWrittenIsShownAllTheSame) {
  const CliRunner cli;
  const auto replay_to = [&](const std::string& place) {
    return cli.run(
        {"replay", space("pnpoly__RTX_3090"), "--strategy", "random", "--seeds", "1", "--budget", "20", "-o", place});
  };
  const CliResult full = replay_to("/dev/full");
  EXPECT_EQ(full.code, 6);
  EXPECT_THAT(full.err, HasSubstr("No space left"));
  EXPECT_THAT(full.out, AllOf(HasSubstr("\nrandom "), Not(HasSubstr("/dev/full: "))));
  for (const std::string& place : {cli.dir().path().string(), std::string("/dev/null/t.jsonl")}) {
    const CliResult none = replay_to(place);
    EXPECT_EQ(none.code, 2) << place;
    EXPECT_THAT(none.err, AllOf(HasSubstr("directory"), Not(HasSubstr("runs: ")))) << "known before the runs";
  }
}

// The second strategy takes long.
TEST(CliReplay, CtrlCKeepsTheRunsThatAreComplete) {
  const CliRunner cli;
  const std::string traces = (cli.dir() / "t.jsonl").string();
  HeldCli held(cli,
               {"replay", space("pnpoly__RTX_3090"), "--strategy", "random,surrogate", "--seeds", "1", "--jobs", "1",
                "--budget", "4000", "-o", traces, "--json"},
               1 << 16);
  ASSERT_TRUE(held.wait_for_error("runs: 1/2"));
  held.signal(SIGINT);
  const json out = json::parse(held.drain(), nullptr, false);
  EXPECT_EQ(held.wait(), 130);
  EXPECT_THAT(held.errors(), HasSubstr("warptune: stopped; 1 of 2 runs are complete"));
  EXPECT_THAT(held.errors(), Not(HasSubstr("2/2")));
  ASSERT_TRUE(out.contains("complete_runs")) << held.errors();
  EXPECT_EQ(out["complete_runs"], 1);
  EXPECT_EQ(out["total_runs"], 2);
  ASSERT_EQ(out["strategies"].size(), 1u);
  EXPECT_EQ(out["strategies"][0]["strategy"], "random");
  const std::string written = read_text(traces);
  EXPECT_THAT(written, HasSubstr("\"strategy\": \"random\""));
  EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), 1);
}

TEST(CliReplay, CtrlCWritesNothingWhereNoRunIsComplete) {
  const CliRunner cli;
  const std::string traces = (cli.dir() / "t.jsonl").string();
  // One run takes minutes.
  const std::vector<std::string> words = {
      "replay", space("pnpoly__RTX_3090"), "--strategy", "surrogate", "--seeds", "1", "--budget", "4000", "-o", traces};
  HeldCli held(cli, words, 4000);
  ASSERT_TRUE(held.wait_for_handler());
  held.signal(SIGINT);
  EXPECT_EQ(held.wait(), 130);
  EXPECT_THAT(held.errors(),
              AllOf(HasSubstr("stopping: complete runs will be written and shown"),
                    HasSubstr("warptune: the command was stopped before any run was complete; nothing was written")));
  EXPECT_FALSE(std::filesystem::exists(traces));
}

// From warptune's own recordings: expected times, and hints from the other recordings of the kernel.
TEST(CliReplay, StrategiesAreToldWhatIsAskedFor) {
  CliRunner cli;
  cli.set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string());
  const auto recording = [](const std::string& name) { return (share_dir() / "recordings" / name).string() + ".json"; };
  const std::string here = recording("transpose__rows_4096_cols_4096__bf16"),
                    there = recording("transpose__rows_8192_cols_8192__bf16"),
                    other = recording("axpy__n_4194304__fp32");
  const auto traces_of = [&](const std::string& knowledge, const std::vector<std::string>& more) {
    const std::string traces = (cli.dir() / "t.jsonl").string();
    std::vector<std::string> words = {"replay",   here, "--strategy",  "portfolio", "--seeds", "1",
                                      "--budget", "1",  "--knowledge", knowledge,   "-o",      traces};
    words.insert(words.end(), more.begin(), more.end());
    const CliResult r = cli.run(words);
    EXPECT_EQ(r.code, 0) << r.err;
    const std::string text = read_text(traces);
    return json::parse(text.substr(0, text.find('\n')), nullptr, false);
  };
  const json none = traces_of("none", {there}), hints = traces_of("hints", {there});
  EXPECT_EQ(none["strategy"], "portfolio");
  EXPECT_EQ(hints["strategy"], "portfolio with hints");
  EXPECT_LT(hints["trace"][0][1], none["trace"][0][1]) << "what was good there is tried first";
  EXPECT_EQ(traces_of("hints", {other})["trace"], none["trace"]) << "another kernel's recording says nothing";
  EXPECT_EQ(traces_of("features,prior", {})["strategy"], "portfolio with prior") << "there are no features any more";
}

TEST(CliReplay, BadInputIsOneSentence) {
  const CliRunner cli;
  std::ofstream(cli.dir() / "bad.json") << "{}";
  std::ofstream(cli.dir() / "bad.jsonl") << "{}\n";
  const std::string bad = (cli.dir() / "bad.json").string(), lines = (cli.dir() / "bad.jsonl").string();
  const std::string good = space("pnpoly__RTX_3090");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"replay"}, "INPUT"},
      {{"replay", "nowhere"}, "does not exist"},
      {{"replay", bad}, "not a recorded space"},
      {{"replay", lines}, "needs recorded spaces"},
      {{"replay", good, lines}, "line 1 is not a trace"},
      {{"replay", good, good}, "two recorded spaces are named"},
      {{"replay", good, "--strategy", "randon"}, "'random'"},
      {{"replay", good, "--strategy", "random:x=1,exhaustive"}, "'x'"},
      {{"replay", good, "--strategy", "random:x"}, "NAME=NUMBER"},
      {{"replay", good, "--batch", "0"}, "whole number"},
      {{"replay", good, "--knowledge", "hint"}, "unknown knowledge 'hint'"},
      {{"replay", good, "--knowledge", "all"},
       "is from another tuner (Kernel Tuner cache), so its kernel is not known"},
      {{"strategies", "randon"}, "'random'"},
      {{"import", bad, "-o", "x.json"}, "not a recorded space"},
      {{"import", good, "-o", "x.json", "--format", "t5"}, "'t4'"},
      {{"import", good, "-o", "x.json.gz"}, "cannot be compressed"},
      {{"import", good, "-o", "x.json", "--arch", "sm_1"}, "'sm_1'"},
      {{"export", "--recording", good, "--format", "recording", "-o", "x.json"}, "warptune record"}};
  for (const auto& [words, why] : cases) {
    const CliResult r = cli.run(words);
    EXPECT_EQ(r.code, 2) << words.back();
    EXPECT_THAT(r.err, HasSubstr(why)) << words.back();
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
}

TEST(CliStrategies, AllAreListedAndOneIsExplained) {
  const CliRunner cli;
  const CliResult all = cli.run({"strategies", "--json"});
  ASSERT_EQ(all.code, 0) << all.err;
  std::vector<std::string> names;
  const json listed = json::parse(all.out);
  for (const json& s : listed["strategies"]) {
    names.push_back(s["name"]);
    const CliResult one = cli.run({"strategies", names.back()});
    EXPECT_EQ(one.code, 0);
    EXPECT_THAT(one.out, HasSubstr(s["summary"].get<std::string>()));
    for (const json& option : s["options"]) EXPECT_THAT(one.out, HasSubstr(option["name"].get<std::string>()));
  }
  EXPECT_THAT(names, testing::Contains("random"));
  EXPECT_THAT(cli.run({"strategies"}).out, HasSubstr("random"));
}

TEST(CliImport, ACacheBecomesARecordingThatIsReplayedTheSame) {
  const CliRunner cli;
  const std::string recording = (cli.dir() / "pnpoly__RTX_3090.json").string();
  const CliResult made = cli.run({"import", space("pnpoly__RTX_3090"), "-o", recording, "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(json::parse(made.out)["files"][0]["configurations"], 4092);
  EXPECT_THAT(made.out, HasSubstr("without --arch"));
  json scores[2];
  for (const int i : {0, 1}) {
    const CliResult r = cli.run(
        {"replay", i == 0 ? space("pnpoly__RTX_3090") : recording, "--strategy", "random", "--seeds", "2", "--json"});
    ASSERT_EQ(r.code, 0) << r.err;
    scores[i] = json::parse(r.out)["strategies"][0];
  }
  EXPECT_NEAR(scores[0]["optimum_over_best_at"]["50"].get<double>(),
              scores[1]["optimum_over_best_at"]["50"].get<double>(), 1e-3);
}

TEST(CliImport, AFolderBecomesAFolder) {
  const CliRunner cli;
  const std::string from = (cli.dir() / "from").string(), to = (cli.dir() / "to").string();
  std::filesystem::create_directory(from);
  for (const char* name : {"pnpoly__RTX_3090", "convolution_milo__A100"})
    std::filesystem::copy_file(space(name), from + "/" + name + ".json.gz");
  ASSERT_EQ(cli.run({"import", from, "-o", to, "--format", "t4"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(to + "/pnpoly__RTX_3090.json"));
  EXPECT_TRUE(std::filesystem::exists(to + "/convolution_milo__A100.json"));
}

TEST(CliImport, TwoFilesOfOneNameDoNotBecomeOne) {
  const CliRunner cli;
  std::vector<std::string> words = {"import", "-o", (cli.dir() / "to").string(), "--format", "t4"};
  for (const char* folder : {"a", "b"}) {
    std::filesystem::create_directory(cli.dir() / folder);
    words.push_back((cli.dir() / folder / "same.json.gz").string());
    std::filesystem::copy_file(space("pnpoly__RTX_3090"), words.back());
  }
  const CliResult r = cli.run(words);
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, AllOf(HasSubstr("a/same.json.gz"), HasSubstr("b/same.json.gz"), HasSubstr("one by one")));
  EXPECT_FALSE(std::filesystem::exists(cli.dir() / "to"));
}

// A session that was tuned here is exported to each format and imported again.
TEST(CliExport, ListsItsOwnFormats) {
  const CliRunner cli;
  const std::string a = (cli.dir() / "a.json").string(), b = (cli.dir() / "b.json").string();
  const CliResult csv = cli.run({"export", "scale", "--format", "csv", "-o", a});
  EXPECT_EQ(csv.code, 2);
  EXPECT_THAT(csv.err, HasSubstr("unknown format 'csv'; known: kernel-tuner, t4\n"));
  EXPECT_THAT(cli.run({"import", a, "--format", "csv", "-o", b}).err,
              HasSubstr("unknown format 'csv'; known: recording, kernel-tuner, t4\n"));
}

// Labels as in the shipped recordings of kernels with implementations.
TEST(CliExport, ARecordingWithLabelsComesBack) {
  const CliRunner cli;
  const std::string t4 = (cli.dir() / "t4.json").string(), back = (cli.dir() / "back.json").string(),
                    recording = (share_dir() / "recordings" / "softmax__rows_256_cols_4096__bf16.json").string();
  ASSERT_EQ(cli.run({"export", "--recording", recording, "--format", "t4", "-o", t4}).code, 0);
  const CliResult result = cli.run({"import", t4, "-o", back, "--kernel", "softmax", "--problem",
                                    "rows=256,cols=4096;bf16;log=0", "--arch", "h200"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string db = (cli.dir() / "x.db").string();
  const CliResult tuned = cli.run({"tune", "softmax", "--shape", "rows=256,cols=4096", "--dtype", "bf16", "--device",
                                   "recorded:" + back, "--warm-l2", "--db", db, "--quiet"});
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("implementation="));
}

TEST(CliExport, ASessionGoesOutAndComesBack) {
  const CliRunner cli;
  const std::string db = (cli.dir() / "w.db").string();
  const CliResult tuned = cli.run({"tune", (share_dir() / "kernel_templates" / "axpy").string(), "--shape", "n=4194304",
                                   "--device", "replay:" + (share_dir() / "recordings").string(), "--db", db});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  for (const std::string format : {"kernel-tuner", "t4"}) {
    const std::string out = (cli.dir() / (format + ".json.gz")).string(),
                      back = (cli.dir() / (format + ".json")).string();
    const CliResult written =
        cli.run({"export", "--db", db, "--session", "1", "--format", format, "-o", out, "--json"});
    ASSERT_EQ(written.code, 0) << written.err;
    const json said = json::parse(written.out);
    EXPECT_GT(said["configurations"].get<int>(), 10);
    const CliResult read =
        cli.run({"import", out, "-o", back, "--kernel", "axpy", "--problem", "n=4194304;fp32", "--arch", "sm_90"});
    ASSERT_EQ(read.code, 0) << read.err;
    const CliResult again =
        cli.run({"tune", (share_dir() / "kernel_templates" / "axpy").string(), "--shape", "n=4194304", "--device",
                 "replay:" + back, "--db", (cli.dir() / (format + ".db")).string()});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_THAT(again.out, HasSubstr("best"));
  }
}

} // namespace
} // namespace warptune::test
