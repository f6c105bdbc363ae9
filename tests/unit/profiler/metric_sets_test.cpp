// Sets, names and passes, with the toolkit's real CUPTI and without a GPU.
#include "profiler/counter_source.h"
#include "profiler/cupti_info.h"
#include "profiler/metric_catalog.h"
#include "profiler/metric_sets.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace warptune {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> names_of(const std::string& list, DType dtype = DType::fp32) {
  std::vector<std::string> names;
  const auto all = expand_metrics(list, dtype);
  for (const AskedMetric& asked : all.value()) names.push_back(asked.metric);
  return names;
}

TEST(MetricSets, areNamedAndExplained) {
  std::set<std::string> names;
  for (const MetricSet& set : metric_sets()) {
    EXPECT_TRUE(names.insert(set.name).second) << set.name;
    EXPECT_FALSE(set.purpose.empty());
    std::set<std::string> members;
    for (const MetricMeaning& metric : set_metrics(set, DType::bf16)) {
      EXPECT_TRUE(members.insert(metric.metric).second) << metric.metric << " stands twice in " << set.name;
      EXPECT_FALSE(metric.meaning.empty()) << metric.metric;
    }
  }
  EXPECT_EQ(names, (std::set<std::string>{"lean", "memory", "roofline", "stalls"}));
}

// Checking only that a name exists would not find a metric that counts something else.
TEST(MetricSets, requestsSectorsAndMeaningsAreOfOneOperation) {
  const std::vector<MetricMeaning>& memory = find_metric_set("memory")->metrics;
  int pairs = 0;
  for (std::size_t i = 0; i + 1 < memory.size(); ++i) {
    const std::string& name = memory[i].metric;
    const std::size_t at = name.find("t_requests_");
    if (at == std::string::npos) continue;
    ++pairs;
    std::string sectors = name;
    EXPECT_EQ(memory[i + 1].metric, sectors.replace(at, 11, "t_sectors_"));
  }
  EXPECT_EQ(pairs, 2);
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  for (const MetricSet& set : metric_sets())
    for (const auto& [name, meaning] : set.metrics) {
      if (has(name, "_mem_") && has(meaning, "load") != has(meaning, "store")) {
        EXPECT_EQ(has(name, "_op_ld"), has(meaning, "load")) << name;
        EXPECT_EQ(has(name, "_op_st"), has(meaning, "store")) << name;
      }
      if (has(name, "_mem_local_")) {
        EXPECT_TRUE(has(meaning, "local")) << name;
      }
    }
}

// Metrics from which reports compute: with another name in a set, their fields would stay empty.
TEST(MetricSets, holdWhatReportsReadByName) {
  const auto lean = names_of("lean"), roofline = names_of("roofline", DType::bf16), memory = names_of("memory");
  for (const auto* set : {&lean, &roofline, &memory})
    for (const char* name : {"dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_sectors_srcunit_tex.sum",
                             "lts__d_sectors_fill_device.sum"})
      EXPECT_THAT(*set, ::testing::Contains(name));
  for (const char* name : {"l1tex__t_bytes.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc.sum"}) {
    EXPECT_THAT(lean, ::testing::Contains(name));
    EXPECT_THAT(memory, ::testing::Contains(name));
  }
  EXPECT_THAT(lean, ::testing::Contains("smsp__warps_active.avg.pct_of_peak_sustained_active"));
  EXPECT_THAT(memory, ::testing::Contains("lts__t_sectors_srcunit_tex_lookup_hit.sum"));
  EXPECT_THAT(memory, ::testing::Contains("lts__t_sectors_srcunit_tex_lookup_miss.sum"));
}

TEST(MetricSets, theTensorMetricFollowsTheType) {
  const auto has = [](DType dtype, const std::string& part) {
    const auto names = names_of("roofline", dtype);
    return std::any_of(names.begin(), names.end(), [&](const auto& n) { return n.find(part) != std::string::npos; });
  };
  EXPECT_TRUE(has(DType::bf16, "tensor_src_bf16"));
  EXPECT_TRUE(has(DType::fp16, "tensor_src_fp16"));
  EXPECT_TRUE(has(DType::fp8_e5m2, "tensor_src_fp8"));
  EXPECT_FALSE(has(DType::int64, "tensor"));
}

TEST(MetricSets, listsMixSetsAndNamesAndKeepEachMetricOnce) {
  const auto lean = names_of("lean");
  EXPECT_EQ(names_of("lean, lean,,"), lean);
  auto mixed = lean;
  mixed.push_back("dram__throughput.avg.pct_of_peak_sustained_elapsed");
  EXPECT_EQ(names_of("lean,dram__throughput.avg.pct_of_peak_sustained_elapsed,dram__bytes_read.sum"), mixed);
  const auto asked = expand_metrics("lean,dram__bytes_read.sum", DType::fp32).value();
  EXPECT_TRUE(asked.front().by_name); // so a missing one is an error
  EXPECT_FALSE(asked.back().by_name);
}

TEST(MetricSets, wordsThatAreNeitherAreRefused) {
  EXPECT_THAT(expand_metrics("leen", DType::fp32).error().message, HasSubstr("did you mean 'lean'?"));
  EXPECT_THAT(expand_metrics(" , ", DType::fp32).error().message, HasSubstr("no metrics were named"));
  EXPECT_EQ(expand_metrics("", DType::fp32).error().kind, ErrorKind::bad_input);
}

TEST(NullCounters, sayWhy) {
  const auto source = make_null_counters("no counters in this house");
  EXPECT_EQ(source->why_not(), "no counters in this house");
  EXPECT_TRUE(source->source().empty());
  const auto counted = source->collect({}, {"dram__bytes_read.sum"}, true, nullptr);
  ASSERT_FALSE(counted);
  EXPECT_EQ(counted.error().kind, ErrorKind::no_device);
  EXPECT_EQ(counted.error().message, "no counters in this house");
}

class CatalogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (auto cupti = find_cupti(); !cupti) GTEST_SKIP() << cupti.error().message;
  }
  static const MetricCatalog& gh100() {
    static const MetricCatalog catalog = MetricCatalog::open("gh100").value();
    return catalog;
  }
  static int passes(const MetricCatalog& catalog, const std::string& list, DType dtype = DType::fp32) {
    auto metrics = resolve_metrics(catalog, list, dtype);
    if (!metrics) return -1;
    auto config = catalog.configure(*metrics);
    return config ? config->passes : -1;
  }
  static std::string refused(const std::string& metric) {
    auto ok = gh100().check(metric);
    return ok ? "" : ok.error().message;
  }
};

TEST_F(CatalogTest, passesOfEverySet) {
  EXPECT_EQ(gh100().chip(), "GH100"); // names are found in any letter case
  EXPECT_EQ(passes(gh100(), "lean"), 1);
  for (const DType dtype : {DType::fp32, DType::bf16, DType::fp64, DType::fp8_e4m3, DType::int64})
    EXPECT_EQ(passes(gh100(), "roofline", dtype), 2) << dtype_name(dtype);
  // These two sets need two passes, because the counters of the tensor cores do.
  EXPECT_EQ(passes(gh100(), "roofline", DType::fp16), 3);
  EXPECT_EQ(passes(gh100(), "roofline", DType::int8), 3);
  EXPECT_EQ(passes(gh100(), "memory"), 5);
  EXPECT_EQ(passes(gh100(), "stalls"), 6);
}

TEST_F(CatalogTest, everyMemberOfEverySetIsThere) {
  for (const MetricSet& set : metric_sets())
    for (const DType dtype : {DType::fp32, DType::bf16, DType::fp16, DType::fp64, DType::fp8_e4m3, DType::int8})
      for (const MetricMeaning& metric : set_metrics(set, dtype))
        EXPECT_TRUE(gh100().check(metric.metric)) << set.name << ": " << metric.metric;
}

TEST_F(CatalogTest, setsWorkOnOtherChips) {
  int opened = 0;
  for (const char* chip : {"GA100", "AD102", "GB100"}) {
    auto catalog = MetricCatalog::open(chip);
    if (!catalog) continue; // an older or newer library
    ++opened;
    for (const MetricSet& set : metric_sets()) {
      auto metrics = resolve_metrics(*catalog, set.name, DType::bf16);
      ASSERT_TRUE(metrics) << chip << " " << set.name << ": " << metrics.error().message;
      const int count = passes(*catalog, set.name, DType::bf16);
      std::printf("%s %s: %zu of %zu metrics, %d passes\n", chip, set.name.c_str(), metrics->size(),
                  set_metrics(set, DType::bf16).size(), count);
      EXPECT_GT(count, 0) << chip << " " << set.name;
    }
  }
  EXPECT_GE(opened, 2) << "every library so far knows GA100 and AD102";
}

TEST_F(CatalogTest, namesAreRefusedWithWhatWasMeant) {
  EXPECT_EQ(refused("dram__bytes_read.sum"), "");
  EXPECT_THAT(refused("dram__bytes_raed.sum"), HasSubstr("did you mean 'dram__bytes_read.sum'?"));
  EXPECT_THAT(refused("dram__bytes_read"), HasSubstr("it is a base metric"));
  EXPECT_THAT(refused("dram__bytes_read"), HasSubstr("'dram__bytes_read.sum'"));
  EXPECT_THAT(refused("dram__bytes_read.summ"), HasSubstr("did you mean '.sum'?"));
  EXPECT_THAT(refused("there__is_nothing_at_all_like_this_one.sum"), HasSubstr("there is no such metric"));
  EXPECT_THAT(refused(std::string(100000, 'x') + ".sum"), HasSubstr("there is no such metric"));
  EXPECT_NE(refused(""), "");
  EXPECT_NE(refused("."), "");
}

TEST_F(CatalogTest, aMetricOfAnotherChipSaysWhose) {
  auto other = MetricCatalog::open("TU102");
  if (!other) GTEST_SKIP() << other.error().message;
  for (const BaseMetric& base : other->metrics()) {
    if (!gh100().rollups(base.name).empty()) continue;
    const std::string metric = base.name + other->rollups(base.name).back();
    EXPECT_THAT(refused(metric), HasSubstr("it belongs to ")) << metric;
    return;
  }
  FAIL() << "GH100 has every metric of TU102";
}

TEST_F(CatalogTest, oneUnknownNameInAListIsAnError) {
  const auto metrics = resolve_metrics(gh100(), "lean,dram__bytes_raed.sum", DType::fp32);
  ASSERT_FALSE(metrics);
  EXPECT_EQ(metrics.error().kind, ErrorKind::bad_input);
  EXPECT_FALSE(gh100().configure({"dram__bytes_read.sum", "dram__bytes_raed.sum"}));
}

TEST_F(CatalogTest, unknownChips) {
  const auto catalog = MetricCatalog::open("GH10");
  ASSERT_FALSE(catalog);
  EXPECT_EQ(catalog.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(catalog.error().message, HasSubstr("did you mean 'GH100'?"));
}

TEST_F(CatalogTest, everyMetricHasARollup) {
  std::size_t described = 0;
  for (const BaseMetric& base : gh100().metrics()) {
    EXPECT_FALSE(gh100().rollups(base.name).empty()) << base.name;
    described += base.description.empty() ? 0 : 1;
  }
  EXPECT_GT(described, gh100().metrics().size() / 2);
}

} // namespace
} // namespace warptune
