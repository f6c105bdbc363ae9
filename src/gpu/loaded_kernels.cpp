#include "gpu/loaded_kernels.h"

#include "plan/program_symbol.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {

Result<LoadedKernels> load_kernels(const Driver& driver, std::string_view cubin,
                                   const std::vector<std::string>& lowered_names, std::size_t symbols) {
  WT_TRY(auto module, load_module(driver, cubin));
  LoadedKernels loaded{std::move(module), {}, {}, lowered_names};
  const std::size_t kernels = lowered_names.size() - std::min(symbols, lowered_names.size());
  for (const std::string& name : lowered_names) {
    if (loaded.functions.size() == kernels) {
      DeviceSymbol symbol;
      const CUresult status =
          driver.cuModuleGetGlobal(&symbol.address, &symbol.bytes, loaded.module.get(), name.c_str());
      WT_CHECK(check_load(driver, status, fmt::format("cannot find the symbol {} in its module", name)));
      loaded.symbols.push_back(symbol);
      continue;
    }
    CUfunction function = nullptr;
    const std::string kernel = parse_symbol(name).name;
    const CUresult status = driver.cuModuleGetFunction(&function, loaded.module.get(), kernel.c_str());
    WT_CHECK(check_load(driver, status, fmt::format("cannot find the kernel {} in its module", kernel)));
    loaded.functions.push_back(function);
  }
  return loaded;
}

} // namespace warptune
