#include "cuda/input_fill.h"

#include "core/random.h"
#include "gpu/scalar.h"
#include "plan/list_fill.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <vector>

namespace warptune {
namespace {

constexpr std::int64_t kChunk = std::int64_t{1} << 22; // elements held on the host at a time

// `value_at(i)` returns the integer at index i, as a Result.
template <class ValueAt>
Result<void> fill_from_host(const Driver& driver, const BufferPlan& buffer, CUdeviceptr data, CUstream stream,
                            const ValueAt& value_at) {
  const auto size = static_cast<std::size_t>(dtype_bytes(buffer.dtype));
  std::vector<unsigned char> host(static_cast<std::size_t>(std::min(kChunk, buffer.count)) * size);
  for (std::int64_t begin = 0; begin < buffer.count; begin += kChunk) {
    const std::int64_t end = std::min(begin + kChunk, buffer.count);
    for (std::int64_t i = begin; i < end; ++i) {
      WT_TRY(const std::int64_t value, value_at(i));
      const std::uint64_t bits = encode_integer(buffer.dtype, value);
      std::memcpy(host.data() + static_cast<std::size_t>(i - begin) * size, &bits,
                  size); // little endian: the low bytes
    }
    CUresult status = driver.cuMemcpyHtoDAsync(data + static_cast<CUdeviceptr>(begin) * size, host.data(),
                                               static_cast<std::size_t>(end - begin) * size, stream);
    if (status == CUDA_SUCCESS) status = driver.cuStreamSynchronize(stream);
    WT_CHECK(check_cuda(driver, status, fmt::format("cannot fill {}", buffer.name)));
  }
  return {};
}

Result<void> fill_by_formula(const Driver& driver, const KernelSpec& spec, const Problem& problem,
                             const DeviceInfo& device, const BufferPlan& buffer, CUdeviceptr data, CUstream stream) {
  std::vector<std::int64_t> slots = make_slots(spec, problem, device.limits);
  slots.push_back(0); // `i`
  return fill_from_host(driver, buffer, data, stream, [&](std::int64_t i) -> Result<std::int64_t> {
    slots.back() = i;
    auto value = buffer.fill.formula.evaluate(slots);
    if (!value)
      return fail(ErrorKind::bad_input,
                  fmt::format("cannot compute the fill of {} at i = {}: {}", buffer.name, i, value.error().message));
    return value;
  });
}

} // namespace

Result<void> fill_buffer(DeviceTools& tools, const Driver& driver, const KernelSpec& spec, const Problem& problem,
                         const DeviceInfo& device, const BufferPlan& buffer, CUdeviceptr data, std::uint64_t seed,
                         std::size_t position, CUstream stream) {
  if (buffer.fill.kind == Fill::Kind::formula)
    return fill_by_formula(driver, spec, problem, device, buffer, data, stream);
  if (buffer.fill.is_made_on_host()) {
    WT_TRY(const auto values, list_fill_values(spec, problem, buffer));
    return fill_from_host(driver, buffer, data, stream,
                          [&](std::int64_t i) -> Result<std::int64_t> { return values[static_cast<std::size_t>(i)]; });
  }
  return tools.fill(data, buffer.dtype, buffer.count, buffer.fill, mix(seed + mix(position)), stream);
}

} // namespace warptune
