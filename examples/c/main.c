/* warptune from C: lists the kernels of a pack or database, and explains which configuration would run and why.
 *   explain FILE KERNEL SHAPE [DTYPE [DEVICE]]
 * On a machine without a GPU it explains for DEVICE (default: "NVIDIA H200") and exits with 0. With a GPU, and without
 * DEVICE, it also selects the kernel in the GPU's context, so that the kernel is loaded and ready to launch. */
#include <dlfcn.h>
#include <stdio.h>
#include <warptune/warptune.h>

/* Makes a context with the driver only, so that this program builds without CUDA. Returns 0 on success. */
static int make_context(void) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  int (*init)(unsigned) = NULL;
  int (*retain)(void**, int) = NULL;
  int (*set_current)(void*) = NULL;
  void* context = NULL;
  if (driver == NULL) return 1;
  *(void**)&init = dlsym(driver, "cuInit");
  *(void**)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
  *(void**)&set_current = dlsym(driver, "cuCtxSetCurrent");
  if (init == NULL || retain == NULL || set_current == NULL) return 1;
  return init(0) != 0 || retain(&context, 0) != 0 || set_current(context) != 0;
}

static void describe(const wt_operation* operation) {
  printf("ready to launch: %s, a workspace of %zu bytes, arguments:\n", wt_operation_config(operation),
         wt_operation_workspace_bytes(operation));
  for (int i = 0; i < wt_operation_arg_count(operation); ++i)
    printf("  %s: %s %s of %zu bytes\n", wt_operation_arg_name(operation, i), wt_operation_arg_dtype(operation, i),
           wt_operation_arg_is_buffer(operation, i) ? "buffer" : "scalar", wt_operation_arg_bytes(operation, i));
}

int main(int argc, char** argv) {
  wt_library* library = NULL;
  const wt_operation* operation = NULL;
  const char* text = NULL;
  wt_match match = WT_MATCH_DEFAULT;
  wt_status status = WT_OK;

  printf("warptune %s\n", wt_version());
  if (argc < 4) {
    printf("usage: explain FILE KERNEL SHAPE [DTYPE [DEVICE]], such as\n"
           "  explain ops.wtpack softmax rows=32768,cols=4096 bf16 \"NVIDIA H200\"\n");
    return 0;
  }
  const char* dtype = argc > 4 ? argv[4] : NULL;
  const int has_gpu = argc <= 5 && make_context() == 0;
  status = wt_open(argv[1], &library);
  if (status == WT_OK) {
    for (int i = 0; i < wt_kernel_count(library); ++i) printf("tuned: %s\n", wt_kernel_name(library, i));
    const char* device = argc > 5 ? argv[5] : has_gpu ? NULL : "NVIDIA H200";
    status = wt_explain(library, argv[2], argv[3], dtype, NULL, device, &match, &text);
  }
  if (status == WT_OK) printf("%s\nmatch: %s\n", text, wt_match_name(match));
  if (status == WT_OK && has_gpu) {
    status = wt_prepare(library, argv[2], argv[3], dtype, NULL, &operation);
    if (status == WT_OK) describe(operation);
  }
  if (status != WT_OK) fprintf(stderr, "explain: %s (%s)\n", wt_last_error(), wt_status_name(status));
  wt_close(library);
  return (int)status;
}
