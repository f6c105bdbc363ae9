/* The C header compiles as C, and the library of the installed package answers. */
#include <stdio.h>
#include <warptune/warptune.h>

int main(void) {
  printf("warptune %s\n", wt_version());
  return 0;
}
