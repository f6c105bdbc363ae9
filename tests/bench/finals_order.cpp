// Benchmark: how consistently the finals order configurations, over sessions in separate processes.
//   finals_order WARPTUNE KERNEL_FOLDER SHAPE DTYPE FLAGS SESSIONS CONFIG CONFIG...
// WARPTUNE: the program, whose workers hold the device. FLAGS: "layout=nt", or "-". The first configuration is the
// reference. Prints one line per session: the other configurations' times divided by the first one's, from the finals
// ("level") and from the medians of the uncorrected samples; also the clock and the number of rounds at the power cap.
// Then prints how many sessions agree.
#include "core/statistics.h"
#include "core/text.h"
#include "tuner/final_device.h"
#include "tuner/finals.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace warptune {
namespace {

constexpr int kRounds = 15;
constexpr double kTimeout_s = 120;

struct Session {
  std::vector<std::size_t> order; // by level, the fastest first
};

Result<Session> hold(const std::string& program, const ProblemSetup& setup, const std::vector<Config>& configs) {
  DeviceWorker worker({program, "cuda:0", ""}, setup, kTimeout_s);
  WT_TRY(const auto device, worker.describe());
  std::vector<Finalist> finalists;
  for (const Config& config : configs) {
    Finalist& f = finalists.emplace_back();
    f.config = config;
    f.is_default = finalists.size() == 1;
  }
  const std::atomic<bool> stop{false};
  WT_TRY(const auto report, run_finals(
                                worker, device, finalists, kRounds, kTimeout_s, [](int) {}, stop, true));
  const auto rounds = stored_rounds(report, finalists.front(), nullptr, nullptr);
  Session session;
  std::vector<std::string> level, taken;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    const Finalist& f = finalists[i];
    if (f.status != TrialStatus::ok) return fail(ErrorKind::no_candidate, f.evidence);
    session.order.push_back(i);
    level.push_back(fmt::format("{:.4f}", compared_median_us(f) / compared_median_us(finalists.front())));
    taken.push_back(fmt::format("{:.4f}", measured_median_us(f) / measured_median_us(finalists.front())));
  }
  std::stable_sort(session.order.begin(), session.order.end(), [&](std::size_t a, std::size_t b) {
    return compared_median_us(finalists[a]) < compared_median_us(finalists[b]);
  });
  const auto capped = std::count_if(rounds.begin(), rounds.end(), [](const FinalRound& round) {
    return is_at_power_cap(round.device.throttle_reasons);
  });
  const Finalist &best = finalists[session.order[0]], &next = finalists[session.order[1]];
  fmt::print("level {}  taken {}  order {}  p {:.4f}  {:.1f} us  {}  {} of {} rounds at the power cap, {} discarded\n",
             fmt::join(level, " "), fmt::join(taken, " "), fmt::join(session.order, "<"),
             paired_p_faster(best.compared_us(), next.compared_us()), measured_median_us(best),
             clock_text(clocks_of(rounds)), capped, report.rounds, report.throttled);
  std::fflush(stdout);
  return session;
}

Result<void> run(std::span<const std::string> words) {
  WT_TRY(const auto kernel, TemplateStore::standard().load(words[1]));
  std::vector<std::string> flags;
  if (words[4] != "-")
    for (const std::string_view flag : split(words[4], ',')) flags.emplace_back(flag);
  WT_TRY(const auto problem, make_problem(kernel.spec, words[2], words[3], flags));
  int sessions = 0;
  std::from_chars(words[5].data(), words[5].data() + words[5].size(), sessions);
  std::vector<Config> configs;
  for (const std::string& text : words.subspan(6)) {
    WT_TRY(auto config, parse_config(kernel.spec, text));
    configs.push_back(std::move(config));
  }
  std::map<std::vector<std::size_t>, int> orders;
  for (int i = 0; i < sessions; ++i) {
    const ProblemSetup setup{kernel, problem, static_cast<std::uint64_t>(i)};
    WT_TRY(const auto session, hold(words[0], setup, configs));
    ++orders[session.order];
  }
  for (const auto& [order, count] : orders)
    fmt::print("{} of {} sessions: {}\n", count, sessions, fmt::join(order, " before "));
  return {};
}

} // namespace
} // namespace warptune

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 8) {
    fmt::print(stderr, "usage: finals_order WARPTUNE KERNEL_FOLDER SHAPE DTYPE FLAGS SESSIONS CONFIG CONFIG...\n");
    return 2;
  }
  const auto done = warptune::run(words);
  if (!done) fmt::print(stderr, "{}\n", done.error().message);
  return done ? 0 : static_cast<int>(done.error().kind);
}
