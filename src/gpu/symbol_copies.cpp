#include "gpu/symbol_copies.h"

#include "gpu/scalar.h"

#include <fmt/format.h>
#include <string>

namespace warptune {

Result<std::vector<SymbolCopy>> symbol_copies(const LaunchPlan& plan, std::span<const DeviceSymbol> symbols) {
  if (symbols.size() != plan.symbols.size())
    return fail(ErrorKind::internal, "a launch sequence needs one address per symbol");
  std::vector<SymbolCopy> copies;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const SymbolPlan& symbol = plan.symbols[i];
    SymbolCopy copy{symbols[i].address, symbol.buffer, 0, 0};
    if (symbol.buffer >= 0) {
      copy.bytes = static_cast<std::size_t>(plan.buffers[static_cast<std::size_t>(symbol.buffer)].bytes());
    } else {
      copy.bytes = static_cast<std::size_t>(dtype_bytes(symbol.scalar.dtype));
      copy.bits = scalar_bits(symbol.scalar);
    }
    if (copy.bytes > symbols[i].bytes)
      return fail(ErrorKind::no_candidate,
                  fmt::format("the symbol {} has {} bytes, but {} has {}; enlarge the symbol in the source",
                              symbol.name, symbols[i].bytes,
                              symbol.buffer >= 0
                                  ? "the buffer " + plan.buffers[static_cast<std::size_t>(symbol.buffer)].name
                                  : "the scalar that is copied to it",
                              copy.bytes));
    if (copy.bytes > 0) copies.push_back(copy);
  }
  return copies;
}

// A scalar is set with memset: a copy from the host would have to wait for its source, and a graph would store the
// source's address.
CUresult fill_symbol(const Driver& driver, const SymbolCopy& copy, std::span<const CUdeviceptr> buffers,
                     CUstream stream) noexcept {
  if (copy.buffer >= 0)
    return driver.cuMemcpyDtoDAsync(copy.to, buffers[static_cast<std::size_t>(copy.buffer)], copy.bytes, stream);
  CUresult status = CUDA_SUCCESS;
  const bool by_words = copy.bytes % 4 == 0;
  for (std::size_t at = 0; at < copy.bytes && status == CUDA_SUCCESS; at += by_words ? 4 : 1) {
    const std::uint64_t bits = copy.bits >> (8 * at);
    status = by_words ? driver.cuMemsetD32Async(copy.to + at, static_cast<unsigned>(bits), 1, stream)
                      : driver.cuMemsetD8Async(copy.to + at, static_cast<unsigned char>(bits), 1, stream);
  }
  return status;
}

} // namespace warptune
