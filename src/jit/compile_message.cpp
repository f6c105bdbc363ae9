#include "jit/compile_message.h"

#include "warptune/build_config.h"

#include <cstdint>
#include <cstring>
#include <utility>

namespace warptune {
namespace {

// Fields with their lengths. Integers have the byte order of this machine, because the cubin is for this machine.
class PayloadWriter {
 public:
  void put(std::int64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put(std::string_view text) {
    put(static_cast<std::int64_t>(text.size()));
    bytes_.append(text);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class PayloadReader {
 public:
  explicit PayloadReader(std::string_view bytes) : rest_(bytes) {}
  std::int64_t integer() {
    std::int64_t value = 0;
    if (rest_.size() < sizeof value) return broken();
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const std::int64_t size = integer();
    if (size < 0 || static_cast<std::uint64_t>(size) > rest_.size()) {
      broken();
      return {};
    }
    std::string found(rest_.substr(0, static_cast<std::size_t>(size)));
    rest_.remove_prefix(static_cast<std::size_t>(size));
    return found;
  }
  bool done() const { return ok_ && rest_.empty(); }
  bool ok() const { return ok_; }

 private:
  std::int64_t broken() {
    ok_ = false;
    rest_ = {};
    return 0;
  }
  std::string_view rest_;
  bool ok_ = true;
};

void put_texts(PayloadWriter& out, const std::vector<std::string>& texts) {
  out.put(static_cast<std::int64_t>(texts.size()));
  for (const std::string& text : texts) out.put(text);
}

std::vector<std::string> read_texts(PayloadReader& in) {
  std::vector<std::string> texts;
  const std::int64_t count = in.integer();
  for (std::int64_t i = 0; i < count && in.ok(); ++i) texts.push_back(in.text());
  return texts;
}

std::string order_name() { return std::string("warptune compile order of ") + kVersion; }

constexpr double kSteps = 1000; // steps per second; time limits are sent in steps

} // namespace

std::string encode_result(const std::string& key, const CompileResult& result) {
  PayloadWriter out;
  out.put(key);
  out.put(std::int64_t{result.has_value()});
  if (!result) {
    out.put(result.error().log);
    return out.take();
  }
  out.put(result->log);
  out.put(static_cast<std::int64_t>(result->lowered_names.size()));
  for (std::size_t i = 0; i < result->lowered_names.size(); ++i) {
    out.put(result->lowered_names[i]);
    const KernelResources resources = i < result->resources.size() ? result->resources[i] : KernelResources{};
    out.put(std::int64_t{resources.registers});
    out.put(std::int64_t{resources.spill_bytes});
    out.put(std::int64_t{resources.static_shared_bytes});
  }
  out.put(result->image);
  return out.take();
}

std::optional<CompileResult> decode_result(const std::string& key, std::string_view payload) {
  PayloadReader in(payload);
  if (in.text() != key) return std::nullopt;
  if (in.integer() == 0) {
    CompileFailure failure{in.text()};
    if (!in.done()) return std::nullopt;
    return CompileResult(tl::make_unexpected(std::move(failure)));
  }
  Cubin cubin;
  cubin.hash = key;
  cubin.log = in.text();
  const std::int64_t names = in.integer();
  for (std::int64_t i = 0; i < names && in.ok(); ++i) {
    cubin.lowered_names.push_back(in.text());
    KernelResources resources;
    resources.registers = static_cast<int>(in.integer());
    resources.spill_bytes = static_cast<int>(in.integer());
    resources.static_shared_bytes = static_cast<int>(in.integer());
    cubin.resources.push_back(resources);
  }
  cubin.image = in.text();
  if (!in.done()) return std::nullopt;
  return CompileResult(std::move(cubin));
}

std::string encode_order(const CompileOrder& order) {
  PayloadWriter out;
  const CompileRequest& request = order.request;
  out.put(order_name());
  out.put(static_cast<std::int64_t>(order.timeout_s * kSteps));
  out.put(request.source_name);
  out.put(request.source);
  out.put(static_cast<std::int64_t>(request.headers.size()));
  for (const auto& [name, text] : request.headers) {
    out.put(name);
    out.put(text);
  }
  put_texts(out, request.options);
  put_texts(out, request.name_expressions);
  return out.take();
}

std::optional<CompileOrder> decode_order(std::string_view payload) {
  PayloadReader in(payload);
  if (in.text() != order_name()) return std::nullopt;
  CompileOrder order;
  order.timeout_s = static_cast<double>(in.integer()) / kSteps;
  order.request.source_name = in.text();
  order.request.source = in.text();
  const std::int64_t headers = in.integer();
  for (std::int64_t i = 0; i < headers && in.ok(); ++i) {
    std::string name = in.text();
    order.request.headers.emplace_back(std::move(name), in.text());
  }
  order.request.options = read_texts(in);
  order.request.name_expressions = read_texts(in);
  if (!in.done()) return std::nullopt;
  return order;
}

std::string encode_answer(const std::string& key, const Result<CompileResult>& answer) {
  PayloadWriter out;
  out.put(static_cast<std::int64_t>(answer ? 0 : static_cast<int>(answer.error().kind)));
  if (!answer) {
    out.put(answer.error().message);
    return out.take();
  }
  out.put(static_cast<std::int64_t>(!*answer && answer->error().timed_out));
  out.put(static_cast<std::int64_t>(!*answer && answer->error().passing));
  out.put(encode_result(key, *answer));
  return out.take();
}

std::optional<Result<CompileResult>> decode_answer(const std::string& key, std::string_view payload) {
  PayloadReader in(payload);
  const std::int64_t kind = in.integer();
  if (kind != 0) {
    std::string message = in.text();
    if (!in.done()) return std::nullopt;
    return fail(static_cast<ErrorKind>(kind), std::move(message));
  }
  const bool timed_out = in.integer() != 0, passing = in.integer() != 0;
  auto result = decode_result(key, in.text());
  if (!result || !in.done()) return std::nullopt;
  if (!*result) {
    result->error().timed_out = timed_out;
    result->error().passing = passing;
  }
  return Result<CompileResult>(std::move(*result));
}

} // namespace warptune
