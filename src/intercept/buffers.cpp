#include "intercept/buffers.h"

#include <array>
#include <chrono>
#include <cuda.h>
#include <string_view>
#include <thread>

namespace warptune::intercept {
namespace {

constexpr auto kPatience = std::chrono::seconds(5);

// True when the stream is done; false on an error or after kPatience.
bool wait_for(const DriverCalls& driver, CUstream stream) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    const CUresult status = driver.cuStreamQuery(stream);
    if (status != CUDA_ERROR_NOT_READY) return status == CUDA_SUCCESS;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

// In the default mode, calls of this thread would invalidate a graph that another thread captures.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const DriverCalls& driver) : driver_(driver) {
    driver_.cuThreadExchangeStreamCaptureMode(&mode_);
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  ~RelaxedCapture() { driver_.cuThreadExchangeStreamCaptureMode(&mode_); }

 private:
  const DriverCalls& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace

Buffer find_buffer(const DriverCalls& driver, std::uint64_t value) {
  std::uint64_t start = 0, size = 0;
  unsigned type = 0, is_managed = 0;
  std::array<CUpointer_attribute, 4> attributes = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                   CU_POINTER_ATTRIBUTE_IS_MANAGED};
  std::array<void*, 4> values = {&start, &size, &type, &is_managed};
  if (value == 0 || driver.cuPointerGetAttributes(4, attributes.data(), values.data(), value) != CUDA_SUCCESS)
    return {};
  if (start == 0 || value < start || value - start >= size) return {};
  return {value - start, size - (value - start),
          is_managed != 0              ? "managed"
          : type == CU_MEMORYTYPE_HOST ? "host"
                                       : "device"};
}

bool is_capturing(const DriverCalls& driver, CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver.cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

std::string copy_contents(const DriverCalls& driver, CUstream stream, std::uint64_t address, const Buffer& buffer,
                          std::size_t bytes, std::vector<char>& out) {
  const RelaxedCapture relaxed(driver);
  if (!wait_for(driver, stream)) return "the work before the launch did not finish in time";
  if (std::string_view(buffer.memory) == "host") {
    const char* begin = reinterpret_cast<const char*>(address); // the same address on the host
    out.assign(begin, begin + bytes);
    return {};
  }
  CUstream copies = nullptr; // the legacy stream would wait for the application's streams
  if (driver.cuStreamCreate(&copies, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
    return "no stream could be created for the copy";
  auto* target = new std::vector<char>(bytes);
  const bool is_enqueued = driver.copy_to_host(target->data(), address, bytes, copies) == CUDA_SUCCESS;
  if (is_enqueued && !wait_for(driver, copies))
    return "the copy did not finish in time"; // not freed: the driver may still write to it
  driver.destroy_stream(copies);
  out = std::move(*target);
  delete target;
  return is_enqueued ? "" : "the driver cannot copy it";
}

} // namespace warptune::intercept
