// Checksums of memory that begins at any address, with the host as the device (support/host_cuda.cpp).
#include "cuda/cuda_device.h"
#include "support/host_device.h"
#include "support/temp_dir.h"

#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace warptune {
namespace {

TEST(Checksums, DoNotDependOnTheAddress) {
  const test::TempDir folder;
  const CubinCache cache(folder.path().string());
  const auto device = CudaDevice::open(0, cache, nullptr, nullptr).value();
  std::set<std::uint64_t> sums;
  alignas(8) std::array<unsigned char, 1024> memory{};
  for (std::size_t shift = 0; shift <= 8; ++shift) {
    memory.fill(0xEE);
    std::iota(memory.begin() + static_cast<std::ptrdiff_t>(shift),
              memory.begin() + static_cast<std::ptrdiff_t>(shift + 1003), static_cast<unsigned char>(0));
    const auto at = reinterpret_cast<CUdeviceptr>(memory.data()) + shift;
    const auto sum = device->tools.checksum(at, 1003, device->stream.get());
    ASSERT_TRUE(sum) << sum.error().message;
    sums.insert(*sum);
    memory[shift + 500] ^= 1;
    EXPECT_NE(device->tools.checksum(at, 1003, device->stream.get()).value(), *sum) << "shift " << shift;
  }
  EXPECT_EQ(sums.size(), 1);
}

} // namespace
} // namespace warptune
