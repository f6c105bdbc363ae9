// Library: the core of the runtime. Each wt_open makes one. A library owns the opened file and the kernels that the
// application uses, and selects operations that find_warm does not find (cold selections). Any number of threads and
// contexts may use a library. Only capi.cpp calls this code. This code uses only the handle types of the C interface
// (kernel.h, operation.h).
#pragma once

#include "runtime/background_compiler.h"
#include "runtime/catalog.h"
#include "runtime/file_stamp.h"
#include "runtime/kernel.h"
#include "runtime/shape_collector.h"

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warptune {

enum class Jit { off, at_once, in_background };

struct LibraryOptions {
  int jit = -1;              // wt_options::jit
  std::string misses_path;   // the argument `option` of ShapeCollector
  bool allow_vendor = false; // whether configurations may call libraries, as with $WARPTUNE_ALLOW_VENDOR=1
};

// A request as the application wrote it.
struct Request {
  std::string_view kernel, shape, dtype, flags;
};

class Library {
 public:
  static Result<std::unique_ptr<Library>> open(const std::string& path, const LibraryOptions& options);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  std::uint32_t forks() const { return forks_; }
  // The names stay valid as long as the library. Lock-free because a forked child may call this function: a lock that
  // another thread held during the fork is never released in the child.
  const std::vector<std::string>& kernel_names() const { return *live_names_.load(std::memory_order_acquire); }

  Result<bool> reload(); // returns whether there was new content
  Result<const wt_kernel*> find_kernel(std::string_view kernel, std::string_view dtype, std::string_view flags);

  // Selects for the current context. Call this function if find_warm found nothing. Error (not_ready): the stream is
  // being captured, or nothing can run until a background compile ends.
  Result<const wt_operation*> select(const wt_kernel& kernel, std::span<const std::int64_t> dims,
                                     std::uint32_t alignment, CUstream stream);
  // Selects without a stream: loads and compiles even while a stream is being captured.
  Result<const wt_operation*> select(const wt_kernel& kernel, std::span<const std::int64_t> dims,
                                     std::uint32_t alignment);
  // Returns the buffers that a call must pass. Call this function if the kernel's find_present found nothing.
  Result<const PresentBuffers*> find_present(const wt_kernel& kernel, std::span<const std::int64_t> dims);
  Result<void> prefetch(const wt_kernel& kernel, std::span<const std::int64_t> dims, std::uint32_t alignment);
  Result<const wt_operation*> prepare(const Request& request);

  // `device`: as in Catalog::device; empty: the device of the current context.
  Result<Choice> explain(const Request& request, const std::string& device) const;
  Result<Choice> explain(const wt_kernel& kernel, std::span<const std::int64_t> dims, std::uint32_t alignment,
                         const std::string& device) const;

  Result<void> write_misses(const std::string& path) const; // an empty path means the library's own file

 private:
  struct Where;  // driver and context
  struct Cold;   // the input of one cold selection
  struct Made;   // the output of one cold selection
  struct Called; // the kernel and the problem of a call
  Library(const std::string& misses_path, const std::filesystem::path& absent) : collector_(misses_path, absent) {}
  void publish_names(const Catalog& catalog); // precondition: mutex_ is locked, or no caller has the library yet
  std::shared_ptr<const Catalog> content() const;
  Result<DeviceInfo> find_device(const Catalog& catalog, const std::string& name) const;
  Result<Choice> choose(const Catalog& catalog, const TunedKernel& tuned, const Problem& problem,
                        std::uint32_t alignment, const DeviceInfo& device, std::uint64_t context_id,
                        bool by_expected_time = true) const;
  std::optional<std::string> refuse_calls(const PlannedCandidate& candidate, std::uint64_t context_id) const;
  std::optional<std::string> refuse_missing(const NeededProgram& program, std::uint64_t context_id,
                                            const std::string& why_not_compiled) const;
  // Returns a rule that admits only programs that can run without being compiled now.
  ProgramRule at_hand(std::uint64_t context_id, const TunedKernel& tuned) const;
  // How a kernel's programs are compiled. Sources that came with the library are compiled in this process; other
  // sources in a separate process, or not at all.
  struct Compiling {
    Jit jit = Jit::off;
    std::optional<std::filesystem::path> apart; // the first argument of compile_where
    std::string why_not;                        // if compiling is not possible: a clause with the reason
    bool is_shipped = false;                    // whether the sources came with this library
  };
  Compiling compiling(const TunedKernel& tuned) const;

  static Result<Where> find_context();
  Result<Where> find_where(const wt_kernel& kernel, std::span<const std::int64_t> dims) const;
  Result<DeviceInfo> current_device(std::uint64_t context_id);
  Result<const wt_operation*> select_cold(const wt_kernel& kernel, const Where& where, const OperationKey& key);
  Result<Called> find_called(const wt_kernel& kernel, const Catalog& content, std::span<const std::int64_t> dims) const;
  Result<Made> make_anew(const wt_kernel& kernel, std::shared_ptr<const Catalog> content, const Where& where,
                         std::span<const std::int64_t> dims, std::uint32_t alignment);
  Result<Made> make_operation(const Cold& cold);
  // If the choice failed and the caller must choose again, sets `passed_over` to the match of the failed choice.
  Result<Made> make_once(const Cold& cold, std::optional<Match>& passed_over);
  Result<std::unique_ptr<wt_operation>> make_from(const Cold& cold, Choice choice, std::optional<Match>& passed_over);

  std::uint32_t forks_ = current_forks();
  Jit jit_ = Jit::off;
  bool allow_vendor_ = false;
  std::mutex reload_mutex_; // guards stamp_; lock it before mutex_
  FileStamp stamp_;
  mutable std::mutex mutex_; // guards the members up to collector_; lock it before a kernel's mutex
  std::shared_ptr<const Catalog> content_;
  std::vector<std::unique_ptr<const std::vector<std::string>>> names_; // kernel names: one list per loaded content
  std::atomic<const std::vector<std::string>*> live_names_{nullptr};
  std::vector<std::unique_ptr<wt_kernel>> kernels_;
  std::map<std::string, const wt_kernel*, std::less<>> kernel_by_key_;
  std::map<std::uint64_t, DeviceInfo> devices_;                  // keyed by context id
  mutable std::map<std::string, bool, std::less<>> are_shipped_; // keyed by the hash of the sources
  mutable ShapeCollector collector_;
  mutable BackgroundCompiler compiler_;
};

} // namespace warptune
