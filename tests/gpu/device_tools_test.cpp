// Fills, poison, comparison, checksums and guard zones on the device.
#include "gpu/fixture.h"
#include "gpu/scalar.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>

namespace warptune::test {
namespace {

template <class T> std::vector<T> download(const DeviceMemory& memory, std::size_t count) {
  CudaDevice& device = gpu_device();
  std::vector<T> host(count);
  EXPECT_EQ(device.driver().cuStreamSynchronize(device.stream.get()), CUDA_SUCCESS);
  EXPECT_EQ(device.driver().cuMemcpyDtoHAsync(host.data(), memory.get(), count * sizeof(T), device.stream.get()),
            CUDA_SUCCESS);
  EXPECT_EQ(device.driver().cuStreamSynchronize(device.stream.get()), CUDA_SUCCESS);
  return host;
}

template <class T> DeviceMemory upload(const std::vector<T>& host) {
  CudaDevice& device = gpu_device();
  auto memory = DeviceMemory::allocate(device.driver(), host.size() * sizeof(T), "a test");
  EXPECT_EQ(device.driver().cuMemcpyHtoDAsync(memory->get(), host.data(), host.size() * sizeof(T), device.stream.get()),
            CUDA_SUCCESS);
  EXPECT_EQ(device.driver().cuStreamSynchronize(device.stream.get()), CUDA_SUCCESS);
  return std::move(*memory);
}

DeviceMemory filled(DType dtype, std::int64_t count, Fill::Kind kind, double a, double b, std::uint64_t seed) {
  CudaDevice& device = gpu_device();
  auto memory = DeviceMemory::allocate(device.driver(), static_cast<std::size_t>(count * dtype_bytes(dtype)), "a test");
  Fill fill;
  fill.kind = kind;
  fill.a = a;
  fill.b = b;
  auto ok = device.tools.fill(memory->get(), dtype, count, fill, seed, device.stream.get());
  EXPECT_TRUE(ok) << ok.error().message;
  return std::move(*memory);
}

struct Moments {
  double mean = 0, deviation = 0, low = 0, high = 0;
};
Moments moments(const std::vector<float>& x) {
  Moments m;
  m.mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  for (const float v : x) m.deviation += (v - m.mean) * (v - m.mean);
  m.deviation = std::sqrt(m.deviation / static_cast<double>(x.size()));
  m.low = *std::min_element(x.begin(), x.end());
  m.high = *std::max_element(x.begin(), x.end());
  return m;
}

TEST(DeviceTools, uniformFillHasTheRightMoments) {
  WT_REQUIRE_GPU();
  const auto x = download<float>(filled(DType::fp32, 1 << 20, Fill::Kind::uniform, -1, 3, 5), 1 << 20);
  const Moments m = moments(x);
  EXPECT_NEAR(m.mean, 1, 0.01);
  EXPECT_NEAR(m.deviation, 4 / std::sqrt(12.0), 0.01);
  EXPECT_GE(m.low, -1);
  EXPECT_LE(m.high, 3);
  EXPECT_EQ(x, download<float>(filled(DType::fp32, 1 << 20, Fill::Kind::uniform, -1, 3, 5), 1 << 20)) << "same seed";
  EXPECT_NE(x, download<float>(filled(DType::fp32, 1 << 20, Fill::Kind::uniform, -1, 3, 6), 1 << 20)) << "another seed";
}

TEST(DeviceTools, normalFillHasTheRightMoments) {
  WT_REQUIRE_GPU();
  const Moments m = moments(download<float>(filled(DType::fp32, 1 << 20, Fill::Kind::normal, 2, 0.5, 9), 1 << 20));
  EXPECT_NEAR(m.mean, 2, 0.005);
  EXPECT_NEAR(m.deviation, 0.5, 0.005);
  EXPECT_GT(m.high, 2 + 4 * 0.5);
}

TEST(DeviceTools, integerFillReachesBothEnds) {
  WT_REQUIRE_GPU();
  const auto x = download<std::int32_t>(filled(DType::int32, 10000, Fill::Kind::integers, -3, 3, 1), 10000);
  EXPECT_EQ(std::set<std::int32_t>(x.begin(), x.end()), (std::set<std::int32_t>{-3, -2, -1, 0, 1, 2, 3}));
}

TEST(DeviceTools, everyDtypeIsFilledAsTheHostEncodesIt) {
  WT_REQUIRE_GPU();
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    SCOPED_TRACE(dtype_name(dtype));
    for (const double value : {0.0, 1.0, 3.0, 100.0}) {
      const auto size = static_cast<std::size_t>(dtype_bytes(dtype));
      const auto bytes = download<unsigned char>(filled(dtype, 3, Fill::Kind::constant, value, 0, 1), 3 * size);
      std::uint64_t bits = 0;
      std::memcpy(&bits, bytes.data() + 2 * size, size);
      EXPECT_EQ(bits, encode_number(dtype, value)) << value;
    }
  }
}

Result<Comparison> compare_raw(const OutputCheck& check) {
  auto found = gpu_device().tools.check({&check, 1}, {}, {}, gpu_device().stream.get());
  if (!found) return tl::make_unexpected(found.error());
  return found->outputs.front();
}

Comparison compare(const std::vector<float>& out, const std::vector<float>& ref, double rtol, double atol) {
  const DeviceMemory a = upload(out), b = upload(ref);
  auto found =
      compare_raw({a.get(), DType::fp32, b.get(), DType::fp32, static_cast<std::int64_t>(out.size()), rtol, atol});
  EXPECT_TRUE(found) << found.error().message;
  return *found;
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(DeviceTools, compareFindsThePlantedError) {
  WT_REQUIRE_GPU();
  std::vector<float> ref(100003, 2.0F), out = ref;
  out[77777] = 2.5F;
  out[5] = 2.1F;
  const Comparison found = compare(out, ref, 0.01, 0.02);
  EXPECT_EQ(found.worst_index, 77777);
  EXPECT_EQ(found.mismatches, 2);
  EXPECT_EQ(found.unwritten, 0);
  EXPECT_DOUBLE_EQ(found.max_abs, 0.5);
  EXPECT_DOUBLE_EQ(found.max_rel, 0.25);
  EXPECT_DOUBLE_EQ(found.worst_ratio, 0.5 / 0.04);
  EXPECT_DOUBLE_EQ(found.worst_out, 2.5);
  EXPECT_EQ(compare(out, ref, 0.3, 0).mismatches, 0);
}

TEST(DeviceTools, nanPassesOnlyWhereTheReferenceHasIt) {
  WT_REQUIRE_GPU();
  EXPECT_EQ(compare({kNaN, 1}, {1, 1}, 1, 1).mismatches, 1);
  EXPECT_EQ(compare({1, kNaN}, {1, kNaN}, 1, 1).mismatches, 0);
  EXPECT_EQ(compare({1, 1}, {1, kNaN}, 1, 1).mismatches, 1);
  EXPECT_EQ(compare({kInf, -kInf}, {kInf, -kInf}, 1, 1).mismatches, 0);
  EXPECT_EQ(compare({kInf}, {-kInf}, 1, 1).mismatches, 1);
  EXPECT_EQ(compare({1e30F}, {kInf}, 1, 1).mismatches, 1);
  EXPECT_EQ(compare({kInf}, {1e30F}, 1, 1).mismatches, 1);
  EXPECT_EQ(compare({0.0F}, {-0.0F}, 0, 0).mismatches, 0);
}

TEST(DeviceTools, overflowOfANarrowOutputIsItsRounding) {
  WT_REQUIRE_GPU();
  const std::vector<std::uint16_t> out = {0x7C00, 0x7BFF, 0xFC00}; // fp16: inf, 65504, -inf
  const DeviceMemory a = upload(out), b = upload(std::vector<float>{70000, 65530, -65504});
  auto found = compare_raw({a.get(), DType::fp16, b.get(), DType::fp32, 3, 1e-3, 0});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->mismatches, 1);
  EXPECT_EQ(found->worst_index, 2);
}

TEST(DeviceTools, integersBeyondADoubleCompareExactly) {
  WT_REQUIRE_GPU();
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  const DeviceMemory a = upload(std::vector<std::int64_t>{large, large}),
                     b = upload(std::vector<std::int64_t>{large, large - 1});
  auto found = compare_raw({a.get(), DType::int64, b.get(), DType::int64, 2, 0, 0});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->mismatches, 1);
  EXPECT_EQ(found->max_abs, 1);
}

TEST(DeviceTools, anIntegerMayHaveAReferenceThatDoesNotRound) {
  WT_REQUIRE_GPU();
  const DeviceMemory out = upload(std::vector<std::int8_t>{3, -2, 0, -1, -128, 127}),
                     ref = upload(std::vector<float>{2.6F, -1.4F, 0.5F, kNaN, -128.3F, 126.4F});
  auto found = compare_raw({out.get(), DType::int8, ref.get(), DType::fp32, 6, 0, 0.5});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->mismatches, 3) << "-2, the NaN and 127";
  EXPECT_EQ(found->unwritten, 0) << "-1 has all bits set, as the poison of floats";

  CudaDevice& device = gpu_device();
  ASSERT_TRUE(device.tools.poison(out.get(), DType::int8, ref.get(), DType::fp32, 3, device.stream.get()));
  found = compare_raw({out.get(), DType::int8, ref.get(), DType::fp32, 3, 0, 0.5});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->unwritten, 3);
}

TEST(DeviceTools, poisonNeverPassesForAnyDtype) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  constexpr std::int64_t kCount = 4099;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    SCOPED_TRACE(dtype_name(dtype));
    const DeviceMemory ref = filled(dtype, kCount, Fill::Kind::integers, 0, 1, 3);
    auto out = DeviceMemory::allocate(device.driver(), ref.bytes(), "a test");
    ASSERT_TRUE(device.tools.poison(out->get(), dtype, ref.get(), dtype, kCount, device.stream.get()));
    auto found = compare_raw({out->get(), dtype, ref.get(), dtype, kCount, 0, dtype == DType::boolean ? 0.0 : 1.0});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->mismatches, kCount);
    EXPECT_EQ(found->unwritten, kCount);
  }
}

TEST(DeviceTools, poisonDoesNotPassForTheReferencesNaN) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  constexpr std::int64_t kCount = 1003;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!dtype_is_floating(dtype)) continue;
    SCOPED_TRACE(dtype_name(dtype));
    const DeviceMemory ref = filled(dtype, kCount, Fill::Kind::constant, kNaN, 0, 1);
    auto out = DeviceMemory::allocate(device.driver(), ref.bytes(), "a test");
    ASSERT_TRUE(device.tools.poison(out->get(), dtype, ref.get(), dtype, kCount, device.stream.get()));
    auto found = compare_raw({out->get(), dtype, ref.get(), dtype, kCount, 0, 1});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->unwritten, kCount);
    found = compare_raw({ref.get(), dtype, ref.get(), dtype, kCount, 0, 1});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->mismatches, 0) << "the NaN of a conversion is no poison";
  }
}

TEST(DeviceTools, elementsOfOneByteAreFound) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  std::vector<std::uint32_t> words(5000, 7);
  words[10] = 0xA5A5A500;
  const auto first = [&] {
    const DeviceMemory memory = upload(words);
    return device.tools.find_element(memory.get(), DType::int32, 5000, {}, 0xA5, device.stream.get()).value();
  };
  EXPECT_EQ(first(), -1);
  words[4999] = words[4321] = 0xA5A5A5A5;
  EXPECT_EQ(first(), 4321);
}

TEST(DeviceTools, checksumSeesEveryByte) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  std::vector<unsigned char> bytes(1003, 7);
  const auto sum = [&] {
    const DeviceMemory memory = upload(bytes);
    return device.tools.checksum(memory.get(), static_cast<std::int64_t>(bytes.size()), device.stream.get()).value();
  };
  const std::uint64_t before = sum();
  EXPECT_EQ(sum(), before);
  for (const std::size_t at : {std::size_t{0}, std::size_t{512}, std::size_t{1002}}) {
    bytes[at] ^= 1;
    EXPECT_NE(sum(), before) << at;
    bytes[at] ^= 1;
  }
  bytes[16] = 8;
  std::swap(bytes[0], bytes[16]); // the same bytes in another order
  EXPECT_NE(sum(), before);
}

// Buffers of an examination begin at addresses that their `align` allows; outputs are compared with a copy at another
// address.
TEST(DeviceTools, checksumDoesNotDependOnTheAddress) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  std::vector<unsigned char> bytes(1003);
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
  std::set<std::uint64_t> sums;
  for (std::size_t shift = 0; shift <= 8; ++shift) {
    std::vector<unsigned char> shifted(shift, 0xEE);
    shifted.insert(shifted.end(), bytes.begin(), bytes.end());
    const DeviceMemory memory = upload(shifted);
    const auto sum =
        device.tools.checksum(memory.get() + shift, static_cast<std::int64_t>(bytes.size()), device.stream.get());
    ASSERT_TRUE(sum) << sum.error().message;
    sums.insert(*sum);
  }
  EXPECT_EQ(sums.size(), 1);
}

TEST(DeviceTools, guardZonesReportTheFirstChangedByte) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  std::vector<unsigned char> bytes(8192, 0xA5);
  bytes[4096 + 17] = 0;
  bytes[4096 + 99] = 0;
  const DeviceMemory memory = upload(bytes);
  const std::vector<GuardZone> zones = {{memory.get(), 4096, 0xA5}, {memory.get() + 4096, 4096, 0xA5}};
  auto found = device.tools.check({}, zones, {}, device.stream.get());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->zones, (std::vector<std::int64_t>{-1, 17}));
}

// All checks of one launch together: none of them may disturb another.
TEST(DeviceTools, oneCheckAnswersEveryQuestionInItsOrder) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  const std::size_t count = 300000; // more than one block's share
  std::vector<float> ref(count, 1), wrong(ref);
  wrong[7] = 3;
  wrong[299999] = 2;
  std::vector<unsigned char> bytes(8192, 0xA5);
  bytes[5000] = 1;
  const DeviceMemory r = upload(ref), w = upload(wrong), b = upload(bytes);
  const auto n = static_cast<std::int64_t>(count);
  const std::vector<OutputCheck> outputs = {{w.get(), DType::fp32, r.get(), DType::fp32, n, 0, 0.5},
                                            {r.get(), DType::fp32, r.get(), DType::fp32, 0, 0, 0},
                                            {r.get(), DType::fp32, r.get(), DType::fp32, n, 0, 0}};
  const std::vector<GuardZone> zones = {{b.get(), 4096, 0xA5}, {b.get() + 4096, 4096, 0xA5}};
  const std::vector<MemoryRange> ranges = {{b.get(), 8192}, {b.get(), 0}, {b.get(), 8191}};
  auto found = device.tools.check(outputs, zones, ranges, device.stream.get());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->outputs[0].mismatches, 2);
  EXPECT_EQ(found->outputs[0].worst_index, 7);
  EXPECT_EQ(found->outputs[0].max_abs, 2);
  EXPECT_EQ(found->outputs[1].worst_index, -1);
  EXPECT_EQ(found->outputs[2].mismatches, 0);
  EXPECT_EQ(found->zones, (std::vector<std::int64_t>{-1, 904}));
  EXPECT_EQ(found->sums[0], device.tools.checksum(b.get(), 8192, device.stream.get()).value());
  EXPECT_EQ(found->sums[1], 0U);
  EXPECT_EQ(found->sums[2], device.tools.checksum(b.get(), 8191, device.stream.get()).value());
  EXPECT_NE(found->sums[0], found->sums[2]);
}

TEST(DeviceTools, rmsIgnoresWhatIsNotFinite) {
  WT_REQUIRE_GPU();
  CudaDevice& device = gpu_device();
  const DeviceMemory memory = upload(std::vector<float>{3, -3, kNaN, kInf, 3, -3});
  const Magnitude found =
      device.tools.magnitude(memory.get(), DType::fp32, 6, {}, DType::fp32, device.stream.get()).value();
  EXPECT_DOUBLE_EQ(found.rms, 3);
  EXPECT_EQ(found.finite, 4);
}

} // namespace
} // namespace warptune::test
