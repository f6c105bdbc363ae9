#include "profiler/l2_flush.h"

#include "embedded/profiler_kernels.h"

#include <algorithm>

namespace warptune {
namespace {

constexpr std::size_t kSmallestCache = std::size_t{16} << 20;

} // namespace

CompileRequest L2Flush::program() {
  CompileRequest request;
  request.source_name = "l2_flush.cu";
  request.source = embedded::profiler_kernels::find("l2_flush.cu").value_or("");
  return request;
}

Result<L2Flush> L2Flush::make(const Driver& driver, const CubinProvider& provider, const DeviceLimits& limits) {
  L2Flush flush;
  flush.driver_ = &driver;
  WT_TRY(auto program, DeviceProgram::load(driver, provider, L2Flush::program()));
  flush.program_ = std::move(program);
  WT_TRY(auto read, flush.program_.function("read_all"));
  flush.read_ = read;
  const std::size_t cache =
      std::max(kSmallestCache, static_cast<std::size_t>(std::max<std::int64_t>(limits.l2_bytes, 0)));
  flush.blocks_ = static_cast<unsigned>(4 * std::max<std::int64_t>(limits.sm_count, 1));
  WT_TRY(auto buffer, DeviceMemory::allocate(driver, 3 * (cache / 256 * 256), "the L2 flush"));
  flush.buffer_ = std::move(buffer);
  // Its contents do not matter, but tools that detect reads of uninitialised memory would report them.
  CUresult status = driver.cuMemsetD8Async(flush.buffer_.get(), 0, flush.buffer_.bytes(), nullptr);
  if (status == CUDA_SUCCESS) status = driver.cuStreamSynchronize(nullptr);
  WT_CHECK(check_cuda(driver, status, "cannot clear the buffer of the L2 flush"));
  return flush;
}

// A kernel that runs repeatedly finds data in the L2 that its last run modified. It pays for writing that back, while
// it leaves as much modified data behind. So the flush empties the L2 by reading other data, which leaves nothing to
// write back, and then modifies as many bytes as the outputs have. Without the second step, a kernel could hide its
// last writes. If the flush modified the whole L2, a kernel that only reads would pay for writes of the flush (4 % of
// the time for a gigabyte, on an H200).
CUresult L2Flush::enqueue(CUstream stream, std::int64_t written_bytes) {
  const std::size_t third = buffer_.bytes() / 3;
  const CUdeviceptr sink = buffer_.get() + 2 * third;
  const auto vectors = static_cast<std::int64_t>(2 * third / 16);
  CUresult status =
      launch_kernel(*driver_, read_, LaunchShape{{blocks_, 1, 1}, 512}, stream, buffer_.get(), sink, vectors);
  const std::size_t written = std::min(static_cast<std::size_t>(std::max<std::int64_t>(written_bytes, 0)), third);
  if (status == CUDA_SUCCESS && written > 0) status = driver_->cuMemsetD8Async(sink, ++pattern_, written, stream);
  return status;
}

} // namespace warptune
