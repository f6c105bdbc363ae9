// Shared by the tests of the runtime on a real device: an opened context, hand-written rows, and buffers.
#pragma once

#include "gpu/devices.h"
#include "gpu/handles.h"
#include "gpu/real_rows.h"
#include "support/require_gpu.h"
#include "support/temp_dir.h"
#include "unit/runtime/library.h"
#include "warptune/warptune.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <optional>
#include <vector>

namespace warptune::test {

inline std::vector<float> sequence(std::size_t count, float step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = step * static_cast<float>(i % 1021) - 1.0F;
  return values;
}

class RuntimeGpu : public testing::Test {
 protected:
  void SetUp() override {
    WT_REQUIRE_GPU();
    setenv("XDG_CACHE_HOME", dir_.path().c_str(), 1);
    context_.emplace(must(Context::open(0)));
    device_ = must(query_cuda_device(0));
  }
  const Driver& driver() const { return context_->driver(); }

  void add_best(const std::string& kernel, const std::string& shape, const std::string& changes, bool store) {
    add_real_rows(dir_ / "t.db", device_, kernel, {shape}, changes, store);
  }

  DeviceMemory upload(const std::vector<float>& values, const Stream& stream) {
    DeviceMemory memory = must(DeviceMemory::allocate(driver(), values.size() * sizeof(float), "a test"));
    must(check_cuda(driver(), driver().cuMemcpyHtoDAsync(memory.get(), values.data(), memory.bytes(), stream.get()),
                    "upload"));
    return memory;
  }
  std::vector<float> download(const DeviceMemory& memory, const Stream& stream) {
    std::vector<float> values(memory.bytes() / sizeof(float));
    must(check_cuda(driver(), driver().cuMemcpyDtoHAsync(values.data(), memory.get(), memory.bytes(), stream.get()),
                    "download"));
    must(check_cuda(driver(), driver().cuStreamSynchronize(stream.get()), "wait"));
    return values;
  }

  // Runs y = alpha * x + y through the library, and compares the result with the host's.
  void check_axpy(const warptune::Operation& axpy, std::size_t n, float alpha) {
    const Stream stream = must(make_stream(driver()));
    const std::vector<float> x = sequence(n, 0.002F), y = sequence(n, 0.001F);
    const DeviceMemory device_x = upload(x, stream), device_y = upload(y, stream);
    axpy.launch(stream.get(), device_x.get(), device_y.get(), alpha);
    const std::vector<float> result = download(device_y, stream);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (std::fabs(result[i] - std::fma(alpha, x[i], y[i])) > 1e-6F) ++wrong;
    EXPECT_EQ(wrong, 0u) << axpy.explain();
  }

  TempDir dir_;
  std::optional<Context> context_;
  DeviceInfo device_;
};

} // namespace warptune::test
