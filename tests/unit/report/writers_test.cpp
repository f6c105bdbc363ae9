// What is written of a view: JSON, CSV, SVG and the page, with sound and with hostile contents.
#include "report/report_csv.h"
#include "report/report_html.h"
#include "report/report_json.h"
#include "report/report_svg.h"
#include "report/svg_axis.h"
#include "support/sample_view.h"

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

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

TEST(ReportJson, HoldsEveryTrialInColumns) {
  const json data = json::parse(json_text(sample_report()));
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

TEST(ReportSize, FiveThousandCandidatesStayBelowTwoMegabytes) {
  Report report = sample_report(5000);
  for (Point& p : report.views[0].points) {
    Profile profile;
    for (int m = 0; m < 12; ++m) profile.counters["metric_number_" + std::to_string(m)] = 1.2345678e9 + m;
    p.trial.profile = profile;
  }
  // The front end is below 1 MB; together no more than 3.
  const std::string page = html_text(report, kAssets);
  EXPECT_LT(page.size(), 2'000'000U);
  EXPECT_GT(page.size(), 500'000U) << "every trial is there";
}

TEST(ReportCsv, OneRowATrial) {
  const std::string csv = csv_text(sample_report());
  EXPECT_EQ(count(csv, "\r\n"), 9U);
  EXPECT_EQ(csv.substr(0, csv.find("\r\n")),
            "session,kernel,problem,device,driver,compiler,config,mark,status,median_us,ci_low_us,ci_high_us,min_us,"
            "rel_iqr,samples,complete,registers,spill_bytes,static_shared_bytes,occupancy,compile_ms,sm_clock_mhz,"
            "temperature_c,energy_mj,average_w,dram_bytes,dram_bytes_from,l2_bytes,l1_bytes,dram_gbs,tflops,evidence");
  EXPECT_THAT(csv,
              AllOf(HasSubstr("7,softmax,\"rows=8,cols=4;bf16\",NVIDIA H200,,,\"VEC=1,UNROLL=0\",best,ok,100,99,101"),
                    HasSubstr(",default,ok,"), HasSubstr(",wrong_result,,,")));
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
                         HasSubstr("\"'-2\nline \"\"two\"\"\"\r\n")));
}

TEST(ReportSvg, MarksAndRoofs) {
  View view = sample_view(40);
  view.baselines.push_back({"cuBLAS 13.1", "torch", 103, 0, 0, true});
  const std::string svg = svg_text(view);
  EXPECT_THAT(svg, AllOf(HasSubstr("prefers-color-scheme:dark"), HasSubstr(">best 100.00 us, 93 % of the roof<"),
                         HasSubstr(">default 100.74 us<"), HasSubstr(">cuBLAS 13.1"), HasSubstr(">DRAM 4300 GB/s<"),
                         HasSubstr(">fp32 64 TFLOP/s<"), HasSubstr(">operations per byte<")));
  EXPECT_THAT(svg, HasSubstr("class=\"wt-h\"")) << "the theoretical roof is dashed";
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  EXPECT_EQ(count(svg, "http"), 1U) << "nothing is loaded: the one is the name of the format";
  EXPECT_THAT(svg, Not(HasSubstr("href")));
}

TEST(ReportSvg, WithoutOperationsItIsABandwidthChart) {
  View view = sample_view();
  view.cost->flops.clear();
  view.roofs.pop_back();
  for (Point& p : view.points) {
    p.tflops = 0;
    p.levels[0].intensity = 0;
  }
  const std::string svg = svg_text(view);
  EXPECT_THAT(svg, AllOf(HasSubstr(">GB/s<"), HasSubstr(">time, us<"), Not(HasSubstr("operations per byte"))));
}

TEST(ReportSvg, NothingTimedAndOneAlone) {
  View nothing = sample_view(2);
  nothing.points.erase(nothing.points.begin());
  nothing.best_point = -1;
  EXPECT_THAT(svg_text(nothing), AllOf(HasSubstr("Nothing was timed."), HasSubstr("</svg>")));
  View one = sample_view(1);
  one.roofs.clear();
  one.best->roofline_share = 0;
  EXPECT_THAT(svg_text(one), AllOf(HasSubstr("</svg>"), Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
}

TEST(ReportSvg, TenThousandPointsStaySmall) { EXPECT_LT(svg_text(sample_view(10000)).size(), 60'000U); }

TEST(Labels, NeverCoverEachOtherNorLeaveTheirPanel) {
  Labels labels({0, 200, 0, 100});
  int placed = 0;
  for (int i = 0; i < 50; ++i) placed += labels.beside(100, 50, 4, "a label", "c").empty() ? 0 : 1;
  EXPECT_GT(placed, 3);
  EXPECT_LT(placed, 30) << "a panel holds only so many";
  EXPECT_EQ(labels.along(190, 50, 0, "much too long for the place that is left", "c"), "");
}

TEST(LogAxis, TicksAreFewAndRound) {
  for (const auto& [low, high] :
       {std::pair(134.0, 700.0), std::pair(0.15, 80.0), std::pair(1.0, 1e7), std::pair(3.9, 4.2)}) {
    const std::vector<double> ticks = LogAxis{low, high, 0, 100}.ticks();
    EXPECT_LE(ticks.size(), 9U) << low;
    for (const double tick : ticks) EXPECT_TRUE(tick >= low && tick <= high);
  }
  const LogAxis axis{1, 100, 0, 200};
  EXPECT_DOUBLE_EQ(axis.at(10), 100);
  EXPECT_DOUBLE_EQ(axis.at(1e9), 200) << "clamped";
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
  EXPECT_EQ(count(page, "</script>"), 2U) << "those of the page itself";
  EXPECT_EQ(count(page, "<img"), 0U);
  EXPECT_EQ(count(page, "let x"), 1U) << "a placeholder in a text stays text";
  EXPECT_THAT(page, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\xe2\x80\xae")), Not(HasSubstr("\xff")),
                          HasSubstr("&lt;/script&gt;&lt;img")));
}

TEST(ReportHtml, TheTableSaysHowManyMoreThereAre) {
  const std::string part = static_html(sample_report(50));
  EXPECT_EQ(count(part, "<tr>"), 21U);
  EXPECT_THAT(part, HasSubstr("30 more trials are not shown here"));
  EXPECT_THAT(static_html(sample_report(4)), HasSubstr("1 more trial is not shown here")) << "the wrong one";
  Report slow_default = sample_report(50);
  slow_default.views[0].default_point = 40;
  EXPECT_EQ(count(static_html(slow_default), "<tr>"), 22U) << "the default is shown, however slow";
}

} // namespace
} // namespace warptune::report
