/* An application before and after tuning, in C: y = 2 x + y for vectors of each size.
 *   first_run_c [--wait] [N ...]
 * It names no database. The first run finds none: the shipped kernel is compiled and launched with an untuned
 * configuration, and the sizes are collected in a file, which a line on stderr names. `warptune sweep` of that file
 * tunes the sizes, and in the next run each match is "exact". --wait: the program waits for stdin before it exits, so
 * that it can be stopped with Ctrl-C. Without a GPU it says so and exits with 0. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <warptune/warptune.h>

static int fail(void) {
  fprintf(stderr, "first_run_c: %s\n", wt_last_error());
  return 1;
}

/* Returns 0 if the kernel was launched and the result is right. */
static int axpy(const wt_kernel* kernel, int64_t n) {
  const wt_operation* operation = NULL;
  const float alpha = 2;
  void *x = device_ones(n), *y = device_ones(n);
  const void* const args[] = {&x, &y, &alpha}; /* in the order of wt_kernel_arg_name */
  if (x == NULL || y == NULL) return 1;
  if (wt_run(kernel, &n, 1, args, 3, NULL, 0, NULL) != WT_OK || wt_select(kernel, &n, 1, 0, NULL, &operation) != WT_OK)
    return fail();
  const float result = last_of(y, n);
  printf("n=%lld: %s, %s\n", (long long)n, wt_match_name(wt_operation_match(operation)),
         result == 3.0F ? "correct" : "WRONG");
  give_back(x);
  give_back(y);
  return result == 3.0F ? 0 : 1;
}

int main(int argc, char** argv) {
  wt_library* library = NULL;
  const wt_kernel* kernel = NULL;
  int failed = 0;
  const int waits = argc > 1 && strcmp(argv[1], "--wait") == 0;
  if (use_device() != 0) {
    printf("no CUDA device here, so nothing is launched\n");
    return 0;
  }
  if (wt_open(NULL, &library) != WT_OK || wt_find_kernel(library, "axpy", "fp32", NULL, &kernel) != WT_OK)
    return fail();
  for (int i = 1 + waits; i < argc; ++i) failed |= axpy(kernel, atoll(argv[i]));
  if (argc == 1 + waits) failed = axpy(kernel, 1000000) | axpy(kernel, 4096);
  if (waits) {
    printf("waiting\n");
    fflush(stdout);
    (void)getchar();
  }
  wt_close(library);
  return failed;
}
