#include "report/why_sentences.h"

#include "core/units.h"
#include "report/bound.h"

#include <cmath>
#include <fmt/format.h>

namespace warptune::report {
namespace {

constexpr double kSameWork = 0.02; // work that differs by less is called equal
constexpr double kNotable = 0.1;   // work that differs by more is named, even if it does not limit the slower one

// `beside`: a ratio near 1 needs more digits, and so do those beside it.
std::string ratio_text(double ratio, double beside) {
  return std::abs(beside - 1) < 0.1 ? fmt::format("{:.3f}x", ratio) : fmt::format("{:.2f}x", ratio);
}
std::string ratio_text(double ratio) { return ratio_text(ratio, ratio); }

// The two sides, ordered by time.
struct Sides {
  const WhySide &fast, &slow;
  const Limit &fast_limit, &slow_limit;
  bool swapped; // the slow one is A
};

Sides sides_of(const WhyFacts& facts, const Why& why) {
  return facts.ratio.value >= 1 ? Sides{facts.a, facts.b, why.a, why.b, false}
                                : Sides{facts.b, facts.a, why.b, why.a, true};
}

std::string ratio_sentence(const WhyFacts& facts, const Why& why) {
  const Ratio& r = facts.ratio;
  return fmt::format("{} takes {} the time of {} (95 % interval {} to {}){}.", facts.b.label, ratio_text(r.value),
                     facts.a.label, ratio_text(r.low, r.value), ratio_text(r.high, r.value),
                     why.distinguished ? "" : ", so their times cannot be distinguished");
}

// Counters and the roof come from other runs than the time, so their ratio can exceed 1; the resource cannot.
std::string roof_text(double share) {
  return share > 1 ? fmt::format("its roof ({} of it)", share_text(share))
                   : fmt::format("{} of its roof", share_text(share));
}

std::string stall_text(const WhyFacts& facts, const std::string& reason) {
  const auto meaning = facts.stall_meanings.find(reason);
  return meaning == facts.stall_meanings.end() ? reason : fmt::format("{} ({})", reason, meaning->second);
}

std::string limit_sentence(const WhyFacts& facts, const WhySide& side, const Limit& limit) {
  const std::string busiest =
      limit.busiest.empty() ? "" : fmt::format("{}, {} of the time", limit.busiest, share_text(limit.share));
  if (limit.name.empty())
    return fmt::format("The limit of {} is not known, because {}{}.", side.label, limit.unknown,
                       busiest.empty() ? ""
                       : limit.share >= kReached
                           ? fmt::format("; moving all of them would take {} of the run", share_text(limit.share))
                       : limit.counted ? fmt::format("; the busiest of the others is {}", busiest)
                                       : fmt::format(" (according to the model, the busiest resource is {})", busiest));
  if (limit.name == limit.busiest) {
    const double next = limit.next_us / side.time_us;
    return fmt::format("{} is bound by {}, which works at {}{}{}.", side.label, limit.name, roof_text(limit.share),
                       limit.counted ? "" : " according to the model",
                       next >= kReached && next > limit.share - kCloseBehind
                           ? fmt::format(", with {} close behind at {}", limit.next, share_text(next))
                           : "");
  }
  if (limit.name == "launch")
    return fmt::format("{} is so short ({}) that starting and ending its grid limits it.", side.label,
                       time_text(side.time_us));
  std::string text = fmt::format("{} is bound by latency: ", side.label);
  text += busiest.empty() ? "no roof is known" : fmt::format("the busiest resource is {}", busiest);
  if (!limit.stall.empty())
    text += fmt::format("; the most frequent stall of its warps is {}, {} of their cycles",
                        stall_text(facts, limit.stall), share_text(limit.stall_share));
  return text + ".";
}

std::string work_text(const std::string& resource, const std::string& ratio) {
  if (resource == "DRAM") return fmt::format("moves {} the DRAM bytes", ratio);
  if (resource == "L2") return fmt::format("moves {} the bytes between the SMs and the L2", ratio);
  if (resource == "L1/shared memory") return fmt::format("moves {} the bytes through L1 and shared memory", ratio);
  if (resource == "issue") return fmt::format("executes {} the instructions", ratio);
  return fmt::format("does {} the {} operations", ratio, resource);
}

std::string part_text(double explains) {
  return explains >= 0.995 ? "all of the difference" : fmt::format("{} of the difference", share_text(explains));
}

std::string resource_sentence(const Sides& sides, const ResourceDifference& one) {
  const double slow = sides.swapped ? one.a_work : one.b_work, fast = sides.swapped ? one.b_work : one.a_work;
  if (!(fast > 0))
    return fmt::format("Only {} uses {}, which accounts for {}.", sides.slow.label, one.resource,
                       part_text(one.explains));
  return fmt::format("{} {}, which accounts for {}.", sides.slow.label,
                     work_text(one.resource, ratio_text(slow / fast)), part_text(one.explains));
}

std::string stalls_sentence(const WhyFacts& facts, const Why& why) {
  const double difference = std::abs(facts.b.time_us - facts.a.time_us);
  std::string parts;
  for (const StallDifference& one : explaining_stalls(why))
    parts += fmt::format("{}{} ({}) {} {}", parts.empty() ? "" : " and ", time_text(one.explains * difference),
                         share_text(one.explains), parts.empty() ? "are longer stalls on" : "on",
                         stall_text(facts, one.reason));
  return fmt::format("Of the difference of {}, {}.", time_text(difference), parts);
}

// Names work that is the same on both sides if waits account for the difference: it cannot be the cause.
std::string same_work_sentence(const Why& why, const Limit& slower) {
  for (const ResourceDifference& one : why.resources)
    if (one.resource == slower.busiest && one.counted && one.a_work > 0 &&
        std::abs(one.b_work / one.a_work - 1) < kSameWork)
      return fmt::format(" The {} of both configurations is the same within {:.0f} %.",
                         one.unit == "B"              ? one.resource + " traffic"
                         : one.unit == "instructions" ? "number of instructions"
                                                      : "number of " + one.resource + " operations",
                         100 * kSameWork);
  return {};
}

// Names the largest extra work of the slower side, as an observation.
std::string observed_sentence(const Sides& sides, const Why& why) {
  for (const ResourceDifference& one : why.resources) {
    const double slow = sides.swapped ? one.a_work : one.b_work, fast = sides.swapped ? one.b_work : one.a_work;
    if (!one.counted || !(fast > 0) || slow / fast < 1 + kNotable) continue;
    return fmt::format(" Observed: {} {}; this work takes {} of its time.", sides.slow.label,
                       work_text(one.resource, ratio_text(slow / fast)),
                       share_text((sides.swapped ? one.a_us : one.b_us) / sides.slow.time_us));
  }
  return {};
}

std::string cause_sentence(const WhyFacts& facts, const Why& why, const Sides& sides) {
  if (!why.distinguished) return {};
  if (times_contradict(facts))
    return fmt::format("The cause is not known, because the ratio and the two times disagree: {} took {}, and {} took "
                       "{}.",
                       facts.a.label, time_text(facts.a.time_us), facts.b.label, time_text(facts.b.time_us));
  std::string missing;
  for (const WhySide* side : {&facts.a, &facts.b})
    if (!side->counters) missing += (missing.empty() ? "" : " and ") + side->label;
  if (!missing.empty()) return fmt::format("The cause is not known, because nothing was counted for {}.", missing);
  if (why.cause == "stalls") return stalls_sentence(facts, why) + same_work_sentence(why, sides.slow_limit);
  for (const ResourceDifference& one : why.resources)
    if (one.resource == why.cause) return resource_sentence(sides, one);
  const Limit& slower = sides.slow_limit;
  const bool is_resource = !slower.name.empty() && slower.name == slower.busiest;
  return fmt::format("The counters do not explain the difference: {}, and {}.",
                     is_resource ? fmt::format("the work of {} accounts for less than half of it", slower.name)
                     : slower.name.empty() ? fmt::format("the limit of {} is not known", sides.slow.label)
                                           : fmt::format("no resource limits {}", sides.slow.label),
                     why.stalls.empty() ? "the stalls of at least one configuration were not counted"
                                        : "either no two stalls explain it, or other stalls decreased by as much") +
         observed_sentence(sides, why);
}

std::string next_sentence(const WhySide& side, const Limit& limit) {
  if (limit.next.empty()) return {};
  const std::string removed = limit.name == "latency"  ? fmt::format("all latency of {} were hidden", side.label)
                              : limit.name == "launch" ? fmt::format("starting {} took no time", side.label)
                                                       : fmt::format("{} no longer limited {}", limit.name, side.label);
  return fmt::format("If {}, {} would be the next limit: {} at best ({}).", removed, limit.next,
                     time_text(limit.next_us), fmt::format("{:.2f}x faster", side.time_us / limit.next_us));
}

std::string capitalised(std::string sentence) {
  if (sentence.front() >= 'a' && sentence.front() <= 'z')
    sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
  return sentence;
}

} // namespace

bool times_contradict(const WhyFacts& facts) { return (facts.ratio.value > 1) != (facts.b.time_us > facts.a.time_us); }

std::vector<StallDifference> explaining_stalls(const Why& why) {
  constexpr std::size_t kNamed = 2;
  double a_us = 0, b_us = 0; // the states of the warps make up the times
  for (const StallDifference& one : why.stalls) a_us += one.a_us, b_us += one.b_us;
  // A state that is not more frequent takes longer only because the whole run takes longer.
  const auto is_more_frequent = [&](const StallDifference& one) {
    return b_us > a_us ? one.b_us * a_us > one.a_us * b_us : one.a_us * b_us > one.b_us * a_us;
  };
  std::vector<StallDifference> grown;
  double shrunk = 0, explained = 0;
  for (const StallDifference& one : why.stalls) {
    if (one.explains < 0)
      shrunk -= one.reason == "issuing" ? 0 : one.explains; // a warp that issues does not wait
    else if (one.reason != "issuing" && is_more_frequent(one) && explained < kExplained && grown.size() < kNamed) {
      grown.push_back(one);
      explained += one.explains;
    }
  }
  // If other waits shrank by as much, warps only wait for the same things under other names.
  return explained >= kExplained && shrunk < kExplained ? grown : std::vector<StallDifference>();
}

std::string why_verdict(const WhyFacts& facts, const Why& why) {
  const Sides sides = sides_of(facts, why);
  std::string text;
  for (const std::string& sentence :
       {ratio_sentence(facts, why), limit_sentence(facts, facts.a, why.a), limit_sentence(facts, facts.b, why.b),
        cause_sentence(facts, why, sides), next_sentence(sides.fast, sides.fast_limit)}) {
    if (sentence.empty()) continue;
    text += (text.empty() ? "" : " ") + capitalised(sentence); // a label may be a word: "the winner"
  }
  return text;
}

} // namespace warptune::report
