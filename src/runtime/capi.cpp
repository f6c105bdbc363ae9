// The C interface: checks handles, turns errors into a status and a message, and lets no exception out. Warm lookups
// are answered here; everything else is done by Library.
#include "core/small_buffer.h"
#include "runtime/capi_errors.h"
#include "runtime/capi_library.h"
#include "warptune/build_config.h"
#include "warptune/warptune.h"

#include <new>
#include <string>
#include <string_view>

namespace {

using namespace warptune::capi;

thread_local ThreadText<8192> explanation;

std::string_view text_or_empty(const char* text) { return text == nullptr ? "" : text; }

using Dims = std::span<const std::int64_t>;

// Refuses null arguments, a negative count and an invalid alignment. `alignment` becomes the alignment to select for.
wt_status check_selection(const char* function, const wt_kernel* kernel, const std::int64_t* dims, int dim_count,
                          std::size_t& alignment) noexcept {
  if (kernel == nullptr) return null_argument(function, "kernel");
  if (dim_count < 0)
    return guarded([&] {
      return bad_argument(function, "dim_count is " + std::to_string(dim_count) + "; it must be at least 0");
    });
  if (dims == nullptr && dim_count > 0) return null_argument(function, "dims");
  if ((alignment & (alignment - 1)) != 0)
    return guarded([&] {
      return bad_argument(function, "the alignment " + std::to_string(alignment) +
                                        " is not a power of two; give an alignment that all buffers have, or 0");
    });
  if (alignment == 0 || alignment > WT_BUFFER_ALIGNMENT) alignment = WT_BUFFER_ALIGNMENT;
  return WT_OK;
}

Dims dims_of(const std::int64_t* dims, int dim_count) { return {dims, static_cast<std::size_t>(dim_count)}; }

// Returns WT_OK and the operation, warm or cold.
wt_status find_operation(const wt_kernel* kernel, Dims dims, std::size_t alignment, void* stream,
                         const wt_operation** out) noexcept {
  const auto wanted = static_cast<std::uint32_t>(alignment);
  *out = kernel->value.find_warm(dims, wanted);
  if (*out != nullptr) return WT_OK;
  return guarded([&] {
    const auto selected = kernel->value.library.select(*kernel, dims, wanted, static_cast<CUstream>(stream));
    if (!selected) return set_error(selected.error());
    *out = *selected;
    return WT_OK;
  });
}

std::uint64_t address_bits(const void* arg) noexcept {
  std::uint64_t address = 0;
  if (arg != nullptr) std::memcpy(&address, arg, sizeof address);
  return address;
}

// The lowest bit that is set in one of these numbers.
std::size_t lowest_bit(std::uint64_t bits) noexcept { return static_cast<std::size_t>(bits & (~bits + 1)); }

struct Alignments {
  std::size_t all = WT_BUFFER_ALIGNMENT;     // the alignment that all buffers have
  std::size_t largest = WT_BUFFER_ALIGNMENT; // the alignment that the largest buffers have
};

// Null pointers and null arguments are refused by the launch. Arguments that do not exist for these dims are ignored.
wt_status find_alignments(const wt_kernel* kernel, Dims dims, const void* const* args, Alignments& out) noexcept {
  const warptune::KernelHandle& handle = kernel->value;
  std::uint64_t bits = WT_BUFFER_ALIGNMENT;
  if (!handle.has_optional_args) {
    for (std::size_t i = 0; i < handle.signature.args.size(); ++i)
      if (handle.signature.args[i].kind == WT_ARG_BUFFER) bits |= address_bits(args[i]);
    out.all = out.largest = lowest_bit(bits);
    if (out.all == WT_BUFFER_ALIGNMENT) return WT_OK;
  }
  const warptune::PresentBuffers* present = handle.find_present(dims);
  if (present == nullptr) {
    const wt_status found = guarded([&] {
      const auto cold = handle.library.find_present(*kernel, dims);
      if (!cold) return set_error(cold.error());
      present = *cold;
      return WT_OK;
    });
    if (found != WT_OK) return found;
  }
  const auto alignment_of = [&](const std::vector<std::size_t>& buffers) {
    std::uint64_t addresses = WT_BUFFER_ALIGNMENT;
    for (const std::size_t i : buffers) addresses |= address_bits(args[i]);
    return lowest_bit(addresses);
  };
  out = {alignment_of(present->all), alignment_of(present->largest)};
  return WT_OK;
}

// Whether the operation can be launched with these buffers and this workspace.
bool takes(const warptune::Operation& operation, const void* const* args, std::size_t workspace_bytes) noexcept {
  return operation.workspace_bytes <= workspace_bytes &&
         std::all_of(operation.args.begin(), operation.args.end(), [&](const warptune::OperationArg& arg) {
           return arg.kind != WT_ARG_BUFFER || (address_bits(args[arg.position]) & (arg.alignment - 1)) == 0;
         });
}

// A selection takes one alignment for all buffers. Small buffers, such as a scale or indices, may begin anywhere, and
// often need less than the large ones. So the operation for the alignment of the largest buffers comes first.
wt_status find_operation_for(const wt_kernel* kernel, Dims dims, const void* const* args, std::size_t workspace_bytes,
                             void* stream, const wt_operation** out) noexcept {
  Alignments alignments;
  if (const wt_status found = find_alignments(kernel, dims, args, alignments); found != WT_OK) return found;
  if (alignments.largest > alignments.all && find_operation(kernel, dims, alignments.largest, stream, out) == WT_OK &&
      takes((*out)->value, args, workspace_bytes))
    return WT_OK;
  return find_operation(kernel, dims, alignments.all, stream, out);
}

// Refuses null arguments and a wrong number of arguments.
wt_status check_arguments(const char* function, const wt_kernel* kernel, const void* const* args,
                          int arg_count) noexcept {
  if (args == nullptr && arg_count > 0) return null_argument(function, "args");
  if (arg_count >= 0 && static_cast<size_t>(arg_count) == kernel->value.signature.args.size()) return WT_OK;
  return guarded([&] {
    std::string names;
    for (const auto& arg : kernel->value.signature.args) names += (names.empty() ? "" : ", ") + arg.name;
    return bad_argument(function, warptune::given_text(arg_count, "argument") + " and " + kernel->value.name +
                                      " takes " + std::to_string(kernel->value.signature.args.size()) + ": " + names);
  });
}

wt_status launch_operation(const wt_operation* operation, const void* const* args, int arg_count, void* workspace,
                           std::size_t workspace_bytes, void* stream, warptune::CurrentContext in) noexcept {
  return guarded([&] {
    const auto count = arg_count > 0 ? static_cast<std::size_t>(arg_count) : 0;
    const auto launched = warptune::launch(operation->value, {args, count}, workspace, workspace_bytes,
                                           static_cast<CUstream>(stream), in);
    return launched ? WT_OK : set_error(launched.error());
  });
}

wt_status give_explanation(const warptune::Result<warptune::Choice>& choice, wt_match* match, const char** text) {
  if (!choice) return set_error(choice.error());
  *text = explanation.set(choice->explanation);
  if (match != nullptr) *match = match_of(choice->selection.match);
  return WT_OK;
}

} // namespace

const char* wt_version() { return warptune::kVersion; }
const char* wt_last_error() { return last_error(); }

wt_status wt_open(const char* path, wt_library** out) { return wt_open_with(path, nullptr, out); }

wt_status wt_open_with(const char* path, const wt_options* options, wt_library** out) {
  if (out == nullptr) return null_argument("wt_open", "out");
  *out = nullptr;
  return guarded([&] {
    if (path != nullptr && *path == '\0')
      return bad_argument("wt_open",
                          "the path is empty; name a pack or a database, or pass NULL (in C++ and Python: no "
                          "path) for $WARPTUNE_DB or the user's own database");
    warptune::LibraryOptions wanted;
    if (options != nullptr) {
      // Later versions append members: those that the application's version lacks keep their defaults.
      if (options->size < offsetof(wt_options, jit) + sizeof options->jit || options->size > 4096)
        return bad_argument("wt_open_with",
                            "options->size is " + std::to_string(options->size) + "; set it to sizeof(wt_options)");
      wanted.jit = options->jit;
      if (options->size >= offsetof(wt_options, misses_path) + sizeof options->misses_path)
        wanted.misses_path = text_or_empty(options->misses_path);
      if (options->size >= offsetof(wt_options, allow_vendor) + sizeof options->allow_vendor) {
        if (options->allow_vendor != 0 && options->allow_vendor != 1)
          return bad_argument("wt_open_with",
                              "the option allow_vendor is " + std::to_string(options->allow_vendor) + "; give 0 or 1");
        wanted.allow_vendor = options->allow_vendor == 1;
      }
    }
    auto library = warptune::Library::open(std::string(text_or_empty(path)), wanted);
    if (!library) return set_error(library.error());
    *out = new wt_library{std::move(*library)};
    return WT_OK;
  });
}

// In a forked child the copied locks may never be released and the copied threads do not run: leave the library as it
// is.
void wt_close(wt_library* library) {
  if (library != nullptr && library->value->forks() == warptune::current_forks()) delete library;
}

wt_status wt_reload(wt_library* library, int* changed) {
  if (changed != nullptr) *changed = 0;
  if (library == nullptr) return null_argument("wt_reload", "library");
  return guarded([&] {
    const auto reloaded = library->value->reload();
    if (!reloaded) return set_error(reloaded.error());
    if (changed != nullptr) *changed = *reloaded ? 1 : 0;
    return WT_OK;
  });
}

wt_status wt_write_misses(const wt_library* library, const char* path) {
  if (library == nullptr) return null_argument("wt_write_misses", "library");
  return guarded([&] {
    const auto written = library->value->write_misses(std::string(text_or_empty(path)));
    return written ? WT_OK : set_error(written.error());
  });
}

wt_status wt_find_kernel(wt_library* library, const char* kernel, const char* dtype, const char* flags,
                         const wt_kernel** out) {
  if (out == nullptr) return null_argument("wt_find_kernel", "out");
  *out = nullptr;
  if (library == nullptr) return null_argument("wt_find_kernel", "library");
  if (kernel == nullptr) return null_argument("wt_find_kernel", "kernel");
  return guarded([&] {
    const auto found = library->value->find_kernel(kernel, text_or_empty(dtype), text_or_empty(flags));
    if (!found) return set_error(found.error());
    *out = *found;
    return WT_OK;
  });
}

wt_status wt_select(const wt_kernel* kernel, const int64_t* dims, int dim_count, size_t alignment, void* stream,
                    const wt_operation** out) {
  if (out == nullptr) return null_argument("wt_select", "out");
  *out = nullptr;
  if (const wt_status checked = check_selection("wt_select", kernel, dims, dim_count, alignment); checked != WT_OK)
    return checked;
  return find_operation(kernel, dims_of(dims, dim_count), alignment, stream, out);
}

wt_status wt_prefetch(const wt_kernel* kernel, const int64_t* dims, int dim_count, size_t alignment) {
  if (const wt_status checked = check_selection("wt_prefetch", kernel, dims, dim_count, alignment); checked != WT_OK)
    return checked;
  return guarded([&] {
    const auto done =
        kernel->value.library.prefetch(*kernel, dims_of(dims, dim_count), static_cast<std::uint32_t>(alignment));
    return done ? WT_OK : set_error(done.error());
  });
}

wt_status wt_prepare(wt_library* library, const char* kernel, const char* shape, const char* dtype, const char* flags,
                     const wt_operation** out) {
  if (out == nullptr) return null_argument("wt_prepare", "out");
  *out = nullptr;
  if (library == nullptr) return null_argument("wt_prepare", "library");
  if (kernel == nullptr) return null_argument("wt_prepare", "kernel");
  if (shape == nullptr) return null_argument("wt_prepare", "shape");
  return guarded([&] {
    const auto operation = library->value->prepare({kernel, shape, text_or_empty(dtype), text_or_empty(flags)});
    if (!operation) return set_error(operation.error());
    *out = *operation;
    return WT_OK;
  });
}

wt_status wt_explain(const wt_library* library, const char* kernel, const char* shape, const char* dtype,
                     const char* flags, const char* device, wt_match* match, const char** text) {
  if (text == nullptr) return null_argument("wt_explain", "text");
  *text = nullptr;
  if (library == nullptr) return null_argument("wt_explain", "library");
  if (kernel == nullptr) return null_argument("wt_explain", "kernel");
  if (shape == nullptr) return null_argument("wt_explain", "shape");
  return guarded([&] {
    return give_explanation(library->value->explain({kernel, shape, text_or_empty(dtype), text_or_empty(flags)},
                                                    std::string(text_or_empty(device))),
                            match, text);
  });
}

wt_status wt_kernel_explain(const wt_kernel* kernel, const int64_t* dims, int dim_count, size_t alignment,
                            const char* device, wt_match* match, const char** text) {
  if (text == nullptr) return null_argument("wt_kernel_explain", "text");
  *text = nullptr;
  if (const wt_status checked = check_selection("wt_kernel_explain", kernel, dims, dim_count, alignment);
      checked != WT_OK)
    return checked;
  return guarded([&] {
    return give_explanation(kernel->value.library.explain(*kernel, dims_of(dims, dim_count),
                                                          static_cast<std::uint32_t>(alignment),
                                                          std::string(text_or_empty(device))),
                            match, text);
  });
}

wt_status wt_launch(const wt_operation* operation, const void* const* args, int arg_count, void* workspace,
                    void* stream) {
  if (operation == nullptr) return null_argument("wt_launch", "operation");
  if (args == nullptr && arg_count > 0) return null_argument("wt_launch", "args");
  return launch_operation(operation, args, arg_count, workspace, operation->value.workspace_bytes, stream,
                          warptune::CurrentContext::any);
}

wt_status wt_select_for(const wt_kernel* kernel, const int64_t* dims, int dim_count, const void* const* args,
                        int arg_count, void* stream, const wt_operation** out) {
  if (out == nullptr) return null_argument("wt_select_for", "out");
  *out = nullptr;
  size_t alignment = 0;
  if (const wt_status checked = check_selection("wt_select_for", kernel, dims, dim_count, alignment); checked != WT_OK)
    return checked;
  if (const wt_status checked = check_arguments("wt_select_for", kernel, args, arg_count); checked != WT_OK)
    return checked;
  return find_operation_for(kernel, dims_of(dims, dim_count), args, SIZE_MAX, stream, out);
}

wt_status wt_run(const wt_kernel* kernel, const int64_t* dims, int dim_count, const void* const* args, int arg_count,
                 void* workspace, size_t workspace_bytes, void* stream) {
  size_t alignment = 0;
  if (const wt_status checked = check_selection("wt_run", kernel, dims, dim_count, alignment); checked != WT_OK)
    return checked;
  if (const wt_status checked = check_arguments("wt_run", kernel, args, arg_count); checked != WT_OK) return checked;
  const wt_operation* operation = nullptr;
  if (const wt_status selected =
          find_operation_for(kernel, dims_of(dims, dim_count), args, workspace_bytes, stream, &operation);
      selected != WT_OK)
    return selected;
  if (operation->value.args.size() == static_cast<size_t>(arg_count))
    return launch_operation(operation, args, arg_count, workspace, workspace_bytes, stream,
                            warptune::CurrentContext::this_one);
  // Skip the arguments that do not exist for this problem.
  const auto& wanted = operation->value.args;
  warptune::SmallBuffer<const void*, 128> present(wanted.size());
  if (present.data() == nullptr) return guarded([]() -> wt_status { throw std::bad_alloc(); });
  for (std::size_t i = 0; i < wanted.size(); ++i) present[i] = args[wanted[i].position];
  return launch_operation(operation, present.data(), static_cast<int>(wanted.size()), workspace, workspace_bytes,
                          stream, warptune::CurrentContext::this_one);
}
