#include "profiler/source_lines.h"

#include "profiler/cupti_library.h"

#include <cstdlib>
#include <filesystem>
#include <memory>

namespace warptune {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); } // CUPTI allocates with malloc
};
using Text = std::unique_ptr<char, Free>;

} // namespace

Result<void> find_source_lines(PcSamples& samples, std::string_view cubin) {
  WT_TRY(auto cupti, load_cupti());
  for (InstructionSamples& at : samples.instructions) {
    WT_CUPTI_SAMPLING_PARAMS(CUpti_GetSassToSourceCorrelation, params);
    params.cubin = cubin.data();
    params.cubinSize = cubin.size();
    params.functionName = at.function.c_str();
    params.pcOffset = static_cast<std::uint64_t>(at.offset);
    const CUptiResult status = cupti->cuptiGetSassToSourceCorrelation(&params);
    const Text file(params.fileName), folder(params.dirName);
    if (status != CUPTI_SUCCESS || !file || params.lineNumber == 0) continue;
    at.file = (std::filesystem::path(folder ? folder.get() : "") / file.get()).lexically_normal().string();
    at.line = params.lineNumber;
  }
  return {};
}

} // namespace warptune
