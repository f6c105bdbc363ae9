/* warptune: the C interface of the runtime library. The library opens a tuning database, or a pack (a file of compiled
 * winners that `warptune pack` writes for an application). It launches the best known configuration of a kernel for a
 * problem on the caller's stream. A problem is one kernel with one shape, one dtype and one value of each flag. A
 * configuration is one value for each parameter that warptune tunes. The library throws no exceptions. It prints one
 * line on stderr in a first run (see wt_open), or if the file for untuned shapes (wt_options::misses_path) cannot be
 * written or is repaired. It prints nothing else. Every function that can fail returns a wt_status; after a
 * failure, wt_last_error() returns the message for the calling thread. Threads may share handles. */
#ifndef WARPTUNE_WARPTUNE_H
#define WARPTUNE_WARPTUNE_H

#include <stddef.h>
#include <stdint.h>

#if defined(WARPTUNE_BUILDING)
#define WT_API __attribute__((visibility("default")))
#else
#define WT_API
#endif

/* The version of this header; wt_version() returns the version of the library. A program built with version X.Y runs
 * with every library X.Z where Z >= Y. */
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
  WT_NO_CANDIDATE = 4, /* no configuration is valid for this problem, or none has a usable cubin */
  WT_DATABASE = 5,     /* cannot open or read the pack or database */
  WT_INTERNAL = 6,     /* a CUDA error, not enough host or device memory, or a bug in the library */
  WT_NOT_READY = 7     /* the stream is being captured and the selection was not prefetched; or the kernel is still
                          compiling and nothing else can run */
} wt_status;

/* The rule that chose a configuration. wt_explain says more. */
typedef enum wt_match {
  WT_MATCH_EXACT = 0,         /* the tuning result for this problem on this device */
  WT_MATCH_NEAREST_SHAPE = 1, /* the tuning result for the nearest shape on this device */
  WT_MATCH_OTHER_DEVICE = 2,  /* a tuning result of another device with the same architecture */
  WT_MATCH_DEFAULT = 3,       /* the default or another valid configuration, because no tuning result can be used */
  WT_MATCH_LEARNED = 4,       /* the choice of a rule that was learned from the times of other shapes on this device */
  WT_MATCH_EXPECTED_TIME = 5  /* a shipped kernel's shortest expected time: no usable result, or a slow one */
} wt_match;

typedef enum wt_arg_kind {
  WT_ARG_NONE = 0, /* no such argument */
  WT_ARG_BUFFER = 1,
  WT_ARG_FLOAT32 = 2,
  WT_ARG_FLOAT64 = 3,
  WT_ARG_INTEGER = 4, /* signed, unsigned or bool; wt_operation_arg_bytes is its size */
  WT_ARG_BITS16 = 5,  /* fp16, bf16: passed as their bits, because C has no type for them */
  WT_ARG_BITS8 = 6    /* fp8: passed as its bits */
} wt_arg_kind;

typedef struct wt_library wt_library;     /* an opened pack or database */
typedef struct wt_kernel wt_kernel;       /* a kernel with its dtype and flags chosen */
typedef struct wt_operation wt_operation; /* a kernel selected for one problem in one CUDA context, ready to launch */

#define WT_BUFFER_ALIGNMENT 16     /* bytes; the largest alignment of buffers that a selection assumes */
#define WT_WORKSPACE_ALIGNMENT 256 /* bytes; workspaces need this alignment; cuMemAlloc and cudaMalloc guarantee it */

/* The next four functions return static strings, except wt_last_error. */
WT_API const char* wt_version(void);                 /* "0.1.0" */
WT_API const char* wt_last_error(void);              /* this thread's last error; valid until the thread's next one */
WT_API const char* wt_status_name(wt_status status); /* "bad input" */
WT_API const char* wt_match_name(wt_match match);    /* "nearest shape" */

/* --- Libraries ---------------------------------------------------------------------------------------------------- */

/* The options of wt_open_with. For the defaults, set size to sizeof(wt_options), jit to -1, and all other members to
 * zero. */
typedef struct wt_options {
  size_t size;
  int jit; /* whether NVRTC compiles cubins that the file lacks. 0: never. 1: always. -1 (the default): only if the file
              is a database. With a database, wt_select compiles and waits. With a pack, a background thread compiles;
              meanwhile the best configuration that has a cubin runs. */
  const char* misses_path; /* the file for untuned shapes. A shape is added when it is first selected. wt_close also
                              writes counts. In each process, a shape counts once for each combination of buffer
                              alignment and CUDA context with which it was selected. "off": no file. NULL:
                              $WARPTUNE_MISSES; if this variable is not set, there is a file only in a first run (see
                              wt_open). If the file cannot be written, one line on stderr says so, and no call fails. */
  int allow_vendor; /* 1: configurations that call vendor libraries (such as the CUDA driver's copy) may be chosen.
                       0 (the default): only if $WARPTUNE_ALLOW_VENDOR is 1 */
} wt_options;

/* Opens a pack or a tuning database. path: the file; NULL: $WARPTUNE_DB or, if that is not set, the user's own
 * database; "" is WT_BAD_INPUT. Needs no device. Close *out with wt_close; after an error, *out is NULL.
 * A first run is a run of the application in which path is NULL and there is no database yet. Then shipped kernels are
 * compiled and launched with untuned configurations. Their shapes are collected in a file next to the path of the
 * future database (warptune.untuned.json for warptune.db). One line on stderr names this file; `warptune sweep` tunes
 * its shapes. */
WT_API wt_status wt_open(const char* path, wt_library** out);
WT_API wt_status wt_open_with(const char* path, const wt_options* options, wt_library** out); /* options may be NULL */

/* Closes the library. Its kernels and operations must not be used afterwards. Launches in progress still complete,
 * because cubins stay loaded until their context is destroyed. In a forked child process wt_close does nothing. */
WT_API void wt_close(wt_library* library);

/* If the library's file has changed, opens it again; later selections then use the new content. Operations that were
 * selected before do not change, and stay valid until wt_close. Sets *changed (may be NULL) to 1 if there was new
 * content, otherwise to 0. If reloading fails, the old content stays in use. */
WT_API wt_status wt_reload(wt_library* library, int* changed);

/* Writes a file for `warptune sweep` with the untuned shapes that were selected so far. If the file exists and was
 * written by warptune, merges the shapes into it; any other existing file is an error. path: NULL means the file of
 * wt_options::misses_path. Writes nothing if there are no untuned shapes. */
WT_API wt_status wt_write_misses(const wt_library* library, const char* path);

/* The kernels in the file, sorted by name. The strings are valid until wt_close; the count and the indices are valid
 * until wt_reload. */
WT_API int wt_kernel_count(const wt_library* library);
WT_API const char* wt_kernel_name(const wt_library* library, int index);

/* --- Kernels ------------------------------------------------------------------------------------------------------ */

/* kernel: a name in the file or, if the file is a database, also the name of a shipped kernel. dtype: such as "bf16";
 * NULL: the kernel's default. flags: such as "layout=nt,..."; NULL: all defaults. Needs no device. *out is valid
 * until wt_close; equal arguments give the same *out. */
WT_API wt_status wt_find_kernel(wt_library* library, const char* kernel, const char* dtype, const char* flags,
                                const wt_kernel** out);

WT_API int wt_kernel_dim_count(const wt_kernel* kernel);
WT_API const char* wt_kernel_dim_name(const wt_kernel* kernel, int index); /* "rows"; NULL if out of range */
/* A list dim such as "rows" (docs/spec.md, "Dims that are lists") is passed as four dims: rows_count, rows_sum,
 * rows_max and rows_min, in this order. Returns the name of the list dim to which this dim belongs; NULL if there is
 * none. The functions wt_kernel_dim_* skip dims with a fixed size ("value" in spec.json). */
WT_API const char* wt_kernel_dim_list(const wt_kernel* kernel, int index);
/* The size that the dim has if a shape string such as "m=8,n=8" omits it; -1 if there is no default or the index is out
 * of range. Functions that take sizes as numbers need a size for every dim. */
WT_API int64_t wt_kernel_dim_default(const wt_kernel* kernel, int index);
/* Computes the four numbers that stand for a list of sizes in the dims of a call: the count of the sizes, their sum,
 * the largest and the smallest size. Lists with the same four numbers select the same operation. count: 1 to 65536.
 * values: each at least 0; sum at most 2^40. */
WT_API wt_status wt_list_sizes(const int64_t* values, size_t count, int64_t sizes[4]);
/* The arguments of wt_run: the kernel's buffers (input, output, inout) and its scalars with the role "parameter", in
 * the order of spec.json. If an argument does not exist for a problem ("when" in spec.json), its entry in `args` may be
 * NULL.
 * wt_launch instead takes only the arguments that wt_operation_arg_* describe. */
WT_API int wt_kernel_arg_count(const wt_kernel* kernel);
WT_API const char* wt_kernel_arg_name(const wt_kernel* kernel, int index);
WT_API wt_arg_kind wt_kernel_arg_kind(const wt_kernel* kernel, int index);
/* The type of a scalar, such as "int32"; NULL for a buffer. */
WT_API const char* wt_kernel_arg_dtype(const wt_kernel* kernel, int index);

/* --- Selection ---------------------------------------------------------------------------------------------------- */

/* Selects the operation for these sizes on the device of the current CUDA context. The library owns *out, which is
 * valid until wt_close. The first call for a problem loads the cubin (milliseconds) or, if allowed, compiles it (up to
 * seconds). Later calls in the same context neither lock nor allocate. dims: dim_count sizes in the order of
 * wt_kernel_dim_name. alignment: a power of two; all buffers are aligned to this many bytes; 0 and values above
 * WT_BUFFER_ALIGNMENT mean WT_BUFFER_ALIGNMENT. stream: the stream of the launch. If this stream is being captured and
 * the selection was not prefetched, the call loads nothing and returns WT_NOT_READY, and the capture continues. */
WT_API wt_status wt_select(const wt_kernel* kernel, const int64_t* dims, int dim_count, size_t alignment, void* stream,
                           const wt_operation** out);

/* Does the work of wt_select in advance. Later selections with the same sizes and alignment in this context load
 * nothing, so they may run during a stream capture. If a background thread must compile the kernel, waits until it is
 * compiled. */
WT_API wt_status wt_prefetch(const wt_kernel* kernel, const int64_t* dims, int dim_count, size_t alignment);

/* Does the same as wt_select, with strings: shape "rows=32768,cols=4096". Assumes that buffers are aligned to
 * WT_BUFFER_ALIGNMENT. */
WT_API wt_status wt_prepare(wt_library* library, const char* kernel, const char* shape, const char* dtype,
                            const char* flags, const wt_operation** out);

/* These two functions say which configuration would be chosen, and why. They compile and launch nothing, and
 * need a GPU only if device is NULL. device: the name or UUID of a device in the file ("NVIDIA H200"), or an
 * architecture ("sm_90"); NULL: the device of the current context. match may be NULL. *text: one sentence, valid until
 * this thread calls one of these two functions again. */
WT_API wt_status wt_explain(const wt_library* library, const char* kernel, const char* shape, const char* dtype,
                            const char* flags, const char* device, wt_match* match, const char** text);
WT_API wt_status wt_kernel_explain(const wt_kernel* kernel, const int64_t* dims, int dim_count, size_t alignment,
                                   const char* device, wt_match* match, const char** text);

/* --- Operations --------------------------------------------------------------------------------------------------- */

/* The strings are valid as long as the operation is. */
WT_API wt_match wt_operation_match(const wt_operation* operation);
WT_API const char* wt_operation_config(const wt_operation* operation);  /* "WARPS=4,VEC=8" */
WT_API const char* wt_operation_explain(const wt_operation* operation); /* the rule that chose it, and the reason */
WT_API size_t wt_operation_workspace_bytes(const wt_operation* operation);
/* Expected slowdown compared with a result tuned for this shape: 0.02 is 2 %. 0 if the match is exact; negative if not
 * known. */
WT_API double wt_operation_predicted_loss(const wt_operation* operation);

/* The arguments of this operation: those of wt_kernel_arg_* that exist for its problem.
 * arg_bytes: the size of the buffer or scalar. arg_alignment: the alignment in bytes that the buffer needs; 0 for a
 * scalar. An index out of range gives NULL or 0. */
WT_API int wt_operation_arg_count(const wt_operation* operation);
WT_API const char* wt_operation_arg_name(const wt_operation* operation, int index);
WT_API const char* wt_operation_arg_dtype(const wt_operation* operation, int index); /* "bf16" */
WT_API size_t wt_operation_arg_bytes(const wt_operation* operation, int index);
WT_API size_t wt_operation_arg_alignment(const wt_operation* operation, int index);
WT_API int wt_operation_arg_is_buffer(const wt_operation* operation, int index);
WT_API int wt_operation_arg_is_written(const wt_operation* operation, int index); /* an output or inout buffer */
WT_API wt_arg_kind wt_operation_arg_kind(const wt_operation* operation, int index);

/* --- Launching ---------------------------------------------------------------------------------------------------- */

/* Launches the operation. args[i] points to the value of argument i: for a buffer, to a device pointer (void*); for a
 * scalar, to a number of the declared type. workspace: device memory of wt_operation_workspace_bytes, or NULL if this
 * size is 0; launches that may run at the same time need separate workspaces. stream: a CUstream or cudaStream_t of the
 * context in which the operation was selected; this context must be current. The call does not lock, allocate or wait
 * for the device, and may be captured into a CUDA graph. */
WT_API wt_status wt_launch(const wt_operation* operation, const void* const* args, int arg_count, void* workspace,
                           void* stream);

/* Selects the operation that wt_run launches with these arguments if its workspace is large enough. args, arg_count: as
 * in wt_run; scalars are not read. The operation is the one for the alignment of the largest buffers, if all buffers
 * have the alignment that this operation needs; otherwise, the one for the alignment that all buffers have. */
WT_API wt_status wt_select_for(const wt_kernel* kernel, const int64_t* dims, int dim_count, const void* const* args,
                               int arg_count, void* stream, const wt_operation** out);

/* Selects like wt_select_for, then launches like wt_launch. workspace_bytes: the size of workspace; if it is too small,
 * the error states the required size. */
WT_API wt_status wt_run(const wt_kernel* kernel, const int64_t* dims, int dim_count, const void* const* args,
                        int arg_count, void* workspace, size_t workspace_bytes, void* stream);

#ifdef __cplusplus
}
#endif
#endif
