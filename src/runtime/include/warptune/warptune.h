/* warptune: the C interface of the runtime library. Opens a tuning database and launches the best known kernel for a
 * problem on the caller's stream. No exceptions, no printing; every function that can fail returns a wt_status and
 * leaves a sentence in wt_last_error() of the calling thread. All handles may be shared among threads. */
#ifndef WARPTUNE_WARPTUNE_H
#define WARPTUNE_WARPTUNE_H

#include <stddef.h>
#include <stdint.h>

#if defined(WARPTUNE_BUILDING)
#define WT_API __attribute__((visibility("default")))
#else
#define WT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wt_status {
  WT_OK = 0,
  WT_BAD_INPUT = 2,    /* unknown kernel, dim, dtype or flag; wrong arguments */
  WT_NO_DEVICE = 3,    /* no driver, no current context, device unusable */
  WT_NO_CANDIDATE = 4, /* no configuration is valid for this problem */
  WT_DATABASE = 5,     /* cannot open or read the database */
  WT_INTERNAL = 6
} wt_status;

typedef enum wt_match {
  WT_MATCH_EXACT = 0,
  WT_MATCH_NEAREST_SHAPE = 1,
  WT_MATCH_OTHER_DEVICE = 2,
  WT_MATCH_DEFAULT = 3
} wt_match;

typedef struct wt_library wt_library;     /* an opened database */
typedef struct wt_operation wt_operation; /* a kernel selected for one problem on one device, ready to launch */

#define WT_BUFFER_ALIGNMENT 16     /* bytes: every buffer's address is a multiple of it */
#define WT_WORKSPACE_ALIGNMENT 256 /* bytes: the workspace's; all memory of cuMemAlloc and cudaMalloc has it */

WT_API const char* wt_version(void);
WT_API const char* wt_last_error(void); /* of this thread; valid until its next failure */
WT_API const char* wt_match_name(wt_match match);

/* path NULL: $WARPTUNE_DB, else the user's data directory. Needs no device. What is recorded later is seen by the next
 * wt_open. */
WT_API wt_status wt_open(const char* path, wt_library** out);
WT_API void wt_close(wt_library* library); /* operations stay valid */

/* The kernels in the database, by name. Valid until wt_close. */
WT_API int wt_kernel_count(const wt_library* library);
WT_API const char* wt_kernel_name(const wt_library* library, int index);

/* What wt_prepare would choose and why, without a device, a compiler or a launch. device: the name or UUID of a device
 * in the database ("NVIDIA H200"), an architecture ("sm_90"), or NULL for the current context's device. match may be
 * NULL. *text: one sentence, valid until this thread's next wt_explain. */
WT_API wt_status wt_explain(const wt_library* library, const char* kernel, const char* shape, const char* dtype,
                            const char* flags, const char* device, wt_match* match, const char** text);

/* Selects for the current CUDA context's device, loading or compiling the kernel where needed (up to seconds). Asked
 * for the same again, with the same texts in the same context, it neither locks nor allocates. kernel: a name in the
 * database or of a shipped template. shape "rows=32768,cols=4096"; dtype "bf16" or NULL for the kernel's default; flags
 * "layout=nt,..." or NULL for their defaults. */
WT_API wt_status wt_prepare(wt_library* library, const char* kernel, const char* shape, const char* dtype,
                            const char* flags, wt_operation** out);
WT_API void wt_release(wt_operation* operation);

/* Texts are valid until wt_release. */
WT_API wt_match wt_operation_match(const wt_operation* operation);
WT_API const char* wt_operation_config(const wt_operation* operation);  /* "WARPS=4,VEC=8" */
WT_API const char* wt_operation_explain(const wt_operation* operation); /* which rule chose it and why */
WT_API size_t wt_operation_workspace_bytes(const wt_operation* operation);

/* What wt_launch takes, in order: the kernel's input, output and inout buffers and parameter scalars. arg_bytes: the
 * size of the buffer, or of the scalar itself. Outside the range: NULL, 0. */
WT_API int wt_operation_arg_count(const wt_operation* operation);
WT_API const char* wt_operation_arg_name(const wt_operation* operation, int index);
WT_API const char* wt_operation_arg_dtype(const wt_operation* operation, int index); /* "bf16" */
WT_API size_t wt_operation_arg_bytes(const wt_operation* operation, int index);
WT_API int wt_operation_arg_is_buffer(const wt_operation* operation, int index);

/* args[i] points to the value of argument i: to a device pointer (void*) for a buffer, to a number of the declared type
 * for a scalar. workspace: device memory of wt_operation_workspace_bytes, or NULL when that is 0; launches that may run
 * at the same time need one each. stream: a CUstream or cudaStream_t of the context that the operation was prepared in,
 * which has to be current. Neither locks, allocates nor waits for the device. */
WT_API wt_status wt_launch(const wt_operation* operation, const void* const* args, int arg_count, void* workspace,
                           void* stream);

#ifdef __cplusplus
}
#endif
#endif
