#include "interchange/search_trace.h"

#include "core/text.h"
#include "interchange/recorded_row.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace warptune {
namespace {

using nlohmann::json;

SearchTrace trace_of(const json& j) {
  SearchTrace trace;
  j.at("space").get_to(trace.space), j.at("strategy").get_to(trace.strategy), j.at("seed").get_to(trace.seed);
  const json spent = j.value("spent_s", json::array());
  trace.spent_s = j.value("total_s", kNotRecorded);
  trace.budget = j.value("budget", std::int64_t{0});
  for (const json& step : j.at("trace")) {
    const std::size_t i = trace.improvements.size();
    const double spent_s = i < spent.size() ? spent.at(i).get<double>() : kNotRecorded;
    trace.improvements.push_back({step.at(0).get<std::int64_t>(), step.at(1).get<double>(), spent_s});
    if (!(trace.improvements[i].best_ms > 0)) throw std::out_of_range("a time is not positive");
    if (trace.improvements[i].evaluations < (i > 0 ? trace.improvements[i - 1].evaluations : 1))
      throw std::out_of_range("its numbers of evaluations do not increase");
  }
  return trace;
}

} // namespace

std::string write_search_trace(const SearchTrace& trace) {
  std::string steps, spent;
  for (const SearchTrace::Improvement& i : trace.improvements) {
    steps += fmt::format("{}[{}, {}]", steps.empty() ? "" : ", ", i.evaluations, json_number(i.best_ms));
    if (std::isfinite(i.spent_s)) spent += fmt::format("{}{:.3f}", spent.empty() ? "" : ", ", i.spent_s);
  }
  return fmt::format(R"({{"space": {}, "strategy": {}, "seed": {}, "trace": [{}]{}{}}})", json_text(trace.space),
                     json_text(trace.strategy), trace.seed, steps,
                     spent.empty() ? "" : fmt::format(R"(, "spent_s": [{}], "total_s": {:.3f})", spent, trace.spent_s),
                     trace.budget > 0 ? fmt::format(R"(, "budget": {})", trace.budget) : "");
}

Result<std::vector<SearchTrace>> read_search_traces(std::string_view text) {
  std::vector<SearchTrace> traces;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    try {
      traces.push_back(trace_of(json::parse(line)));
    } catch (const std::exception&) {
      return fail(ErrorKind::bad_input,
                  fmt::format("line {} is not a trace: it needs the keys 'space', 'strategy', 'seed' and 'trace'; "
                              "'trace' is a list of [evaluations, best time in ms]",
                              number));
    }
  }
  return traces;
}

} // namespace warptune
