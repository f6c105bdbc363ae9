#include "cluster/claim_board.h"

#include <array>
#include <charconv>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr int kMaxAttempt = 1'000'000; // far more than warptune makes; larger numbers could overflow
constexpr std::array kOutcomes = {ClaimOutcome::lost, ClaimOutcome::finished, ClaimOutcome::failed, ClaimOutcome::back};

template <class Number> bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

} // namespace

std::string_view outcome_name(ClaimOutcome outcome) {
  switch (outcome) {
  case ClaimOutcome::lost:
    return "lost";
  case ClaimOutcome::finished:
    return "finished";
  case ClaimOutcome::failed:
    return "failed";
  case ClaimOutcome::back:
    return "back";
  }
  return "";
}

std::string ClaimName::text() const { return fmt::format("{:05}-{}.{}", subject.job, subject.model, attempt); }

std::optional<ClaimName> ClaimName::parse(std::string_view name) {
  const std::size_t dash = name.find('-'), dot = name.find('.');
  if (dash == std::string_view::npos || dot == std::string_view::npos || dot < dash) return std::nullopt;
  ClaimName claim;
  claim.subject.model = name.substr(dash + 1, dot - dash - 1);
  if (!read_number(name.substr(0, dash), claim.subject.job) || !read_number(name.substr(dot + 1), claim.attempt) ||
      claim.attempt < 1 || claim.attempt > kMaxAttempt || claim.subject.model.empty() ||
      claim.subject.model.find_first_not_of("0123456789abcdef") != std::string::npos)
    return std::nullopt;
  // Reject other spellings: they would be another file of the same attempt.
  return claim.text() == name ? std::optional(claim) : std::nullopt;
}

ClaimBoard::ClaimBoard(const std::vector<std::string>& names, std::size_t jobs) {
  for (const std::string& name : names) {
    std::string_view claim = name;
    std::optional<ClaimOutcome> outcome;
    for (const ClaimOutcome known : kOutcomes)
      if (const std::string end = fmt::format(".{}", outcome_name(known)); claim.ends_with(end)) {
        claim.remove_suffix(end.size());
        outcome = known;
        break;
      }
    const auto parsed = ClaimName::parse(claim);
    if (!parsed || parsed->subject.job >= jobs) continue;
    std::optional<ClaimOutcome>& stored = attempts_[parsed->subject][parsed->attempt];
    if (outcome && (!stored || *outcome < *stored)) stored = outcome;
  }
}

const ClaimBoard::Attempts* ClaimBoard::find(const ClaimSubject& subject) const {
  const auto found = attempts_.find(subject);
  return found == attempts_.end() ? nullptr : &found->second;
}

ClaimBoard::State ClaimBoard::state(const ClaimSubject& subject) const {
  const Attempts* const attempts = find(subject);
  if (attempts == nullptr) return State::free;
  for (const auto& [number, outcome] : *attempts)
    if (outcome == ClaimOutcome::finished) return State::finished;
  const auto& [number, last] = *attempts->rbegin();
  if (!last) return State::running;
  const bool is_available = *last == ClaimOutcome::back || *last == ClaimOutcome::lost;
  return is_available && number < kMaxAttempt ? State::free : State::failed;
}

int ClaimBoard::last_attempt(const ClaimSubject& subject) const {
  const Attempts* const attempts = find(subject);
  return attempts == nullptr ? 0 : attempts->rbegin()->first;
}

std::optional<ClaimName> ClaimBoard::last_with(const ClaimSubject& subject, ClaimOutcome wanted) const {
  std::optional<ClaimName> found;
  if (const Attempts* const attempts = find(subject))
    for (const auto& [number, outcome] : *attempts)
      if (outcome == wanted) found = ClaimName{subject, number};
  return found;
}

int ClaimBoard::open_attempts(const ClaimSubject& subject) const {
  int count = 0;
  if (const Attempts* const attempts = find(subject))
    for (auto at = attempts->rbegin(); at != attempts->rend() && !at->second; ++at) ++count;
  return count;
}

std::vector<ClaimName> ClaimBoard::running() const {
  std::vector<ClaimName> all;
  for (const auto& [subject, attempts] : attempts_)
    if (state(subject) == State::running) all.push_back({subject, attempts.rbegin()->first});
  return all;
}

std::vector<ClaimSubject> ClaimBoard::subjects() const {
  std::vector<ClaimSubject> all;
  for (const auto& [subject, attempts] : attempts_) all.push_back(subject);
  return all;
}

} // namespace warptune
