/* warptune: the C interface of the runtime library. It opens a pack or a tuning database and launches the best known
 * kernel for a problem on the caller's stream. It throws no exceptions, and prints nothing except one line on stderr in
 * a first run (see wt_open). Every function that can fail returns a wt_status; wt_last_error() then returns a message
 * for the calling thread. Threads may share handles. */
#ifndef WARPTUNE_WARPTUNE_H
#define WARPTUNE_WARPTUNE_H

#include <stddef.h>
#include <stdint.h>

#if defined(WARPTUNE_BUILDING)
#define WT_API __attribute__((visibility("default")))
#else
#define WT_API
#endif

/* The version of this header; wt_version() returns the library's. Semantic versioning: programs built with X.Y run with
 * every later X.Z. */
#define WT_VERSION_MAJOR 0
#define WT_VERSION_MINOR 1
#define WT_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wt_status {
  WT_OK = 0,
  WT_BAD_INPUT = 2,    /* unknown kernel, dim, dtype or flag; wrong arguments */
  WT_NO_DEVICE = 3,    /* no driver, no current context, device unusable, process forked */
  WT_NO_CANDIDATE = 4, /* no configuration is valid for this problem, or none has a cubin here */
  WT_DATABASE = 5,     /* cannot open or read the pack or database */
  WT_INTERNAL = 6,     /* a CUDA error, not enough host or device memory, or a bug in the library */
  WT_NOT_READY = 7     /* the stream is being captured without a prefetch, or the kernel is still compiling */
} wt_status;

/* The rule that chose a configuration. wt_explain gives the details. */
typedef enum wt_match {
  WT_MATCH_EXACT = 0,         /* the tuning result for this problem on this device */
  WT_MATCH_NEAREST_SHAPE = 1, /* the tuning result for the nearest shape on this device */
  WT_MATCH_OTHER_DEVICE = 2,  /* a tuning result from another device of the same architecture */
  WT_MATCH_DEFAULT = 3,       /* no tuning result can be used: the default or another valid configuration */
  WT_MATCH_LEARNED = 4        /* chosen by a rule learned from the times of other shapes on this device */
} wt_match;

typedef enum wt_arg_kind {
  WT_ARG_NONE = 0, /* no such argument */
  WT_ARG_BUFFER = 1,
  WT_ARG_FLOAT32 = 2,
  WT_ARG_FLOAT64 = 3,
  WT_ARG_INTEGER = 4, /* signed, unsigned or bool; its size is wt_operation_arg_bytes */
  WT_ARG_BITS16 = 5,  /* fp16, bf16: passed as their bits, because C has no type for them */
  WT_ARG_BITS8 = 6    /* fp8: passed as its bits */
} wt_arg_kind;

typedef struct wt_library wt_library;     /* an opened pack or database */
typedef struct wt_kernel wt_kernel;       /* a kernel with its dtype and flags chosen */
typedef struct wt_operation wt_operation; /* a kernel selected for one problem in one CUDA context, ready to launch */

#define WT_BUFFER_ALIGNMENT 16     /* bytes: the largest alignment that a selection assumes for buffers */
#define WT_WORKSPACE_ALIGNMENT 256 /* bytes: the alignment of workspaces; cuMemAlloc and cudaMalloc guarantee it */

/* These strings are static, except that of wt_last_error. */
WT_API const char* wt_version(void);                 /* "0.1.0" */
WT_API const char* wt_last_error(void);              /* this thread's last error; valid until its next failure */
WT_API const char* wt_status_name(wt_status status); /* "bad input" */
WT_API const char* wt_match_name(wt_match match);    /* "nearest shape" */

/* --- Libraries ---------------------------------------------------------------------------------------------------- */

/* For wt_open_with. Set size to sizeof(wt_options), jit to -1 (its default) and the rest to zero. */
typedef struct wt_options {
  size_t size;
  int jit; /* whether NVRTC compiles cubins that the file lacks: 0 never, 1 always, -1 (the default) only for databases.
              With a database, wt_select compiles; with a pack, a background thread compiles while the default runs. */
  const char* misses_path; /* the file for untuned shapes: a shape is added when it is first selected, and wt_close
                              writes all counts. "off": no file. NULL: $WARPTUNE_MISSES; if that is not set, there is
                              a file only in a first run (see wt_open). If the file cannot be written, one line on
                              stderr says so, and no call fails. */
  int allow_vendor; /* 1: configurations that call vendor libraries (such as the CUDA driver's copy) may be chosen.
                       0 (the default): only if $WARPTUNE_ALLOW_VENDOR is 1 */
} wt_options;

/* path: a pack or a tuning database; NULL: $WARPTUNE_DB, else the user's own database; "" is WT_BAD_INPUT. Needs no
 * device. Close *out with wt_close; after an error it is NULL.
 * First run: if path is NULL and there is no database yet, shipped kernels are compiled and launched with untuned
 * configurations. Their shapes are collected in a file beside the future database (for warptune.db:
 * warptune.untuned.json). One line on stderr names this file; `warptune sweep` tunes its shapes. */
WT_API wt_status wt_open(const char* path, wt_library** out);
WT_API wt_status wt_open_with(const char* path, const wt_options* options, wt_library** out); /* options may be NULL */

/* Closes the library. Its kernels and operations must not be used afterwards. Running kernels still complete:
 * cubins stay loaded until their context is destroyed. In a forked child wt_close does nothing. */
WT_API void wt_close(wt_library* library);

/* Opens the file at the library's path again if it has changed. Kernels and later selections then use the new content;
 * existing operations do not change and stay valid until wt_close. Sets *changed (may be NULL) to 1 if there was new
 * content, otherwise to 0. If reloading fails, the previous content stays in use. */
WT_API wt_status wt_reload(wt_library* library, int* changed);

/* Writes the untuned shapes that were selected so far to a file for `warptune sweep`. If this function wrote the file
 * before, the shapes are merged into it; any other existing file is an error. path NULL: the file of
 * wt_options::misses_path. Writes nothing if there are no untuned shapes. */
WT_API wt_status wt_write_misses(const wt_library* library, const char* path);

/* The kernels in the file, by name. The returned strings are valid until wt_close; indices and the count, until
 * wt_reload. */
WT_API int wt_kernel_count(const wt_library* library);
WT_API const char* wt_kernel_name(const wt_library* library, int index);

/* --- Kernels ------------------------------------------------------------------------------------------------------ */

/* kernel: a name in the file or, if the file is a database, the name of a shipped template. dtype: "bf16", or NULL for
 * the kernel's default. flags: "layout=nt,...", or NULL for their defaults. Needs no device. The handle is valid until
 * wt_close; the same arguments give the same handle. */
WT_API wt_status wt_find_kernel(wt_library* library, const char* kernel, const char* dtype, const char* flags,
                                const wt_kernel** out);

WT_API int wt_kernel_dim_count(const wt_kernel* kernel);
WT_API const char* wt_kernel_dim_name(const wt_kernel* kernel, int index); /* "rows"; NULL outside the range */
/* The name of the list to which this dim belongs: "rows" for rows_count, rows_sum, rows_max and rows_min, in this
 * order. NULL for a plain dim. Dims with a fixed size ("value" in spec.json) are not listed. */
WT_API const char* wt_kernel_dim_list(const wt_kernel* kernel, int index);
/* The default size of the dim, used if a shape string such as "m=8,n=8" omits it. -1: the dim has no default, or the
 * index is outside the range. Functions that take sizes as numbers need every dim. */
WT_API int64_t wt_kernel_dim_default(const wt_kernel* kernel, int index);
/* Computes the four numbers that represent a list in the dims of a call: its count, sum, largest and smallest size.
 * Lists with the same numbers select the same operation. count: 1 to 65536. values: at least 0 each, 2^40 in total. */
WT_API wt_status wt_list_sizes(const int64_t* values, size_t count, int64_t sizes[4]);
/* The arguments that wt_run takes, in this order: the kernel's input, output and inout buffers and parameter scalars.
 * The address of an argument that does not exist for a problem ("when" in spec.json) may be NULL. wt_launch takes only
 * the arguments that wt_operation_arg_* list. */
WT_API int wt_kernel_arg_count(const wt_kernel* kernel);
WT_API const char* wt_kernel_arg_name(const wt_kernel* kernel, int index);
WT_API wt_arg_kind wt_kernel_arg_kind(const wt_kernel* kernel, int index);

/* --- Selection ---------------------------------------------------------------------------------------------------- */

/* Selects the operation for these sizes on the device of the current CUDA context. The library owns *out; it is valid
 * until wt_close. The first call for a problem loads the cubin, or compiles it if that is allowed (milliseconds; up to
 * seconds). Later calls in the same context neither lock nor allocate. dims: dim_count sizes in the order of
 * wt_kernel_dim_name. alignment: the alignment in bytes of all buffers, a power of two; 0 and values above
 * WT_BUFFER_ALIGNMENT mean WT_BUFFER_ALIGNMENT. stream: the stream of the launch. If it is being captured and the
 * selection was not prefetched, WT_NOT_READY is returned, nothing is loaded, and the capture continues. */
WT_API wt_status wt_select(const wt_kernel* kernel, const int64_t* dims, int dim_count, size_t alignment, void* stream,
                           const wt_operation** out);

/* Does the work of wt_select ahead of time. Later selections with the same sizes and alignment in this context load
 * nothing, so they may run during a capture. Waits for a background compilation. */
WT_API wt_status wt_prefetch(const wt_kernel* kernel, const int64_t* dims, int dim_count, size_t alignment);

/* Like wt_select, but with strings, such as shape "rows=32768,cols=4096". Assumes WT_BUFFER_ALIGNMENT for buffers. */
WT_API wt_status wt_prepare(wt_library* library, const char* kernel, const char* shape, const char* dtype,
                            const char* flags, const wt_operation** out);

/* Says what would be chosen and why. Needs no device and no compiler, and launches nothing. device: the name or UUID of
 * a device in the file ("NVIDIA H200"), an architecture ("sm_90"), or NULL for the current context's device. match may
 * be NULL. *text: one sentence, valid until this thread calls one of these two functions again. */
WT_API wt_status wt_explain(const wt_library* library, const char* kernel, const char* shape, const char* dtype,
                            const char* flags, const char* device, wt_match* match, const char** text);
WT_API wt_status wt_kernel_explain(const wt_kernel* kernel, const int64_t* dims, int dim_count, size_t alignment,
                                   const char* device, wt_match* match, const char** text);

/* --- Operations --------------------------------------------------------------------------------------------------- */

/* The strings are valid as long as the operation. */
WT_API wt_match wt_operation_match(const wt_operation* operation);
WT_API const char* wt_operation_config(const wt_operation* operation);  /* "WARPS=4,VEC=8" */
WT_API const char* wt_operation_explain(const wt_operation* operation); /* the rule that chose it, and why */
WT_API size_t wt_operation_workspace_bytes(const wt_operation* operation);
/* Expected slowdown compared with tuning this shape: 0.02 is 2 %. 0 if the match is exact; negative if unknown. */
WT_API double wt_operation_predicted_loss(const wt_operation* operation);

/* The arguments of this operation: those of wt_kernel_arg_* that exist for this problem.
 * arg_bytes: the size of the buffer or the scalar. arg_alignment: the alignment in bytes that the buffer needs; 0 for a
 * scalar. An index outside the range gives NULL or 0. */
WT_API int wt_operation_arg_count(const wt_operation* operation);
WT_API const char* wt_operation_arg_name(const wt_operation* operation, int index);
WT_API const char* wt_operation_arg_dtype(const wt_operation* operation, int index); /* "bf16" */
WT_API size_t wt_operation_arg_bytes(const wt_operation* operation, int index);
WT_API size_t wt_operation_arg_alignment(const wt_operation* operation, int index);
WT_API int wt_operation_arg_is_buffer(const wt_operation* operation, int index);
WT_API int wt_operation_arg_is_written(const wt_operation* operation, int index); /* an output or inout buffer */
WT_API wt_arg_kind wt_operation_arg_kind(const wt_operation* operation, int index);

/* --- Launching ---------------------------------------------------------------------------------------------------- */

/* args[i] points to the value of argument i: to a device pointer (void*) for a buffer, to a number of the declared type
 * for a scalar. workspace: device memory of wt_operation_workspace_bytes, or NULL if that is 0; concurrent launches
 * need separate workspaces. stream: a CUstream or cudaStream_t of the context in which the operation was selected; this
 * context must be current. The call does not lock, allocate or wait for the device, and may be captured into a graph.
 */
WT_API wt_status wt_launch(const wt_operation* operation, const void* const* args, int arg_count, void* workspace,
                           void* stream);

/* Calls wt_select with the alignment of the given buffers, then wt_launch. workspace_bytes: the size of the workspace;
 * if it is too small, the error states the required size. */
WT_API wt_status wt_run(const wt_kernel* kernel, const int64_t* dims, int dim_count, const void* const* args,
                        int arg_count, void* workspace, size_t workspace_bytes, void* stream);

#ifdef __cplusplus
}
#endif
#endif
