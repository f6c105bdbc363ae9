/* warptune from C: lists what a database holds and asks which configuration would run, and why.
 *   explain DATABASE KERNEL SHAPE [DTYPE [DEVICE]]
 * Needs no GPU. Launching works as in examples/dispatch: wt_prepare, then wt_launch with an array of addresses. */
#include <stdio.h>
#include <warptune/warptune.h>

int main(int argc, char** argv) {
  wt_library* library = NULL;
  const char* text = NULL;
  wt_match match = WT_MATCH_DEFAULT;
  wt_status status = WT_OK;

  printf("warptune %s\n", wt_version());
  if (argc < 4) {
    printf("usage: explain DATABASE KERNEL SHAPE [DTYPE [DEVICE]], such as\n"
           "  explain ops.db softmax rows=32768,cols=4096 bf16 \"NVIDIA H200\"\n");
    return 0;
  }
  status = wt_open(argv[1], &library);
  if (status == WT_OK) {
    for (int i = 0; i < wt_kernel_count(library); ++i) printf("tuned: %s\n", wt_kernel_name(library, i));
    status = wt_explain(library, argv[2], argv[3], argc > 4 ? argv[4] : NULL, NULL, argc > 5 ? argv[5] : "NVIDIA H200",
                        &match, &text);
  }
  if (status == WT_OK)
    printf("%s\nmatch: %s\n", text, wt_match_name(match));
  else
    fprintf(stderr, "explain: %s\n", wt_last_error());
  wt_close(library);
  return (int)status;
}
