#include "worker/protocol.h"

#include "core/members.h"
#include "spec/spec_json.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

// Each field is named once for both directions: fields of a single message in walk() below, all others in kMembers.
namespace warptune {
namespace {

using nlohmann::json;

// JSON has neither infinity nor NaN; wrong kernels produce both.
json number_json(double v) {
  if (std::isfinite(v)) return v;
  return std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf";
}

double json_number(const json& j) {
  if (!j.is_string()) return j.get<double>();
  const auto text = j.get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

class Out {
 public:
  json j = json::object();
  template <class T> void operator()(const char* key, const T& v) { j[key] = to(v); }

  static json to(double v) { return number_json(v); }
  static json to(TrialStatus v) { return static_cast<int>(v); }
  static json to(DType v) { return static_cast<int>(v); }
  static json to(Examination v) { return name_of(v).name; }
  template <class T> static json to(const T& v);
};

class In {
 public:
  explicit In(const json& source) : j(source) {}
  const json& j;
  template <class T> void operator()(const char* key, T& v) { from(j.at(key), v); }

  static void from(const json& v, double& out) { out = json_number(v); }
  static void from(const json& v, TrialStatus& out) {
    const int code = v.get<int>();
    if (code < 0 || code > static_cast<int>(TrialStatus::unstable)) throw std::out_of_range("unknown trial status");
    out = static_cast<TrialStatus>(code);
  }
  static void from(const json& v, DType& out) {
    const int code = v.get<int>();
    if (code < 0 || code >= kDTypeCount) throw std::out_of_range("unknown dtype");
    out = static_cast<DType>(code);
  }
  static void from(const json& v, Examination& out) {
    const auto name = v.get<std::string>();
    for (const ExaminationName& one : examinations())
      if (one.name == name) return void(out = one.what);
    throw std::out_of_range("unknown examination");
  }
  template <class T> static void from(const json& v, T& out);
};

template <class V> void fields(V& f, auto& v);

template <class T>
concept Plain = std::is_same_v<std::remove_cvref_t<T>, std::string> || std::is_arithmetic_v<T>;
template <class T> struct IsVector : std::false_type {};
template <class T> struct IsVector<std::vector<T>> : std::true_type {};
template <class T> struct IsOptional : std::false_type {};
template <class T> struct IsOptional<std::optional<T>> : std::true_type {};
template <class T> struct IsMap : std::false_type {};
template <class T> struct IsMap<std::map<std::string, T>> : std::true_type {};

template <class T> json Out::to(const T& v) {
  if constexpr (std::is_same_v<T, float>) {
    return number_json(static_cast<double>(v));
  } else if constexpr (Plain<T>) {
    return v;
  } else if constexpr (IsVector<T>::value) {
    json list = json::array();
    for (const auto& e : v) list.push_back(to(e));
    return list;
  } else if constexpr (IsOptional<T>::value) {
    return v ? to(*v) : json(nullptr);
  } else if constexpr (IsMap<T>::value) {
    json object = json::object();
    for (const auto& [key, e] : v) object[key] = to(e);
    return object;
  } else {
    Out out;
    fields(out, v);
    return std::move(out.j);
  }
}

template <class T> void In::from(const json& v, T& out) {
  if constexpr (std::is_same_v<T, float>) {
    out = static_cast<float>(json_number(v));
  } else if constexpr (Plain<T>) {
    v.get_to(out);
  } else if constexpr (IsVector<T>::value) {
    out.clear();
    for (const json& e : v.get_ref<const json::array_t&>()) from(e, out.emplace_back());
  } else if constexpr (IsOptional<T>::value) {
    if (v.is_null())
      out.reset();
    else
      from(v, out.emplace());
  } else if constexpr (IsMap<T>::value) {
    out.clear();
    for (const auto& [key, e] : v.get_ref<const json::object_t&>()) from(e, out[key]);
  } else {
    In in(v);
    fields(in, out);
  }
}

template <class V, class T> void walk(V& f, T& v) {
  using U = std::remove_const_t<T>;
  if constexpr (HasMembers<U>) {
    for_each_member<U>([&](const auto& m) { f(m.name, v.*m.at); });
  } else if constexpr (std::is_same_v<U, Roofs>) {
    for (const RoofName& roof : roof_names()) f(roof.name, v.*roof.member);
    f("measured", v.measured), f("driver", v.driver), f("measured_at", v.measured_at), f("clocks", v.clocks);
  } else if constexpr (std::is_same_v<U, Problem>) {
    f("dims", v.dims), f("dtype", v.dtype), f("flags", v.flags), f("lists", v.lists);
  } else if constexpr (std::is_same_v<U, Compiled>) {
    f("status", v.status), f("evidence", v.evidence), f("cubin_hash", v.cubin_hash), f("resources", v.resources);
    f("compile_ms", v.compile_ms), f("no_verdict", v.no_verdict);
  } else if constexpr (std::is_same_v<U, Evaluation>) {
    f("trial", v.trial), f("fatal", v.fatal);
  } else if constexpr (std::is_same_v<U, Round>) {
    f("samples_us", v.samples_us), f("device", v.device), f("wrong", v.wrong);
  } else if constexpr (std::is_same_v<U, MeasureOptions>) {
    f("cold_l2", v.cold_l2), f("min_samples", v.min_samples), f("max_samples", v.max_samples);
    f("target_rel_ci", v.target_rel_ci), f("max_ms", v.max_ms), f("settle_ms", v.settle_ms),
        f("drop_above_us", v.drop_above_us);
  } else if constexpr (std::is_same_v<U, CompileTask>) {
    f("config", v.config), f("device", v.device), f("timeout_s", v.timeout_s);
  } else if constexpr (std::is_same_v<U, EvaluateTask>) {
    f("config", v.config), f("compiled", v.compiled), f("options", v.options);
  } else if constexpr (std::is_same_v<U, RoundTask>) {
    f("configs", v.configs), f("compiled", v.compiled), f("cold_l2", v.cold_l2), f("idle_us", v.idle_us);
  } else if constexpr (std::is_same_v<U, ProfileTask>) {
    f("configs", v.configs), f("compiled", v.compiled), f("metrics", v.metrics), f("cold_l2", v.cold_l2);
  } else if constexpr (std::is_same_v<U, Profiles>) {
    f("profiles", v.profiles), f("evidence", v.evidence), f("unavailable", v.unavailable);
  } else if constexpr (std::is_same_v<U, CheckTask>) {
    f("config", v.config), f("problem", v.problem), f("seed", v.seed);
  } else if constexpr (std::is_same_v<U, VerifyTask>) {
    f("config", v.config), f("compiled", v.compiled);
  } else if constexpr (std::is_same_v<U, ExamineTask>) {
    f("config", v.config), f("compiled", v.compiled), f("what", v.what);
  } else if constexpr (std::is_same_v<U, SampleTask>) {
    f("config", v.config), f("compiled", v.compiled), f("us", v.us), f("cold_l2", v.cold_l2);
  } else if constexpr (std::is_same_v<U, CountTask>) {
    f("config", v.config), f("compiled", v.compiled);
  } else if constexpr (std::is_same_v<U, Samples>) {
    f("samples", v.samples), f("unavailable", v.unavailable);
  } else if constexpr (std::is_same_v<U, PowerTask>) {
    f("config", v.config), f("compiled", v.compiled), f("window_s", v.window_s);
  } else if constexpr (std::is_same_v<U, Power>) {
    f("reading", v.reading), f("unavailable", v.unavailable);
  } else if constexpr (std::is_same_v<U, Done>) {
    f("notes", v.notes);
  } else {
    static_assert(std::is_empty_v<U>, "list the fields of this type");
  }
}

template <class V> void fields(V& f, auto& v) { walk(f, v); }

json setup_json(const ProblemSetup& setup) {
  json files = json::array();
  for (const auto& [name, text] : setup.kernel.sources.files) files.push_back({name, text});
  return {{"files", std::move(files)},
          {"source_hash", setup.kernel.source_hash},
          {"origin", setup.kernel.origin},
          {"problem", Out::to(setup.problem)},
          {"may_build", setup.builders.is_allowed},
          {"builders", Out::to(setup.builders.versions)},
          {"seed", setup.seed},
          {"line_info", setup.line_info}};
}

Result<ProblemSetup> json_setup(const json& j) {
  ProblemSetup setup;
  for (const json& file : j.at("files"))
    setup.kernel.sources.files.emplace_back(file.at(0).get<std::string>(), file.at(1).get<std::string>());
  j.at("source_hash").get_to(setup.kernel.source_hash);
  j.at("origin").get_to(setup.kernel.origin);
  In::from(j.at("problem"), setup.problem);
  j.at("may_build").get_to(setup.builders.is_allowed);
  In::from(j.at("builders"), setup.builders.versions);
  j.at("seed").get_to(setup.seed);
  j.at("line_info").get_to(setup.line_info);
  for (const auto& [name, text] : setup.kernel.sources.files) {
    if (name != "spec.json") continue;
    WT_TRY(setup.kernel.spec, parse_spec(setup.kernel.sources, setup.kernel.origin));
    return setup;
  }
  return fail(ErrorKind::internal, "the kernel's files lack spec.json, so a worker cannot build its space");
}

std::string text_of(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); }

constexpr const char* kRequestNames[] = {"device",  "roofs", "set_kernel", "open",   "compile", "evaluate", "round",
                                         "profile", "check", "power",      "verify", "examine", "sample",   "count"};
constexpr const char* kReplyNames[] = {"error", "done",     "device",  "roofs", "compiled", "evaluation",
                                       "round", "profiles", "verdict", "power", "samples"};
static_assert(std::size(kRequestNames) == std::variant_size_v<Request>);
static_assert(std::size(kReplyNames) == std::variant_size_v<Reply>);

template <class Variant, std::size_t I = 0, class Make>
Result<Variant> by_name(const char* const* names, const std::string& kind, const Make& make) {
  if constexpr (I == std::variant_size_v<Variant>) {
    return fail(ErrorKind::internal, fmt::format("unknown message kind '{}'", kind));
  } else {
    if (kind == names[I]) return make(std::variant_alternative_t<I, Variant>{});
    return by_name<Variant, I + 1>(names, kind, make);
  }
}

template <class Variant, class Make>
Result<Variant> decode(std::string_view body, const char* const* names, const Make& make) {
  try {
    const json j = json::parse(body);
    const json& value = j.at("value");
    return by_name<Variant>(names, j.at("kind").get<std::string>(), [&](auto v) { return make(std::move(v), value); });
  } catch (const std::exception& e) {
    return fail(ErrorKind::internal, fmt::format("malformed message between coordinator and worker: {}", e.what()));
  }
}

} // namespace

const char* request_name(const Request& request) { return kRequestNames[request.index()]; }

std::string encode(const Request& request) {
  json value = std::visit(
      [](const auto& v) -> json {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_same_v<T, SetKernelTask> || std::is_same_v<T, OpenTask>)
          return setup_json(v.setup);
        else
          return Out::to(v);
      },
      request);
  return text_of({{"kind", kRequestNames[request.index()]}, {"value", std::move(value)}});
}

std::string encode(const Reply& reply) {
  json value = std::visit(
      [](const auto& v) -> json {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_same_v<T, Error>)
          return {{"code", static_cast<int>(v.kind)}, {"message", v.message}};
        else
          return Out::to(v);
      },
      reply);
  return text_of({{"kind", kReplyNames[reply.index()]}, {"value", std::move(value)}});
}

Result<Request> decode_request(std::string_view body) {
  return decode<Request>(body, kRequestNames, [](auto v, const json& value) -> Result<Request> {
    using T = decltype(v);
    if constexpr (std::is_same_v<T, SetKernelTask> || std::is_same_v<T, OpenTask>) {
      WT_TRY(auto setup, json_setup(value));
      v.setup = std::move(setup);
    } else {
      In::from(value, v);
    }
    return Request(std::move(v));
  });
}

Result<Reply> decode_reply(std::string_view body) {
  return decode<Reply>(body, kReplyNames, [](auto v, const json& value) -> Result<Reply> {
    if constexpr (std::is_same_v<decltype(v), Error>) {
      v.kind = static_cast<ErrorKind>(value.at("code").get<int>());
      value.at("message").get_to(v.message);
    } else {
      In::from(value, v);
    }
    return Reply(std::move(v));
  });
}

Result<std::string> frame(std::string_view body) {
  if (body.size() > kMaxMessageBytes)
    return fail(
        ErrorKind::internal,
        fmt::format("a message to or from a worker process has {} bytes, but at most {} are allowed; use smaller "
                    "source files or fewer configurations at a time",
                    body.size(), kMaxMessageBytes));
  const auto n = static_cast<std::uint32_t>(body.size());
  std::string out(4, '\0');
  std::memcpy(out.data(), &n, 4); // native byte order: both ends run on the same machine
  out.append(body);
  return out;
}

Result<std::optional<std::string>> FrameReader::next() {
  if (buffer_.size() < 4) return std::optional<std::string>{};
  std::uint32_t n = 0;
  std::memcpy(&n, buffer_.data(), 4);
  if (n > kMaxMessageBytes)
    return fail(ErrorKind::internal,
                fmt::format("malformed message: {} bytes announced, at most {} allowed", n, kMaxMessageBytes));
  if (buffer_.size() < 4 + std::size_t{n}) return std::optional<std::string>{};
  std::optional<std::string> body = buffer_.substr(4, n);
  buffer_.erase(0, 4 + std::size_t{n});
  return body;
}

} // namespace warptune
