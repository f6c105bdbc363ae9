#include "report/why_json.h"

#include <nlohmann/json.hpp>

namespace warptune::report {
namespace {

using json = nlohmann::ordered_json;

json or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json side_json(const WhySide& side, const Limit& limit) {
  const bool has_next = !limit.next.empty();
  return {{"limit", or_null(limit.name)},
          {"unknown", or_null(limit.unknown)},
          {"busiest", or_null(limit.busiest)},
          {"share", limit.busiest.empty() ? json(nullptr) : json(limit.share)},
          {"counted", limit.counted},
          {"stall", or_null(limit.stall)},
          {"stall_share", limit.stall.empty() ? json(nullptr) : json(limit.stall_share)},
          {"next_limit", or_null(limit.next)},
          {"next_limit_us", has_next ? json(limit.next_us) : json(nullptr)},
          {"time_us", side.time_us}};
}

} // namespace

json why_json(const WhyFacts& facts, const Why& why, const std::string& measured) {
  json resources = json::array(), stalls = json::array(), lines = json::array();
  for (const ResourceDifference& one : why.resources)
    resources.push_back({{"resource", one.resource},
                         {"unit", one.unit},
                         {"a", one.a_work},
                         {"b", one.b_work},
                         {"a_busy_us", one.a_us},
                         {"b_busy_us", one.b_us},
                         {"counted", one.counted},
                         {"explains", one.explains}});
  for (const StallDifference& one : why.stalls)
    stalls.push_back({{"reason", one.reason}, {"a_us", one.a_us}, {"b_us", one.b_us}, {"explains", one.explains}});
  for (const LineDifference& one : why.lines)
    lines.push_back({{"file", or_null(one.file)},
                     {"line", one.line > 0 ? json(one.line) : json(nullptr)},
                     {"text", or_null(one.text)},
                     {"a_us", one.a_us},
                     {"b_us", one.b_us},
                     {"a_stall", or_null(one.a_stall)},
                     {"b_stall", or_null(one.b_stall)},
                     {"explains", one.explains}});
  return {{"a", side_json(facts.a, why.a)},
          {"b", side_json(facts.b, why.b)},
          {"ratio",
           {{"value", facts.ratio.value},
            {"low", facts.ratio.low},
            {"high", facts.ratio.high},
            {"distinguished", why.distinguished},
            {"measured", measured}}},
          {"resources", std::move(resources)},
          {"stalls", std::move(stalls)},
          {"lines", std::move(lines)},
          {"cause", or_null(why.cause)},
          {"verdict", why.verdict}};
}

} // namespace warptune::report
