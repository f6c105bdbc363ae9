/* The parts of the CUDA driver that first_run.c and first_run.cpp use. The driver is opened at run time, so that both
 * programs build without CUDA. */
#ifndef FIRST_RUN_DEVICE_H
#define FIRST_RUN_DEVICE_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

static void* driver_function(const char* name) {
  static void* driver;
  if (driver == NULL) driver = dlopen("libcuda.so.1", RTLD_NOW);
  return driver == NULL ? NULL : dlsym(driver, name);
}

/* Makes the first device's context current. Returns 0 if that succeeded. */
static int use_device(void) {
  void* context = NULL;
  int (*init)(unsigned) = NULL;
  int (*retain)(void**, int) = NULL;
  int (*set_current)(void*) = NULL;
  *(void**)&init = driver_function("cuInit");
  *(void**)&retain = driver_function("cuDevicePrimaryCtxRetain");
  *(void**)&set_current = driver_function("cuCtxSetCurrent");
  if (init == NULL || retain == NULL || set_current == NULL) return 1;
  return init(0) != 0 || retain(&context, 0) != 0 || set_current(context) != 0;
}

/* Returns device memory with n floats, all 1; NULL: not enough memory. */
static void* device_ones(int64_t n) {
  const uint32_t one = 0x3f800000;
  void* memory = NULL;
  int (*allocate)(void**, size_t) = NULL;
  int (*set_words)(void*, uint32_t, size_t) = NULL;
  *(void**)&allocate = driver_function("cuMemAlloc_v2");
  *(void**)&set_words = driver_function("cuMemsetD32_v2");
  if (allocate(&memory, (size_t)n * 4) != 0 || set_words(memory, one, (size_t)n) != 0) return NULL;
  return memory;
}

/* Waits for all launches and returns the last of n floats; negative: the device failed. */
static float last_of(const void* memory, int64_t n) {
  float value = 0;
  int (*copy)(void*, const void*, size_t) = NULL;
  *(void**)&copy = driver_function("cuMemcpyDtoH_v2");
  return copy(&value, (const char*)memory + (n - 1) * 4, 4) == 0 ? value : -1.0F;
}

static void give_back(void* memory) {
  int (*release)(void*) = NULL;
  *(void**)&release = driver_function("cuMemFree_v2");
  release(memory);
}

#endif
