// dtype, device, trial, text, sha256, random: the small parts.
#include "core/device.h"
#include "core/dtype.h"
#include "core/random.h"
#include "core/sha256.h"
#include "core/text.h"
#include "core/trial.h"

#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace warptune {
namespace {

TEST(Random, IsSplitMix64) {
  // The first draws of the published generator, from the seeds 0 and 1234567.
  EXPECT_EQ(mix(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(mix(kSplitMixStep), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(mix(1234567), 6457827717110365317u);
}

TEST(DTypes, NamesRoundTripAndSizes) {
  std::set<std::string_view> names;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto t = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(dtype_name(t)), t);
    EXPECT_GT(dtype_bytes(t), 0);
    EXPECT_FALSE(dtype_cpp_name(t).empty());
    names.insert(dtype_name(t));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kDTypeCount));
  EXPECT_EQ(dtype_cpp_name(DType::bf16), "__nv_bfloat16");
  EXPECT_EQ(dtype_bytes(DType::fp8_e5m2), 1);
  EXPECT_EQ(dtype_smallest(DType::fp64), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(dtype_smallest(DType::fp32), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(dtype_smallest(DType::fp16), 0x1p-24);
  EXPECT_EQ(dtype_smallest(DType::bf16), 0x1p-133);
  EXPECT_TRUE(dtype_is_floating(DType::tf32));
  EXPECT_FALSE(dtype_is_floating(DType::boolean));
  EXPECT_EQ(parse_dtype("float"), std::nullopt);
}

TEST(Device, LimitNames) {
  std::set<std::string> names;
  for (const DeviceLimitName& limit : device_limit_names()) names.insert(limit.name);
  EXPECT_EQ(names.size(), 10u);
  EXPECT_EQ(h200_device().limits.max_shared_per_block, 232448);
  EXPECT_EQ(h200_device().arch, "sm_90a");
}

TEST(Device, ARecordedDeviceIsNamedByItsBackendOrWithAPath) {
  for (const char* recorded : {"replay", "replay:", "replay:cuda:0", "replay:/a,b.json"})
    EXPECT_TRUE(is_recorded_device(recorded)) << recorded;
  for (const char* other : {"", "auto", "cuda", "cuda:0", "replays", "replayed:a", "none", "NVIDIA H200"})
    EXPECT_FALSE(is_recorded_device(other)) << other;
}

TEST(TrialStatuses, NamesRoundTrip) {
  for (int i = 0; i <= static_cast<int>(TrialStatus::unstable); ++i) {
    const auto s = static_cast<TrialStatus>(i);
    EXPECT_EQ(parse_status(status_name(s)), s);
  }
  EXPECT_EQ(status_name(TrialStatus::wrong_result), "wrong_result");
  EXPECT_EQ(parse_status("fine"), std::nullopt);
}

// FIPS 180-4 examples and the lengths around a block's end.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256_hex(std::string(55, 'a')), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(sha256_hex(std::string(56, 'a')), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(sha256_hex(std::string(64, 'a')), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST(Text, NearestName) {
  const std::vector<std::string> known = {"softmax", "transpose", "reduce_sum", "n", "WARPS"};
  EXPECT_EQ(nearest_name("softmx", known), "softmax");
  EXPECT_EQ(nearest_name("sfotmax", known), "softmax");
  EXPECT_EQ(nearest_name("warps", known), "WARPS");
  EXPECT_EQ(nearest_name("reducesum", known), "reduce_sum");
  EXPECT_EQ(nearest_name("warsp", known), "WARPS");
  EXPECT_EQ(nearest_name("N", known), "n");
  EXPECT_EQ(nearest_name("m", known), "");
  EXPECT_EQ(nearest_name("gemm", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name(std::string(10000, 'a'), known), "");
  EXPECT_EQ(suggest_name("gemm", {}), "");
  EXPECT_EQ(suggest_name("gemm", {"a", "b"}), "; known: a, b");
  EXPECT_EQ(with_advice("no x; known: a, b", "see y"), "no x; known: a, b; see y");
  EXPECT_EQ(with_advice("no x; did you mean 'a'?", "see y"), "no x; did you mean 'a'? See y");
  EXPECT_EQ(with_advice("no x; did you mean 'a'?", "--y helps"), "no x; did you mean 'a'? --y helps");
  EXPECT_EQ(join_choices({"a", "b", "c"}), "a, b or c");
  EXPECT_EQ(join_choices({"a"}), "a");
}

TEST(Text, QuoteIsAlwaysPrintableUtf8) {
  EXPECT_EQ(quote("abc"), "'abc'");
  EXPECT_EQ(quote("a\nb\x7f"), "'a b '");
  EXPECT_EQ(quote("gr\xc3\xb6\xc3\x9f"
                  "e"),
            "'gr\xc3\xb6\xc3\x9f"
            "e'");
  EXPECT_EQ(quote("\xff\x41"), "'?A'");
  const std::string umlauts = quote(std::string(99, 'a') + "\xc3\xb6\xc3\xb6");
  EXPECT_EQ(umlauts, "'" + std::string(99, 'a') + "...'");
  EXPECT_EQ(find_invalid_utf8(quote(std::string(500, '\xc3'))), std::string_view::npos);
}

TEST(Text, Utf8) {
  EXPECT_EQ(find_invalid_utf8("a\xf0\x9f\x98\x80z"), std::string_view::npos);
  EXPECT_EQ(find_invalid_utf8("a\xc0\x80"), 1u);        // overlong
  EXPECT_EQ(find_invalid_utf8("ab\xe0\x80\x80"), 2u);   // overlong
  EXPECT_EQ(find_invalid_utf8("\xf0\x8f\xbf\xbf"), 0u); // overlong
  EXPECT_EQ(find_invalid_utf8("\xed\xa0\x80"), 0u);     // surrogate
  EXPECT_EQ(find_invalid_utf8("\xf4\x90\x80\x80"), 0u); // beyond Unicode
  EXPECT_EQ(find_invalid_utf8("\xe2\x82"), 0u);         // cut off
  EXPECT_EQ(find_invalid_utf8("\x80"), 0u);
}

TEST(Text, Numbers) {
  std::int64_t value = 0;
  EXPECT_EQ(parse_integer("-9223372036854775808", value), IntegerError::none);
  EXPECT_EQ(value, INT64_MIN);
  EXPECT_EQ(parse_integer("9223372036854775808", value), IntegerError::overflow);
  for (const char* bad : {"", "-", "+", "+-1", " 1", "1 ", "1.0", "0x1", "--1"})
    EXPECT_EQ(parse_integer(bad, value), IntegerError::not_a_number) << bad;
}

} // namespace
} // namespace warptune
