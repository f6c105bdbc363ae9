// A libcuda for tests of what is said without a usable one: FAKE_DRIVER is "old" (CUDA 11.4) or "empty" (no device).
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static int is_mode(const char* mode) {
  const char* chosen = getenv("FAKE_DRIVER");
  return chosen != NULL && strcmp(chosen, mode) == 0;
}

static int no_device(void) { return 100; }

EXPORT int cuDriverGetVersion(int* version) {
  *version = is_mode("old") ? 11040 : 13000;
  return 0;
}

EXPORT int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long long flags, void* found) {
  (void)name, (void)version, (void)flags, (void)found;
  *function = (void*)no_device;
  return 0;
}
