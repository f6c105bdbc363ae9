// Prescreen: finds configurations that cannot be launched, without the seconds of a full compile. A "look" is a compile
// with most of the optimiser disabled; it takes 15 to 35 ms even if loops are heavily unrolled. It shows how much
// static shared memory the kernel declares. Used only for kernels that are known to compile slowly.
#pragma once

#include "jit/compiler.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// Returns a sentence if a program with these resources cannot be launched. The resources are in the order of the name
// expressions; 0 registers: not known.
using ResourceCheck = std::function<std::optional<std::string>(const std::vector<KernelResources>&)>;

// The prescreen of one kernel folder in one process.
class Prescreen {
 public:
  // Returns why `request` cannot work; nullopt if that is not certain, or if the kernel compiles quickly. The optimiser
  // may remove a shared array that a "look" (see above) still counts. So a look is trusted only if all earlier looks
  // agreed with full compiles, and a second look, with more of the optimiser enabled, agrees too.
  std::optional<std::string> find_hopeless(const CompileRequest& request, const ResourceCheck& check, double timeout_s);
  // Call this after a full compile, if find_hopeless was just called for the same request.
  void learn(const CompileResult& result, double compile_s);

 private:
  struct Look {
    std::vector<KernelResources> resources;
    std::string refusal; // the compiler's own error: more shared memory than the architecture has
  };
  static std::optional<Look> look(const CompileRequest& request, const char* option, double timeout_s);

  bool slow_ = false, refuted_ = false;
  int confirmed_ = 0; // how often a `Look` agreed with the full compile
  std::optional<Look> last_;
};

} // namespace warptune
