// The worker process: creates the backend for --device and answers requests on the inherited socket until it closes.
#include "worker/worker_main.h"

#include "profiler/nvtx_range.h"
#include "spec/config.h"
#include "worker/backend.h"
#include "worker/protocol.h"
#include "worker/worker_process.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <utility>

namespace warptune {
namespace {

template <class T> Reply reply_of(Result<T> result) {
  if (!result) return std::move(result.error());
  return std::move(*result);
}

class Server {
 public:
  Server(MakeBackend make_backend, std::string device, std::string cache)
      : make_backend_(std::move(make_backend)), device_(std::move(device)), cache_(std::move(cache)) {}

  Reply answer(Request request) {
    if (!backend_) {
      // Created at the first request, so that a missing device is reported as an error instead of ending the process.
      auto made = make_backend_(device_, cache_);
      if (!made) return made.error();
      backend_ = std::move(*made);
    }
    return std::visit([this](auto& task) { return perform(task); }, request);
  }

 private:
  Reply perform(DeviceQuery&) { return reply_of(backend_->device()); }
  Reply perform(RoofsQuery&) { return reply_of(backend_->measure_roofs()); }
  Reply perform(SetKernelTask& t) {
    spec_ = t.setup.kernel.spec;
    return done(backend_->set_kernel(t.setup));
  }
  Reply perform(OpenTask& t) {
    const NvtxRange range("open " + t.setup.kernel.spec.name);
    spec_ = t.setup.kernel.spec;
    return done(backend_->open(t.setup));
  }
  Reply perform(CompileTask& t) {
    const NvtxRange range(label("compile", t.config));
    return backend_->compile(t.config, t.device, t.timeout_s);
  }
  Reply perform(EvaluateTask& t) {
    const NvtxRange range(label("evaluate", t.config));
    return backend_->evaluate(t.config, t.compiled, t.options);
  }
  Reply perform(RoundTask& t) {
    const NvtxRange range("round of finals");
    return reply_of(backend_->round(t.configs, t.compiled, t.idle_us, t.cold_l2));
  }
  Reply perform(ProfileTask& t) {
    const NvtxRange range("profile");
    return reply_of(backend_->profile(t.configs, t.compiled, t.metrics, t.cold_l2));
  }
  Reply perform(CheckTask& t) {
    const NvtxRange range(label("check", t.config));
    return reply_of(backend_->check(t.config, t.problem, t.seed));
  }

  Reply perform(VerifyTask& t) {
    const NvtxRange range(label("verify", t.config));
    return reply_of(backend_->verify_once_more(t.config, t.compiled));
  }

  Reply perform(ExamineTask& t) {
    const NvtxRange range(label("examine", t.config));
    return reply_of(backend_->examine(t.config, t.compiled, t.what));
  }

  Reply perform(SampleTask& t) {
    const NvtxRange range(label("sample", t.config));
    return reply_of(backend_->sample(t.config, t.compiled, t.us, t.cold_l2));
  }

  Reply perform(CountTask& t) {
    const NvtxRange range(label("count", t.config));
    return reply_of(backend_->count_instructions(t.config, t.compiled));
  }

  Reply perform(PowerTask& t) {
    const NvtxRange range(label("power", t.config));
    return reply_of(backend_->measure_power(t.config, t.compiled, t.window_s));
  }

  std::string label(const char* step, const Config& config) const {
    return fmt::format("{} {} {}", step, spec_.name, config_text(spec_, config));
  }

  Reply done(Result<void> result) {
    if (!result) return std::move(result.error());
    return Done{backend_->notes()};
  }

  MakeBackend make_backend_;
  std::string device_, cache_;
  std::unique_ptr<Backend> backend_;
  KernelSpec spec_; // for the names of NVTX ranges
};

bool write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = send(kWorkerFd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// The next complete message; nullopt after the coordinator closed the socket.
std::optional<std::string> read_message(FrameReader& reader) {
  std::array<char, 65536> chunk;
  while (true) {
    auto body = reader.next();
    if (!body) return std::nullopt;
    if (*body) return std::move(*body);
    const ssize_t n = recv(kWorkerFd, chunk.data(), chunk.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    reader.feed({chunk.data(), static_cast<std::size_t>(n)});
  }
}

// The bytes of a reply; if it is too long, those of an error that says so.
std::string framed(const Reply& reply) {
  auto message = frame(encode(reply));
  return message ? std::move(*message) : framed(message.error());
}

Reply answer_safely(Server& server, const std::string& body) {
  try {
    auto request = decode_request(body);
    if (!request) return request.error();
    return server.answer(std::move(*request));
  } catch (const std::exception& e) {
    return Error{ErrorKind::internal, fmt::format("the worker process failed: {}", e.what())};
  }
}

} // namespace

int worker_main(int argc, const char* const* argv, MakeBackend make_backend) {
  std::string device = "auto", cache;
  for (int i = 0; i + 1 < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--device") device = argv[i + 1];
    if (word == "--cache") cache = argv[i + 1];
  }
  struct stat status {};
  if (fstat(kWorkerFd, &status) != 0 || !S_ISSOCK(status.st_mode)) {
    std::fputs("__worker is started by warptune and must not be called directly\n", stderr);
    return static_cast<int>(ErrorKind::bad_input);
  }
  Server server(std::move(make_backend), device, cache);
  FrameReader reader;
  while (auto body = read_message(reader))
    if (!write_all(framed(answer_safely(server, *body)))) break;
  return 0;
}

} // namespace warptune
