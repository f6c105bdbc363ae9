#include "runtime/library.h"

#include "core/text.h"
#include "gpu/capture.h"
#include "gpu/devices.h"
#include "gpu/library_calls.h"
#include "jit/compile_process.h"
#include "runtime/programs.h"

#include <fmt/format.h>

namespace warptune {
namespace {

std::vector<std::string> flag_texts(std::string_view flags) {
  std::vector<std::string> sets;
  if (!trim(flags).empty())
    for (const std::string_view piece : split(flags, ',')) sets.emplace_back(piece);
  return sets;
}

} // namespace

Result<std::unique_ptr<Library>> Library::open(const std::string& path, const LibraryOptions& options) {
  if (options.jit < -1 || options.jit > 1)
    return fail(ErrorKind::bad_input, fmt::format("the option jit is {}; give -1, 0 or 1", options.jit));
  // Take the stamp before reading the file, so that the next reload detects changes made while reading.
  const std::filesystem::path file = absolute_path(database_path(path));
  const FileStamp stamp = stamp_of(file);
  WT_TRY(auto catalog, path.empty() ? Catalog::open_or_empty(file) : Catalog::open(file.string()));
  std::unique_ptr<Library> library(new Library(options.misses_path, catalog->is_absent() ? file : ""));
  const bool is_pack = catalog->is_pack();
  library->jit_ = options.jit == 0 || (options.jit < 0 && is_pack) ? Jit::off
                  : is_pack                                        ? Jit::in_background
                                                                   : Jit::at_once;
  library->allow_vendor_ = options.allow_vendor || vendor_is_allowed();
  library->stamp_ = stamp;
  library->content_ = std::move(catalog);
  library->publish_names(*library->content_);
  return library;
}

Library::~Library() {
  compiler_.stop(); // the compiler's callbacks use the kernels
  collector_.close();
}

void Library::publish_names(const Catalog& catalog) {
  names_.push_back(std::make_unique<const std::vector<std::string>>(catalog.kernel_names()));
  live_names_.store(names_.back().get(), std::memory_order_release);
}

std::shared_ptr<const Catalog> Library::content() const {
  const std::lock_guard lock(mutex_);
  return content_;
}

Result<bool> Library::reload() {
  WT_CHECK(check_not_forked(forks_));
  const std::lock_guard lock(reload_mutex_); // so that the later of two reloads opens the later file
  const std::filesystem::path path = content()->path();
  const FileStamp stamp = stamp_of(path);
  if (stamp == stamp_) return false;
  auto catalog = Catalog::open(path.string());
  if (!catalog) return fail(catalog.error().kind, catalog.error().message + " (the previous content stays in use)");
  const std::lock_guard content_lock(mutex_);
  // What may fail comes first: without memory, all kernels keep the previous content, and the next reload tries again.
  std::vector<KernelHandle::Tables> tables;
  tables.reserve(kernels_.size());
  for (const auto& kernel : kernels_) tables.push_back(kernel->value.make_tables());
  std::shared_ptr<const Catalog> content = std::move(*catalog);
  publish_names(*content);
  content_ = std::move(content);
  stamp_ = stamp;
  for (std::size_t i = 0; i < kernels_.size(); ++i) kernels_[i]->value.follow(content_, std::move(tables[i]));
  return true;
}

Result<const wt_kernel*> Library::find_kernel(std::string_view kernel, std::string_view dtype, std::string_view flags) {
  WT_CHECK(check_not_forked(forks_));
  const auto catalog = content();
  WT_TRY(const auto tuned, catalog->kernel(std::string(kernel)));
  const KernelSpec& spec = tuned->kernel.spec;
  WT_TRY(const auto variant, make_problem(spec, shape_text(spec, smallest_shape(spec)), dtype, flag_texts(flags)));
  Signature signature = signature_of(spec);
  const std::string key = problem_key(spec, variant);

  const std::lock_guard lock(mutex_);
  const wt_kernel*& known = kernel_by_key_[fmt::format("{};{}", kernel, key)];
  // If newer content changed the dims or arguments, the old handle stays valid for its holders.
  if (known == nullptr || known->value.signature != signature) {
    kernels_.push_back(std::unique_ptr<wt_kernel>(
        new wt_kernel{{*this, std::string(kernel), variant.dtype, variant.flags, std::move(signature)}}));
    KernelHandle& made = kernels_.back()->value;
    made.follow(content_, made.make_tables());
    known = kernels_.back().get();
  }
  return known;
}

Result<const wt_operation*> Library::prepare(const Request& request) {
  WT_TRY(const auto kernel, find_kernel(request.kernel, request.dtype, request.flags));
  WT_TRY(const auto tuned, content()->kernel(kernel->value.name));
  WT_TRY(const auto shape, parse_shape(tuned->kernel.spec, request.shape));
  const std::vector<std::int64_t> dims = dims_of_call(tuned->kernel.spec, shape);
  if (const wt_operation* warm = kernel->value.find_warm(dims, WT_BUFFER_ALIGNMENT)) return warm;
  return select(*kernel, dims, WT_BUFFER_ALIGNMENT, nullptr);
}

// Says why the candidate's library calls are forbidden or impossible. context_id 0: opens no library; for an
// explanation.
std::optional<std::string> Library::refuse_calls(const PlannedCandidate& candidate, std::uint64_t context_id) const {
  const LaunchPlan& plan = candidate.plan;
  if (plan.library_calls.empty()) return std::nullopt;
  if (!allow_vendor_)
    return fmt::format("it calls {}, and library calls need the option allow_vendor",
                       plan.library_calls.front().name());
  if (context_id == 0) return std::nullopt;
  const auto driver = find_driver();
  if (!driver) return driver.error().message;
  const RelaxedCapture relaxed(**driver);
  const auto made = check_library_calls(**driver, plan);
  return made ? std::nullopt : std::optional(made.error().message);
}

// Says why the program cannot run without compiling. context_id 0: loads nothing; for an explanation.
std::optional<std::string> Library::refuse_missing(const NeededProgram& program, std::uint64_t context_id,
                                                   const std::string& why_not_compiled) const {
  if (program.key.empty() || !program.stored.hash.empty()) return std::nullopt;
  if (context_id != 0 && is_compiled_loaded(context_id, program.key)) return std::nullopt;
  if (compiler_.state(program.key) == BackgroundCompiler::State::ready) return std::nullopt;
  if (const std::string failure = compiler_.failure(program.key); !failure.empty())
    return "its source could not be compiled: " + failure;
  if (!program.unusable.empty()) return program.unusable;
  return "the file contains no cubin of this configuration for this shape, and " + why_not_compiled;
}

Library::Compiling Library::compiling(const TunedKernel& tuned) const {
  if (jit_ == Jit::off) return {Jit::off, {}, "compiling is switched off (the option jit)"};
  const std::string &name = tuned.kernel.spec.name, &hash = tuned.kernel.source_hash;
  std::optional<bool> is_own;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = are_shipped_.find(hash); known != are_shipped_.end()) is_own = known->second;
  }
  if (!is_own) {
    is_own = is_shipped(name, hash);
    const std::lock_guard lock(mutex_);
    are_shipped_.emplace(hash, *is_own);
  }
  if (*is_own) return {jit_, {}, {}, true};
  if (auto program = find_compile_program()) return {jit_, std::move(program), {}};
  return {Jit::off,
          {},
          "its source did not come with this library, so only the program warptune may compile it, and that program "
          "was not found; set WARPTUNE_PROGRAM to the program's path"};
}

ProgramRule Library::at_hand(std::uint64_t context_id, const TunedKernel& tuned) const {
  const auto refuse = [this, context_id, why_not = compiling(tuned).why_not](const PlannedCandidate& candidate) {
    auto why = refuse_calls(candidate, context_id);
    return why ? why : refuse_missing(candidate.program, context_id, why_not);
  };
  return {refuse, compiler_.is_idle(), false};
}

Result<Choice> Library::choose(const Catalog& catalog, const TunedKernel& tuned, const Problem& problem,
                               std::uint32_t alignment, const DeviceInfo& device, std::uint64_t context_id,
                               bool by_expected_time) const {
  const Compiling how = compiling(tuned);
  if (how.jit == Jit::off) return catalog.choose(tuned, problem, alignment, device, at_hand(context_id, tuned));
  // Refuse a program whose compilation already failed, so that it is not compiled again.
  const auto refuse = [&](const PlannedCandidate& candidate) -> std::optional<std::string> {
    if (auto why = refuse_calls(candidate, context_id)) return why;
    if (compiler_.state(candidate.program.key) != BackgroundCompiler::State::failed) return std::nullopt;
    return refuse_missing(candidate.program, context_id, {});
  };
  return catalog.choose(tuned, problem, alignment, device, {refuse, false, by_expected_time && how.is_shipped});
}

Result<Choice> Library::explain(const Request& request, const std::string& device) const {
  WT_CHECK(check_not_forked(forks_));
  const auto catalog = content();
  WT_TRY(const auto tuned, catalog->kernel(std::string(request.kernel)));
  WT_TRY(const auto problem, make_problem(tuned->kernel.spec, request.shape, request.dtype, flag_texts(request.flags)));
  WT_TRY(const auto info, find_device(*catalog, device));
  return choose(*catalog, *tuned, problem, WT_BUFFER_ALIGNMENT, info, 0);
}

Result<Choice> Library::explain(const wt_kernel& kernel, std::span<const std::int64_t> dims, std::uint32_t alignment,
                                const std::string& device) const {
  WT_CHECK(check_not_forked(forks_));
  const auto catalog = content();
  WT_TRY(const auto tuned, catalog->kernel(kernel.value.name));
  WT_TRY(auto shape, shape_of_call(tuned->kernel.spec, dims));
  WT_TRY(const auto problem,
         make_problem(tuned->kernel.spec, std::move(shape), kernel.value.dtype, kernel.value.flags));
  WT_TRY(const auto info, find_device(*catalog, device));
  return choose(*catalog, *tuned, problem, alignment, info, 0);
}

Result<DeviceInfo> Library::find_device(const Catalog& catalog, const std::string& name) const {
  if (!name.empty()) return catalog.device(name);
  WT_CHECK(find_driver());
  return current_cuda_device();
}

Result<DeviceInfo> Library::current_device(std::uint64_t context_id) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = devices_.find(context_id); known != devices_.end()) return known->second;
  }
  auto device = current_cuda_device();
  if (!device) return device;
  const std::lock_guard lock(mutex_);
  return devices_.emplace(context_id, std::move(*device)).first->second;
}

Result<void> Library::write_misses(const std::string& path) const {
  WT_CHECK(check_not_forked(forks_));
  return collector_.write(path);
}

} // namespace warptune
