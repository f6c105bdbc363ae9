// The launches of an application: the image of each function, and the distinct problems ("cases") of the kernels to
// record. Callbacks on many threads call this class.
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
  unsigned shared = 0; // bytes of dynamic shared memory
  bool is_cooperative = false;
  bool is_graph_node = false; // whether the call describes a graph node and launches nothing
  CUstream stream = nullptr;
  unsigned context = 0;    // CUPTI's number of the context
  void** params = nullptr; // the address of each parameter; null: `extra` is used
  void** extra = nullptr;  // all parameters in one block
};

constexpr int kNoCase = -1;

class Launches {
 public:
  static Launches& get();

  // The following functions report loaded programs. `image`: as passed to the driver. `file`: its name, if the program
  // was loaded from a file.
  void loaded(void* module, const void* image, const char* file);
  void found_function(void* module, void* function, const char* name);
  void found_kernel(void* library, void* kernel, const char* name);
  void kernel_function(void* kernel, void* function);
  void library_module(void* library, void* module);
  void unloaded(void* module);

  // Records the launch's case if it is new. Returns the case's number, or kNoCase if the kernel is not to be recorded.
  int launched(const Launch& launch);

 private:
  Launches();
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace warptune::intercept
