// The launches of an application: which functions come from which image, and the distinct problems ("cases") for which
// matching kernels are launched. Called from callbacks on many threads.
#pragma once

#include <array>
#include <cstdint>
#include <cuda.h>
#include <memory>
#include <string>

namespace warptune::intercept {

struct Launch {
  void* function = nullptr;   // a CUfunction or CUkernel
  const char* name = nullptr; // mangled
  std::array<unsigned, 3> grid = {1, 1, 1}, block = {1, 1, 1}, cluster = {1, 1, 1};
  unsigned shared = 0; // dynamic, bytes
  bool is_cooperative = false;
  bool is_graph_node = false; // described for a graph, not launched
  CUstream stream = nullptr;
  unsigned context = 0;    // CUPTI's number
  void** params = nullptr; // one address per parameter
  void** extra = nullptr;  // or all parameters in one block
};

constexpr int kNoCase = -1;

class Launches {
 public:
  static Launches& get();

  // `image`: as passed to the driver; `file`: its file name, if it was loaded from a file.
  void loaded(void* module, const void* image, const char* file);
  void found_function(void* module, void* function, const char* name);
  void found_kernel(void* library, void* kernel, const char* name);
  void kernel_function(void* kernel, void* function);
  void library_module(void* library, void* module);
  void unloaded(void* module);

  // Records a problem if it is new. Returns its number, or kNoCase if the kernel does not match.
  int launched(const Launch& launch);

 private:
  Launches();
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace warptune::intercept
