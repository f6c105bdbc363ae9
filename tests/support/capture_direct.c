// Calls NVRTC directly: a program that links it, and a plugin with its own NVRTC.
#include <stdio.h>

int nvrtcCreateProgram(void** program, const char* source, const char* name, int headers, const char* const* texts,
                       const char* const* names);
int nvrtcCompileProgram(void* program, int count, const char* const* options);
int nvrtcDestroyProgram(void** program);

__attribute__((visibility("default"))) int compile_directly(void) {
  void* program = NULL;
  const char* const options[] = {"-DX=1"};
  if (nvrtcCreateProgram(&program, "__global__ void direct() {}", "direct.cu", 0, NULL, NULL) != 0) return 1;
  printf("compiled with %d\n", nvrtcCompileProgram(program, 1, options));
  return nvrtcDestroyProgram(&program);
}

#ifdef DIRECT_PROGRAM
int main(void) { return compile_directly(); }
#endif
