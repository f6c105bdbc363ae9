// A program that takes all of the GPU's memory: all that is free and all that becomes free. It prints "holding" when
// none is left for the first time, and frees the memory when its standard input ends.
#include "gpu/handles.h"

#include <cstdio>
#include <poll.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace warptune;

void take_all(const Driver& driver, std::vector<DeviceMemory>& taken) {
  for (std::size_t bytes = std::size_t{16} << 30; bytes >= std::size_t{2} << 20;) {
    auto memory = DeviceMemory::allocate(driver, bytes, "the hog");
    if (memory)
      taken.push_back(std::move(*memory));
    else
      bytes /= 2;
  }
}

} // namespace

int main() {
  auto context = Context::open(0);
  if (!context) return std::fprintf(stderr, "%s\n", context.error().message.c_str()), 1;
  std::vector<DeviceMemory> taken;
  take_all(context->driver(), taken);
  if (::write(STDOUT_FILENO, "holding\n", 8) != 8) return 1;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (::poll(&input, 1, 10) == 0) take_all(context->driver(), taken);
  return 0;
}
