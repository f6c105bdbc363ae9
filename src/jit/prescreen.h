// Prescreen: finds configurations that cannot be launched before the seconds that compiling them would take. A look is
// a compile with most of the optimiser switched off, 15 to 35 ms whatever the unrolling, and shows what never depends
// on optimisation: the static shared memory. For kernels that are known to compile slowly; the rest pay nothing.
#pragma once

#include "jit/compiler.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// A sentence when a program with these resources (in the order of the name expressions; 0 registers: not known) cannot
// be launched.
using ResourceCheck = std::function<std::optional<std::string>(const std::vector<KernelResources>&)>;

// Of one kernel folder, in one process.
class Prescreen {
 public:
  // Why `request` cannot work; nothing where that is not proven, and for kernels that compile quickly. The optimiser
  // may remove a shared array that a look still sees, so a look is believed only of a kernel whose looks always were
  // right where the full compile followed, and only when a second look with more of the optimiser agrees.
  std::optional<std::string> find_hopeless(const CompileRequest& request, const ResourceCheck& check, double timeout_s);
  // To be told of each full compile, right after the find_hopeless of the same request.
  void learn(const CompileResult& result, double compile_s);

 private:
  struct Look {
    std::vector<KernelResources> resources;
    std::string refusal; // the compiler's own, for more shared memory than the architecture has
  };
  static std::optional<Look> look(const CompileRequest& request, const char* option, double timeout_s);

  bool slow_ = false, refuted_ = false;
  int confirmed_ = 0; // looks that the full compile proved right
  std::optional<Look> last_;
};

} // namespace warptune
