#include "cluster/trial_exchange.h"

#include "cluster/run_folder.h"
#include "cluster/shared_file.h"
#include "core/text.h"
#include "worker/protocol.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <variant>

namespace warptune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLeft = ".left";

std::optional<Ending> parse_ending(std::string_view name) {
  constexpr std::array kAll = {Ending::all_tried,         Ending::evaluations,   Ending::seconds,    Ending::target,
                               Ending::low_expected_gain, Ending::strategy_done, Ending::interrupted};
  const auto found = std::find_if(kAll.begin(), kAll.end(), [&](Ending e) { return ending_name(e) == name; });
  return found == kAll.end() ? std::nullopt : std::optional(*found);
}

} // namespace

TrialExchange::TrialExchange(const fs::path& run, std::string process)
    : folder_(trials_of(run)), process_(std::move(process)) {}

void TrialExchange::put(const Trial& trial) {
  lines_ += encode(Reply{Evaluation{trial, false}}) + "\n"; // JSON without line breaks
  ++count_;
}

Result<void> TrialExchange::publish() {
  if (count_ == 0) return {};
  WT_CHECK(replace_shared(folder_ / fmt::format("{}.{}", process_, published_), lines_));
  ++published_;
  lines_.clear();
  count_ = 0;
  return {};
}

Result<void> TrialExchange::leave(Ending ending) {
  return replace_shared(folder_ / (process_ + std::string(kLeft)), ending_name(ending));
}

Result<std::vector<Trial>> TrialExchange::read() {
  // NFS may return a folder listing that is 30 seconds old, but not after this client changed the folder.
  if (!process_.empty()) WT_CHECK(touch_shared(folder_));
  WT_TRY(auto names, list_shared(folder_));
  std::sort(names.begin(), names.end());
  std::vector<Trial> trials;
  for (const std::string& name : names) {
    if ((!process_.empty() && name.starts_with(process_ + ".")) || !seen_.insert(name).second) continue;
    if (!name.ends_with(kLeft)) {
      WT_CHECK(read_file(name, trials));
      continue;
    }
    WT_TRY(const auto text, read_shared(folder_ / name));
    if (const auto ending = parse_ending(text.value_or("")))
      left_[name.substr(0, name.size() - kLeft.size())] = *ending;
  }
  return trials;
}

Result<void> TrialExchange::read_file(const std::string& name, std::vector<Trial>& trials) const {
  WT_TRY(const auto text, read_shared(folder_ / name));
  if (!text) return {};
  for (const std::string_view line : split(*text, '\n')) {
    if (line.empty()) continue;
    auto reply = decode_reply(line);
    auto* const evaluation = reply ? std::get_if<Evaluation>(&*reply) : nullptr;
    if (evaluation == nullptr)
      return fail(ErrorKind::database,
                  fmt::format("{} is damaged; delete it, so that its configurations are measured again",
                              (folder_ / name).string()));
    trials.push_back(std::move(evaluation->trial));
  }
  return {};
}

} // namespace warptune
