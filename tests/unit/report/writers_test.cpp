// The JSON, CSV and page of a view, with sound and with hostile content.
#include "report/report_csv.h"
#include "report/report_html.h"
#include "report/report_json.h"
#include "support/distinct.h"
#include "support/sample_view.h"
#include "warptune/build_config.h"

#include <cmath>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune::report {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr PageAssets kAssets = {
    "<title>{{title}}</title><style>{{css}}</style>{{static}}<script id=\"wt-data\">{{data}}"
    "</script><script>{{js}}</script>{{other}} }} {{",
    "a{color:red}", "let x = '{{data}}';"};

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

TEST(ReportJson, HoldsEveryTrialInColumns) {
  const json data = json::parse(json_text(sample_report()));
  EXPECT_EQ(data["warptune"], kVersion) << "the version of the program, not of a format";
  EXPECT_EQ(data["format"], 1);
  const json& view = data["views"][0];
  const json& trials = view["trials"];
  EXPECT_EQ(trials["n"], 8);
  for (const auto& [name, column] : trials.items())
    if (column.is_array() && name != "config" && name != "counters") {
      EXPECT_EQ(column.size(), 8U) << name;
    }
  for (const json& column : trials["config"]) EXPECT_EQ(column.size(), 8U);
  EXPECT_EQ(trials["config"].size(), view["params"].size());
  EXPECT_EQ(view["statuses"][trials["status"][7].get<std::size_t>()], "wrong_result");
  EXPECT_EQ(view["evidences"][trials["evidence"][7].get<std::size_t>()], "y[3] is 0 and should be 1");
  EXPECT_EQ(trials["evidence"][0], nullptr);
  EXPECT_EQ(trials["median_us"][7], nullptr);
  EXPECT_EQ(trials["median_us"][1], 100.37);
  EXPECT_EQ(trials["rel_iqr"][0], 0.0123457) << "six digits";
  EXPECT_EQ(trials["levels"]["DRAM"]["source"][0], 0);
  EXPECT_EQ(trials["levels"]["DRAM"]["source"][7], nullptr);
  EXPECT_FALSE(trials["levels"].contains("L2")) << "a level without any value is absent";
  EXPECT_EQ(view["best"]["trial"], 0);
  EXPECT_EQ(view["default"], 2);
  EXPECT_EQ(view["bound"]["evidence"][0]["label"], "DRAM");
  EXPECT_EQ(view["roofs"][0]["measured"], 4300);
  EXPECT_EQ(trials["samples"][0], 9);
}

TEST(ReportJson, CountersAndEnergy) {
  Report report = sample_report();
  Trial& first = report.views[0].points[0].trial;
  first.profile = Profile{{{"dram__bytes_read.sum", 123456789.0}, {"sm__x.avg", std::nan("")}}, "CUPTI 13.0", 1, true};
  PowerReading power;
  power.energy_mj = 12.5;
  power.average_w = 500;
  power.throttle_reasons = 0x4;
  first.power = power;
  report.views[0].points[1].trial.power = power;
  report.views[0].points[1].trial.power->throttle_reasons = 0x1; // idle
  report.metric_meanings = {{"dram__bytes_read.sum", "bytes read from DRAM"}};
  const json view = json::parse(json_text(report))["views"][0];
  EXPECT_EQ(view["metrics"][0]["name"], "dram__bytes_read.sum");
  EXPECT_EQ(view["metrics"][0]["meaning"], "bytes read from DRAM");
  EXPECT_EQ(view["metrics"][1]["meaning"], "");
  EXPECT_EQ(view["trials"]["counters"][0][0], 123457000.0);
  EXPECT_EQ(view["trials"]["counters"][0][1], nullptr);
  EXPECT_EQ(view["trials"]["counters"][1][0], nullptr) << "no number";
  EXPECT_EQ(view["trials"]["energy_mj"][0], 12.5);
  EXPECT_EQ(view["trials"]["throttled"], json::parse("[true,false,null,null,null,null,null,null]"));
}

TEST(ReportJson, MeaningsThatDifferBetweenImplementations) {
  Report report = sample_report(1);
  Param& param = report.views[0].params[0];
  param.meaning = "elements (a); vectors (b)";
  param.own_meanings = {{"a", "elements"}, {"b", "vectors"}};
  const json params = json::parse(json_text(report))["views"][0]["params"];
  EXPECT_EQ(params[0]["meaning"], "elements (a); vectors (b)");
  EXPECT_EQ(params[0]["meanings"], json::parse(R"({"a": "elements", "b": "vectors"})"));
  EXPECT_FALSE(params[1].contains("meanings"));
}

TEST(ReportJson, WithoutAWinner) {
  Report report = sample_report(1);
  View& v = report.views[0];
  v.best.reset();
  v.bound.reset();
  v.cost.reset();
  v.best_point = v.default_point = -1;
  const json view = json::parse(json_text(report))["views"][0];
  for (const char* name : {"best", "bound", "cost", "default"}) EXPECT_TRUE(view[name].is_null()) << name;
}

TEST(ReportJson, HostileTextsAreHarmless) {
  const std::string text = json_text(hostile_report());
  EXPECT_THAT(text, AllOf(Not(HasSubstr("<")), Not(HasSubstr("\x1b")), Not(HasSubstr("\xe2\x80\xae"))));
  const json data = json::parse(text);
  EXPECT_THAT(data["views"][0]["kernel"].get<std::string>(),
              AllOf(HasSubstr("</script><img"), HasSubstr("\\x1b"), HasSubstr("\\u202e"), HasSubstr("\\xff")));
}

TEST(ReportJson, ManyLongEvidencesAreCut) {
  Report report = sample_report(3000);
  for (std::size_t i = 0; i < report.views[0].points.size(); ++i)
    report.views[0].points[i].trial.evidence = std::to_string(i) + std::string(5000, 'x');
  EXPECT_LT(json_text(report).size(), 1'500'000U);
}

TEST(ReportCsv, OneRowATrial) {
  const std::string csv = csv_text(sample_report());
  EXPECT_EQ(count_of(csv, "\r\n"), 9U);
  EXPECT_EQ(csv.substr(0, csv.find("\r\n")),
            "session,kernel,problem,device,driver,compiler,config,mark,status,median_us,ci_low_us,ci_high_us,min_us,"
            "rel_iqr,samples,complete,registers,spill_bytes,static_shared_bytes,occupancy,compile_ms,sm_clock_mhz,"
            "temperature_c,energy_mj,average_w,dram_bytes,dram_bytes_from,l2_bytes,l1_bytes,dram_gbs,tflops,evidence,"
            "fastest,sm_clock_min_mhz");
  EXPECT_THAT(csv,
              AllOf(HasSubstr("7,softmax,\"rows=8,cols=4;bf16\",NVIDIA H200,,,\"VEC=1,UNROLL=0\",best,ok,100,99,101"),
                    HasSubstr(",default,ok,"), HasSubstr(",wrong_result,,,")));
}

TEST(ReportCsv, TheFastestOfTheSearchHasAColumnOfItsOwn) {
  Report report = sample_report();
  report.views[0].best_point = 1;
  const std::string csv = csv_text(report);
  EXPECT_THAT(csv, AllOf(HasSubstr("\"VEC=1,UNROLL=0\",tie,ok,"), HasSubstr("\"VEC=2,UNROLL=0\",best,ok,")));
  EXPECT_EQ(count_of(csv, ",1,\r\n"), 1U);
  EXPECT_LT(csv.find(",1,\r\n"), csv.find("VEC=2,UNROLL=0"));
}

TEST(ReportWriters, ShowMembersThatAreYoungerThanTheFormats) {
  Report report = sample_report(1);
  report.views[0].points[0].trial = test::Distinct().make<Trial>();
  const std::string csv = csv_text(report), text = json_text(report);
  for_each_scalar<Timing>([&](const auto& m) {
    if (m.traits.since == 1) return;
    EXPECT_THAT(csv, HasSubstr(std::string(",") + m.name));
    EXPECT_THAT(text, HasSubstr(fmt::format("\"{}\":[{}]", m.name, (*report.views[0].points[0].trial.timing).*m.at)));
  });
}

TEST(ReportCsv, FormulasAreTextAndQuotesAreDoubled) {
  Report report = sample_report(1);
  View& v = report.views[0];
  v.kernel = "=HYPERLINK(\"http://x\")";
  v.device.driver = "+1";
  v.device.compiler = "@SUM(A1)";
  v.points[0].trial.evidence = "-2\nline \"two\"";
  const std::string csv = csv_text(report);
  EXPECT_THAT(csv, AllOf(HasSubstr("\"'=HYPERLINK(\"\"http://x\"\")\""), HasSubstr(",'+1,'@SUM(A1),"),
                         HasSubstr(",\"'-2\nline \"\"two\"\"\",1,\r\n")));
}

TEST(ReportHtml, EveryPlaceIsFilledOnceAndInOnePass) {
  const std::string page = html_text(sample_report(), kAssets);
  EXPECT_THAT(page, AllOf(HasSubstr("<title>softmax rows"), HasSubstr("a{color:red}"), HasSubstr("let x = '{{data}}';"),
                          HasSubstr("{{other}} }} {{"), HasSubstr("<svg"), HasSubstr("<table")));
  const std::size_t from = page.find("wt-data\">") + 9;
  EXPECT_EQ(json::parse(page.substr(from, page.find("</script>") - from))["views"].size(), 1U);
}

TEST(ReportHtml, HostileTextsAreInert) {
  const std::string page = html_text(hostile_report(), kAssets);
  EXPECT_EQ(count_of(page, "</script>"), 2U) << "those of the page itself";
  EXPECT_EQ(count_of(page, "<img"), 0U);
  EXPECT_EQ(count_of(page, "let x"), 1U) << "a placeholder in a text stays text";
  EXPECT_THAT(page, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\xe2\x80\xae")), Not(HasSubstr("\xff")),
                          HasSubstr("&lt;/script&gt;&lt;img")));
}

TEST(ReportHtml, TheTableSaysHowManyMoreThereAre) {
  const std::string part = static_html(sample_report(50));
  EXPECT_EQ(count_of(part, "<tr>"), 21U);
  EXPECT_THAT(part, HasSubstr("30 more trials are not shown here"));
  EXPECT_THAT(static_html(sample_report(4)), HasSubstr("1 more trial is not shown here")) << "the wrong one";
  Report slow_default = sample_report(50);
  slow_default.views[0].default_point = 40;
  slow_default.views[0].best_point = 41;
  const std::string with_slow = static_html(slow_default);
  EXPECT_EQ(count_of(with_slow, "<tr>"), 23U) << "the winner and the default are shown, however slow";
  EXPECT_THAT(with_slow, AllOf(HasSubstr("<td>best</td>"), HasSubstr("<td>default</td>"),
                               HasSubstr("<td>fastest, tie</td>"), HasSubstr("28 more trials")));
}

} // namespace
} // namespace warptune::report
