// first_run.c in C++: y = 2 x + y for vectors of each size, before and after tuning.
//   first_run [--wait] [N ...]
#include "device.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include <warptune/operators.hpp>

// Returns whether the result is right.
static bool axpy(const warptune::operators::Axpy& kernel, std::int64_t n) {
  void *x = device_ones(n), *y = device_ones(n);
  kernel(nullptr, n, 2.0F, x, y);
  const bool is_right = last_of(y, n) == 3.0F;
  std::printf("n=%lld: %s, %s\n", static_cast<long long>(n), wt_match_name(kernel.kernel().select({n}).match()),
              is_right ? "correct" : "WRONG");
  give_back(x);
  give_back(y);
  return is_right;
}

int main(int argc, char** argv) {
  const bool waits = argc > 1 && std::string(argv[1]) == "--wait";
  std::vector<std::int64_t> sizes;
  for (int i = waits ? 2 : 1; i < argc; ++i) sizes.push_back(std::atoll(argv[i]));
  if (sizes.empty()) sizes = {1000000, 4096};
  if (use_device() != 0) {
    std::printf("no CUDA device here, so nothing is launched\n");
    return 0;
  }
  try {
    const warptune::Library library; // no path: the user's own database, or none yet
    const warptune::operators::Axpy kernel(library);
    bool is_right = true;
    for (const std::int64_t n : sizes) is_right = axpy(kernel, n) && is_right;
    if (waits) {
      std::printf("waiting\n");
      std::fflush(stdout);
      std::getchar();
    }
    return is_right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "first_run: %s\n", error.what());
    return 2;
  }
}
