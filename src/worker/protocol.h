// The messages between the coordinator and its worker processes. Each request has one reply; both are typed, and are
// sent as JSON after a four-byte length. This code knows the messages and their encoding, but not their senders or
// effects.
#pragma once

#include "core/result.h"
#include "worker/backend.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace warptune {

struct DeviceQuery {};
struct RoofsQuery {};
struct SetKernelTask {
  ProblemSetup setup;
};
struct OpenTask {
  ProblemSetup setup;
};
struct CompileTask {
  Config config;
  DeviceInfo device;
  double timeout_s = 0;
};
struct EvaluateTask {
  Config config;
  Compiled compiled;
  MeasureOptions options;
};
struct RoundTask {
  std::vector<Config> configs;
  std::vector<Compiled> compiled;
  bool cold_l2 = true;
  std::vector<float> idle_us = {};
};
struct ProfileTask {
  std::vector<Config> configs;
  std::vector<Compiled> compiled;
  std::string metrics;
  bool cold_l2 = true;
};
struct CheckTask {
  Config config;
  Problem problem;
  std::uint64_t seed = 0;
};
struct VerifyTask {
  Config config;
  Compiled compiled;
};
struct PowerTask {
  Config config;
  Compiled compiled;
  double window_s = 0;
};
struct ExamineTask {
  Config config;
  Compiled compiled;
  Examination what = Examination::usual;
};
struct SampleTask {
  Config config;
  Compiled compiled;
  double us = 0;
  bool cold_l2 = true;
};
struct CountTask {
  Config config;
  Compiled compiled;
};
using Request = std::variant<DeviceQuery, RoofsQuery, SetKernelTask, OpenTask, CompileTask, EvaluateTask, RoundTask,
                             ProfileTask, CheckTask, PowerTask, VerifyTask, ExamineTask, SampleTask, CountTask>;

struct Done {
  std::vector<std::string> notes;
}; // the reply to SetKernelTask and OpenTask, with Backend::notes
using Reply =
    std::variant<Error, Done, DeviceInfo, Roofs, Compiled, Evaluation, Round, Profiles, Verdict, Power, Samples>;

const char* request_name(const Request& request); // for display: "evaluate"
std::string encode(const Request& request);
std::string encode(const Reply& reply);
Result<Request> decode_request(std::string_view body); // parses the spec of a setup again from its spec.json
Result<Reply> decode_reply(std::string_view body);

// Framing. A length above this limit means that the sender is not a warptune worker. Error (internal): `body` is
// longer.
inline constexpr std::uint32_t kMaxMessageBytes = 256u << 20;
Result<std::string> frame(std::string_view body);

class FrameReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  Result<std::optional<std::string>> next(); // nullopt until a complete message body has arrived
  bool empty() const { return buffer_.empty(); }

 private:
  std::string buffer_;
};

} // namespace warptune
