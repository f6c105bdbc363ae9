// Any sequence of calls of the C interface with any arguments, over a stand-in for the driver: each returns a
// documented status with a message, and the driver gets only launches that were requested. Handles are either the
// library's own or null.
#include "fuzz/bytes.h"
#include "support/fake_cuda.h"
#include "support/paths.h"
#include "unit/runtime/fixture.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>

using namespace warptune;

namespace {

constexpr std::int64_t kMaxElements = 1073741824; // from kBlendSpec

class Inputs : public fuzz::Bytes {
 public:
  using fuzz::Bytes::Bytes;
  // Small numbers, arbitrary numbers, and edge cases.
  std::int64_t number() {
    static constexpr std::array<std::int64_t, 8> kEdges = {0,       -1,        INT64_MIN, INT64_MAX,
                                                           1 << 10, 1LL << 40, 1 << 30,   (1 << 30) + 1};
    const std::uint8_t kind = byte();
    if (kind < 128) return kind * 8;
    if (kind < 192) return kEdges[kind % kEdges.size()];
    return static_cast<std::int64_t>(word());
  }
  std::string words() {
    static constexpr std::array<const char*, 8> kWords = {"blend",  "fp32",   "bf16",          "mode=plain",
                                                          "n=1024", "n=4096", "mode=clamped,", "Fake H200"};
    const std::uint8_t kind = byte();
    if (kind < 192) return kWords[kind % kWords.size()];
    std::string out;
    for (int i = kind % 16; i > 0; --i)
      if (const char c = static_cast<char>(byte()); c != '\0') out += c;
    return out;
  }
};

void require(bool holds) {
  if (!holds) std::abort();
}

wt_status checked(wt_status status) {
  require(std::strcmp(wt_status_name(status), "unknown") != 0);
  require(status == WT_OK || std::strlen(wt_last_error()) > 10);
  return status;
}

struct Setup {
  Setup() {
    setenv("WARPTUNE_LIBCUDA", (test::program_dir() / "libwt_fake_cuda.so").c_str(), 1);
    setenv("WARPTUNE_NVRTC", "libno_such_nvrtc.so", 1);
    setenv("XDG_CACHE_HOME", dir.path().c_str(), 1);
    test::add_tuned(path(), {{"n=1024;fp32;mode=plain", "WIDTH=4,SPLIT=1", "Fake H200", "fake image"},
                             {"n=4096;fp32;mode=plain", "WIDTH=4,SPLIT=2", "Fake H200", "fake image of two"},
                             {"n=64;bf16;mode=plain", "WIDTH=1,SPLIT=1", "Fake H200", "broken image"}});
    fake_set_context(reinterpret_cast<void*>(0x1000));
    fake_set_arg_count(4);
  }
  std::string path() const { return (dir / "t.db").string(); }
  test::TempDir dir;
};

class Session {
 public:
  explicit Session(const Setup& setup) : setup_(setup), library_(test::open_library(setup.path())) {
    fake_set_context(reinterpret_cast<void*>(0x1000));
  }
  ~Session() {
    fake_capture(nullptr);
    fake_fail_launches(0);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void call(Inputs& bytes) {
    switch (bytes.byte() % 13) {
    case 0:
      checked(wt_find_kernel(library_.get(), maybe(bytes, bytes.words()), maybe(bytes, bytes.words()),
                             maybe(bytes, bytes.words()), &kernel_));
      break;
    case 1:
      read_dims(bytes);
      if (checked(wt_select(kernel_, dims(), dim_count_, alignment(bytes), stream(bytes), &operation_)) == WT_OK)
        require(operation_ != nullptr && dim_count_ == 1 && dims_[0] >= 1 && dims_[0] <= kMaxElements);
      break;
    case 2:
      read_dims(bytes);
      checked(wt_prefetch(kernel_, dims(), dim_count_, alignment(bytes)));
      break;
    case 3:
      read_args(bytes);
      check_launch(checked(wt_launch(operation_, args(), arg_count_, pointer(bytes), stream(bytes))));
      break;
    case 4:
      read_dims(bytes);
      read_args(bytes);
      check_launch(checked(wt_run(kernel_, dims(), dim_count_, args(), arg_count_, pointer(bytes),
                                  static_cast<std::size_t>(bytes.number()), stream(bytes))));
      break;
    case 5: {
      read_dims(bytes);
      const char* text = nullptr;
      wt_match match = WT_MATCH_DEFAULT;
      if (checked(wt_kernel_explain(kernel_, dims(), dim_count_, alignment(bytes), maybe(bytes, bytes.words()), &match,
                                    &text)) == WT_OK)
        require(text != nullptr && std::strlen(text) > 10);
      break;
    }
    case 6:
      checked(wt_prepare(library_.get(), maybe(bytes, bytes.words()), maybe(bytes, bytes.words()),
                         maybe(bytes, bytes.words()), maybe(bytes, bytes.words()), &operation_));
      break;
    case 7:
      describe(static_cast<int>(bytes.number()));
      fake_capture(bytes.byte() % 2 == 0 ? nullptr : kStream);
      checked(wt_reload(library_.get(), nullptr));
      break;
    case 8: {
      const char* text = nullptr;
      if (checked(wt_explain(library_.get(), maybe(bytes, bytes.words()), maybe(bytes, bytes.words()),
                             maybe(bytes, bytes.words()), maybe(bytes, bytes.words()), maybe(bytes, bytes.words()),
                             nullptr, &text)) == WT_OK)
        require(text != nullptr && std::strlen(text) > 10);
      break;
    }
    case 9:
      describe_operation(static_cast<int>(bytes.number()));
      break;
    case 10:
      checked(wt_write_misses(library_.get(), maybe(bytes, (setup_.dir / bytes.words()).string())));
      break;
    case 11:
      open(bytes);
      break;
    default: // changes the driver: no context, another one, all contexts renewed, launches that fail
      fake_set_context(reinterpret_cast<void*>(static_cast<std::uintptr_t>(bytes.byte() % 4) * 0x1000));
      if (bytes.byte() % 4 == 0) fake_renew_contexts();
      fake_fail_launches(bytes.byte() < 192 ? 0 : bytes.byte());
    }
  }

 private:
  static inline void* const kStream = reinterpret_cast<void*>(0x77);

  const char* maybe(Inputs& bytes, const std::string& text) {
    texts_.push_back(text);
    return bytes.byte() < 16 ? nullptr : texts_.back().c_str();
  }
  void read_dims(Inputs& bytes) {
    const std::uint8_t kind = bytes.byte();
    dim_count_ = kind < 224 ? 1 : static_cast<int>(kind % 8) - 2;
    for (std::int64_t& dim : dims_) dim = 0;
    for (int i = 0; i < dim_count_; ++i) dims_[static_cast<std::size_t>(i)] = bytes.number();
    has_dims_ = kind != 223;
  }
  const std::int64_t* dims() const { return has_dims_ ? dims_.data() : nullptr; }
  static std::size_t alignment(Inputs& bytes) {
    const std::uint8_t kind = bytes.byte();
    return kind < 192 ? 0 : kind < 224 ? std::size_t{1} << kind % 32 : static_cast<std::size_t>(bytes.number());
  }
  static void* stream(Inputs& bytes) { return bytes.byte() < 128 ? nullptr : kStream; }
  static void* pointer(Inputs& bytes) {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(bytes.byte()) << 8 |
                                   (bytes.byte() < 224 ? 0 : bytes.byte()));
  }
  void read_args(Inputs& bytes) {
    const std::uint8_t kind = bytes.byte();
    arg_count_ = kind < 224 ? 3 : static_cast<int>(kind % 8) - 2;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = reinterpret_cast<std::uint64_t>(pointer(bytes));
      args_[i] = bytes.byte() < 4 ? nullptr : &values_[i];
    }
    has_args_ = kind != 223;
  }
  const void* const* args() const { return has_args_ ? args_.data() : nullptr; }

  // The launched kernel had three arguments, with buffers that are neither null nor unaligned.
  void check_launch(wt_status status) const {
    if (status != WT_OK) return;
    require(arg_count_ == 3 && has_args_ && args_[0] != nullptr && args_[1] != nullptr && args_[2] != nullptr);
    for (const std::size_t i : {0U, 2U}) require(values_[i] != 0);
  }
  void describe(int index) const {
    require((wt_kernel_dim_name(kernel_, index) != nullptr) == (index >= 0 && index < wt_kernel_dim_count(kernel_)));
    const bool is_arg = index >= 0 && index < wt_operation_arg_count(operation_);
    require((wt_operation_arg_name(operation_, index) != nullptr) == is_arg);
    require((wt_operation_arg_dtype(operation_, index) != nullptr) == is_arg);
    require((wt_operation_arg_kind(operation_, index) != WT_ARG_NONE) == is_arg);
    require(wt_kernel_name(library_.get(), index) == nullptr || index == 0);
  }

  void describe_operation(int index) const {
    const bool is_there = operation_ != nullptr;
    require((wt_operation_config(operation_) != nullptr) == is_there);
    require((wt_operation_explain(operation_) != nullptr) == is_there);
    require(std::strlen(wt_match_name(wt_operation_match(operation_))) > 0);
    require(std::strlen(wt_match_name(static_cast<wt_match>(index & 7))) > 0);
    require(std::strlen(wt_status_name(static_cast<wt_status>(index & 7))) > 0);
    (void)wt_operation_workspace_bytes(operation_);
    (void)wt_operation_predicted_loss(operation_);
    const bool is_arg = index >= 0 && index < wt_operation_arg_count(operation_);
    require(is_arg ||
            (wt_operation_arg_bytes(operation_, index) == 0 && wt_operation_arg_alignment(operation_, index) == 0 &&
             wt_operation_arg_is_written(operation_, index) == 0));
    require(!is_arg || wt_operation_arg_bytes(operation_, index) > 0);
  }
  void open(Inputs& bytes) {
    wt_options options{};
    options.size =
        bytes.byte() < 224 ? sizeof options : static_cast<std::size_t>(bytes.number()) % (sizeof options + 1);
    options.jit = static_cast<int>(bytes.byte()) - 128;
    const std::string misses = (setup_.dir / bytes.words()).string(),
                      missing = (setup_.dir / "none" / bytes.words()).string();
    options.misses_path = bytes.byte() < 128 ? nullptr : misses.c_str();
    wt_library* opened = nullptr;
    const char* path = bytes.byte() < 224 ? path_.c_str() : missing.c_str();
    if (checked(wt_open_with(path, bytes.byte() < 16 ? nullptr : &options, &opened)) != WT_OK)
      return require(opened == nullptr);
    library_.reset(opened);
    kernel_ = nullptr;
    operation_ = nullptr;
  }

  const Setup& setup_;
  test::LibraryHandle library_;
  const wt_kernel* kernel_ = nullptr;
  const wt_operation* operation_ = nullptr;
  std::array<std::int64_t, 8> dims_{};
  int dim_count_ = 0, arg_count_ = 0;
  bool has_dims_ = true, has_args_ = true;
  std::array<std::uint64_t, 8> values_{};
  std::array<const void*, 8> args_{};
  std::string path_ = setup_.path();
  std::deque<std::string> texts_; // a deque, so that the texts do not move
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Setup setup;
  Inputs bytes(data, size);
  Session session(setup);
  for (int calls = 0; !bytes.is_empty() && calls < 64; ++calls) session.call(bytes);
  return 0;
}
