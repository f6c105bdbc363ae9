// Prescreen: finds configurations that cannot be launched, before seconds are spent on compiling them. A "look" is a
// compile with most of the optimiser disabled; it takes 15 to 35 ms even if loops are unrolled heavily. It shows the
// static shared memory, which never depends on optimisation. Used only for kernels that are known to compile slowly.
#pragma once

#include "jit/compiler.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// Returns a sentence if a program with these resources (in the order of the name expressions; 0 registers: not known)
// cannot be launched.
using ResourceCheck = std::function<std::optional<std::string>(const std::vector<KernelResources>&)>;

// For one kernel folder, in one process.
class Prescreen {
 public:
  // Returns why `request` cannot work; nullopt if that is not proven, or if the kernel compiles quickly. The optimiser
  // may remove a shared array that a look still counts. Therefore a look is trusted only if all earlier looks at this
  // kernel agreed with the full compile, and a second look with more of the optimiser agrees.
  std::optional<std::string> find_hopeless(const CompileRequest& request, const ResourceCheck& check, double timeout_s);
  // Call it after each full compile, directly after the find_hopeless of the same request.
  void learn(const CompileResult& result, double compile_s);

 private:
  struct Look {
    std::vector<KernelResources> resources;
    std::string refusal; // the compiler's own refusal: the architecture does not have this much shared memory
  };
  static std::optional<Look> look(const CompileRequest& request, const char* option, double timeout_s);

  bool slow_ = false, refuted_ = false;
  int confirmed_ = 0; // number of looks that the full compile confirmed
  std::optional<Look> last_;
};

} // namespace warptune
