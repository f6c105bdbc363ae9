// The cold half of Library: the first selection of a shape in a context. It takes milliseconds, or a compilation;
// selections that are already cached never wait for it.
#include "gpu/capture.h"
#include "gpu/library_calls.h"
#include "jit/compiler.h"
#include "runtime/library.h"
#include "runtime/programs.h"
#include "spec/short_problem.h"

#include <fmt/format.h>
#include <set>
#include <utility>

namespace warptune {
namespace {

constexpr CUdeviceptr kPlaceholder = 1u << 20; // stands for a buffer's address until a launch sets the real one

// "blend n=1024"; the number of dims was checked.
std::string call_text(const KernelHandle& kernel, std::span<const std::int64_t> dims) {
  std::string text = kernel.name;
  for (std::size_t i = 0; i < dims.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? " " : ",", kernel.signature.dims[i], dims[i]);
  return text;
}

// The versions of the libraries that the plan calls, such as "; cublaslt 13.0".
std::string versions_text(const Driver& driver, const LaunchPlan& plan) {
  std::set<std::string> texts;
  for (const LibraryCallPlan& call : plan.library_calls)
    if (const auto library = find_vendor_library(call.library))
      if (const auto version = (*library)->version(driver)) texts.insert(call.library + " " + *version);
  return texts.empty() ? "" : fmt::format("; {}", fmt::join(texts, ", "));
}

void erase(std::vector<std::shared_ptr<Pending>>& list, const Pending& pending) {
  std::erase_if(list, [&](const auto& other) { return other.get() == &pending; });
}

} // namespace

struct Library::Where {
  const Driver* driver = nullptr;
  CUcontext context = nullptr;
  std::uint64_t context_id = 0;
};

struct Library::Cold {
  Where where;
  std::shared_ptr<const Catalog> content;
  std::shared_ptr<const TunedKernel> tuned;
  Problem problem;
  DeviceInfo device;
  std::uint32_t alignment = 0;
  bool by_expected_time = true; // whether the choice may be one that nobody measured
};

struct Library::Called {
  std::shared_ptr<const TunedKernel> tuned;
  Problem problem;
};

struct Library::Made {
  std::unique_ptr<wt_operation> operation; // null: nothing can run yet
  std::string better;                      // key of the program that replaces it once compiled; empty: none
  std::string arch;
  CompileRequest compile;
  std::optional<std::filesystem::path> apart; // see compile_where
};

Result<Library::Where> Library::find_context() {
  WT_TRY(const auto driver, find_driver());
  Where where{driver, nullptr, 0};
  unsigned long long id = 0;
  CUresult status = where.driver->cuCtxGetCurrent(&where.context);
  if (status == CUDA_SUCCESS && where.context == nullptr)
    return fail(ErrorKind::no_device, "no CUDA context is current on this thread; first call cudaSetDevice, or "
                                      "cuCtxSetCurrent with the context to launch in");
  if (status == CUDA_SUCCESS) status = where.driver->cuCtxGetId(where.context, &id);
  if (status != CUDA_SUCCESS)
    return fail(ErrorKind::no_device, fmt::format("the CUDA context of this thread cannot be used: {}",
                                                  cuda_error_text(*where.driver, status)));
  where.context_id = id;
  return where;
}

// Some defects of a stored program show only when it is loaded, and an older NVRTC may reject a program that was chosen
// by its expected time although it compiles the default.
Result<std::unique_ptr<wt_operation>> Library::make_from(const Cold& cold, Choice choice,
                                                         std::optional<Match>& passed_over) {
  const KernelSpec& spec = cold.tuned->kernel.spec;
  auto made = std::make_unique<wt_operation>();
  Operation& operation = made->value;
  operation.kernel = spec.name;
  operation.problem = problem_key(spec, choice.problem);
  WT_CHECK(describe_arguments(spec, choice.selection.config, choice.plan, operation));
  const std::vector<CUdeviceptr> placeholders(choice.plan.buffers.size(), kPlaceholder);
  const auto refuse = [&](const Error& error) {
    return fail(error.kind, fmt::format("cannot prepare {} {} with {}: {}", spec.name, short_problem(operation.problem),
                                        choice.config, error.message));
  };
  static const LoadedKernels no_kernels; // used for a plan without a program
  const Compiling how = compiling(*cold.tuned);
  const ProgramRequest request{choice.compile,
                               choice.program,
                               cold.device.arch,
                               cold.where.context_id,
                               how.jit == Jit::at_once,
                               how.apart,
                               [&](const std::string& hash) { return cold.content->cubin(hash); },
                               compiler_.find(choice.program.key)};
  const auto program =
      choice.plan.has_program() ? load_program(*cold.where.driver, request) : Result<const LoadedKernels*>(&no_kernels);
  if (!program && choice.selection.match == Match::expected_time) {
    passed_over = Match::expected_time;
  } else if (!program && program.error().kind == ErrorKind::no_candidate && how.jit != Jit::at_once &&
             !choice.program.stored.hash.empty()) {
    cold.content->set_unusable(choice.program.stored.hash, program.error().message);
    passed_over = choice.selection.match;
  }
  if (!program) return refuse(program.error());
  auto sequence = make_sequence(*cold.where.driver, choice.plan, **program, placeholders);
  if (!sequence) return refuse(sequence.error());
  operation.config = std::move(choice.config);
  operation.explanation = std::move(choice.explanation) + versions_text(*cold.where.driver, choice.plan);
  operation.match = choice.selection.match;
  operation.predicted_loss = operation.match == Match::exact ? 0 : choice.selection.predicted_loss.value_or(-1);
  operation.context = cold.where.context;
  operation.context_id = cold.where.context_id;
  operation.forks = forks_;
  operation.sequence = std::move(*sequence);
  return made;
}

Result<Library::Made> Library::make_operation(const Cold& cold) {
  // Each iteration excludes one more stored program, or the choice by expected time.
  Cold attempt = cold;
  for (std::string unusable;;) {
    std::optional<Match> passed_over;
    auto made = make_once(attempt, passed_over);
    if (passed_over) {
      unusable = made.error().message;
      if (passed_over == Match::expected_time) attempt.by_expected_time = false;
      continue;
    }
    if (!made && made.error().kind == ErrorKind::no_candidate && !unusable.empty() && attempt.by_expected_time)
      return fail(made.error().kind,
                  fmt::format("{}; an earlier choice failed too: {}", made.error().message, unusable));
    if (made && made->operation && !attempt.by_expected_time)
      made->operation->value.explanation += "; the choice by expected time failed: " + unusable;
    return made;
  }
}

Result<Library::Made> Library::make_once(const Cold& cold, std::optional<Match>& passed_over) {
  auto choice = choose(*cold.content, *cold.tuned, cold.problem, cold.alignment, cold.device, cold.where.context_id,
                       cold.by_expected_time);
  WT_CHECK(choice);
  const bool is_miss = choice->selection.match != Match::exact;
  Made result;
  const Compiling how = compiling(*cold.tuned);
  if (how.jit == Jit::in_background && refuse_missing(choice->program, cold.where.context_id, {})) {
    // An available program runs until the better one is compiled.
    result.better = choice->program.key;
    result.arch = cold.device.arch;
    result.compile = std::move(choice->compile);
    result.apart = how.apart;
    const std::string better = std::move(choice->config);
    choice = cold.content->choose(*cold.tuned, cold.problem, cold.alignment, cold.device,
                                  at_hand(cold.where.context_id, *cold.tuned));
    if (!choice && choice.error().kind != ErrorKind::no_candidate) return fail(choice.error());
    if (choice) choice->explanation += fmt::format("; {} is being compiled in the background", better);
  }
  if (choice) {
    WT_TRY(auto made, make_from(cold, std::move(*choice), passed_over));
    result.operation = std::move(made);
  }
  if (is_miss) collector_.add(cold.tuned->kernel.spec, cold.problem);
  return result;
}

Result<Library::Called> Library::find_called(const wt_kernel& kernel, const Catalog& content,
                                             std::span<const std::int64_t> dims) const {
  const KernelHandle& handle = kernel.value;
  Called called;
  WT_TRY(called.tuned, content.kernel(handle.name));
  const KernelSpec& spec = called.tuned->kernel.spec;
  if (signature_of(spec) != handle.signature)
    return fail(ErrorKind::bad_input,
                fmt::format("the dims or arguments of {} changed when the file was reloaded; call wt_find_kernel again",
                            handle.name));
  WT_TRY(auto shape, shape_of_call(spec, dims));
  WT_TRY(called.problem, make_problem(spec, std::move(shape), handle.dtype, handle.flags));
  return called;
}

Result<Library::Made> Library::make_anew(const wt_kernel& kernel, std::shared_ptr<const Catalog> content,
                                         const Where& where, std::span<const std::int64_t> dims,
                                         std::uint32_t alignment) {
  const KernelHandle& handle = kernel.value;
  Cold cold;
  cold.where = where;
  cold.content = std::move(content);
  cold.alignment = alignment;
  WT_TRY(auto called, find_called(kernel, *cold.content, dims));
  cold.tuned = std::move(called.tuned);
  cold.problem = std::move(called.problem);
  WT_TRY(auto device, current_device(where.context_id));
  cold.device = std::move(device);
  auto made = make_operation(cold);
  if (!made || made->better.empty() || made->operation) return made;
  // Nothing can run yet. Without NVRTC nothing ever will.
  if (auto nvrtc = find_nvrtc(); !nvrtc)
    return fail(
        ErrorKind::no_candidate,
        fmt::format("the file contains no cubin of {} for this shape on {}, and warptune cannot compile one: {}",
                    handle.name, cold.device.name, nvrtc.error().message));
  return made;
}

// Marks a selection as done in every case, so that threads waiting for it continue.
class AlwaysDone {
 public:
  AlwaysDone(KernelHandle::Cold& state, std::unique_lock<std::mutex>& lock, Pending& pending)
      : state_(state), lock_(lock), pending_(pending) {}
  ~AlwaysDone() {
    if (!lock_.owns_lock()) lock_.lock();
    pending_.is_done = true;
    erase(state_.pending, pending_);
    lock_.unlock();
    state_.changed.notify_all();
  }
  AlwaysDone(const AlwaysDone&) = delete;
  AlwaysDone& operator=(const AlwaysDone&) = delete;

 private:
  KernelHandle::Cold& state_;
  std::unique_lock<std::mutex>& lock_;
  Pending& pending_;
};

Result<const wt_operation*> result_of(const Pending& pending) {
  if (pending.operation == nullptr) return fail(pending.error);
  return pending.operation;
}

// The work is done once: threads that want the same selection wait for the first thread.
Result<const wt_operation*> Library::select_cold(const wt_kernel& kernel, const Where& where, const OperationKey& key) {
  KernelHandle::Cold& state = kernel.value.cold;
  std::unique_lock lock(state.mutex);
  Table& table = *state.tables.back();
  if (const wt_operation* known = table.find(key)) return known;
  for (const std::shared_ptr<Pending>& other : state.awaiting_compile)
    if (other->is_for(table, key)) return result_of(*other);
  for (const std::shared_ptr<Pending>& other : state.pending)
    if (other->is_for(table, key)) {
      const std::shared_ptr<Pending> pending = other; // a copy: the list may change during the wait
      state.changed.wait(lock, [&] { return pending->is_done; });
      return result_of(*pending);
    }
  const auto pending = std::make_shared<Pending>(table, key);
  state.pending.push_back(pending);
  const AlwaysDone done(state, lock, *pending); // on exceptions too, so that other threads do not wait for ever
  const auto content = state.content;
  lock.unlock();
  auto made = make_anew(kernel, content, where, key.dims, key.alignment);

  lock.lock();
  if (!made) {
    pending->error = made.error();
  } else if (made->operation) {
    state.operations.push_back(std::move(made->operation));
    table.put(key, state.operations.back().get());
    pending->operation = state.operations.back().get();
  } else {
    pending->error = {ErrorKind::not_ready,
                      fmt::format("{} is being compiled in the background, and the file contains no cubin that can run "
                                  "meanwhile; call again later, or call wt_prefetch",
                                  call_text(kernel.value, key.dims))};
    state.awaiting_compile.push_back(pending);
  }
  lock.unlock();
  if (made && !made->better.empty()) {
    const auto asked =
        compiler_.request(made->better, made->arch, made->compile, made->apart, [&state, &table, pending] {
          const std::lock_guard again(state.mutex);
          table.withdraw(pending->key());
          state.awaiting_compile.clear(); // the program may serve the other shapes, too
        });
    if (!asked) { // the compilation was not queued: waiting would not help
      lock.lock();
      pending->error = asked.error();
      erase(state.awaiting_compile, *pending);
    }
  }
  return result_of(*pending);
}

Result<const wt_operation*> Library::select(const wt_kernel& kernel, std::span<const std::int64_t> dims,
                                            std::uint32_t alignment, CUstream stream) {
  WT_TRY(auto where, find_where(kernel, dims));
  const OperationKey key{dims, alignment, where.context_id};
  if (!is_capturing(*where.driver, stream)) return select_cold(kernel, where, key);
  KernelHandle::Cold& state = kernel.value.cold;
  const std::lock_guard lock(state.mutex);
  const Table& table = *state.tables.back();
  if (const wt_operation* known = table.find(key)) return known;
  if (const wt_operation* before = table.find_withdrawn(key)) return before;
  return fail(ErrorKind::not_ready,
              fmt::format("{} was not selected before, and nothing may be loaded while the stream is being captured "
                          "into a graph; call wt_prefetch for this shape before the capture",
                          call_text(kernel.value, dims)));
}

Result<const wt_operation*> Library::select(const wt_kernel& kernel, std::span<const std::int64_t> dims,
                                            std::uint32_t alignment) {
  WT_TRY(const auto where, find_where(kernel, dims));
  return select_cold(kernel, where, {dims, alignment, where.context_id});
}

// Neither loads nor launches anything, so it may be called while the stream is being captured.
Result<const PresentBuffers*> Library::find_present(const wt_kernel& kernel, std::span<const std::int64_t> dims) {
  WT_TRY(const auto where, find_where(kernel, dims));
  WT_TRY(const auto device, current_device(where.context_id));
  KernelHandle::Cold& state = kernel.value.cold;
  std::unique_lock lock(state.mutex);
  PresenceTable& table = *state.presence_tables.back();
  const auto content = state.content;
  lock.unlock();
  WT_TRY(const auto called, find_called(kernel, *content, dims));
  auto present =
      std::make_unique<const PresentBuffers>(present_buffers(called.tuned->kernel.spec, called.problem, device.limits));

  lock.lock();
  const OperationKey key{dims, 0, where.context_id};
  if (const PresentBuffers* known = table.find(key)) return known; // added by another thread
  state.present.push_back(std::move(present));
  table.put(key, state.present.back().get());
  return state.present.back().get();
}

Result<void> Library::prefetch(const wt_kernel& kernel, std::span<const std::int64_t> dims, std::uint32_t alignment) {
  auto selected = select(kernel, dims, alignment);
  if (jit_ == Jit::in_background && (selected || selected.error().kind == ErrorKind::not_ready)) {
    compiler_.wait();
    selected = select(kernel, dims, alignment);
  }
  WT_CHECK(selected);
  return {};
}

// The context to select in, or an error if this call cannot be served.
Result<Library::Where> Library::find_where(const wt_kernel& kernel, std::span<const std::int64_t> dims) const {
  const KernelHandle& handle = kernel.value;
  WT_CHECK(check_not_forked(forks_));
  if (dims.size() != handle.signature.dims.size())
    return fail(ErrorKind::bad_input,
                fmt::format("{}, but {} has {}: {}", given_text(static_cast<std::int64_t>(dims.size()), "dim"),
                            handle.name, handle.signature.dims.size(), fmt::join(handle.signature.dims, ", ")));
  auto where = find_context();
  if (where) handle.driver.store(where->driver, std::memory_order_release);
  return where;
}

} // namespace warptune
