// Merges the notes of a sweep's sessions, most of which are alike.
#include "cli/sweep_summary.h"
#include "core/replace_all.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace warptune::cli {
namespace {

constexpr std::size_t kTimeLength = 20; // of "2026-11-21T07:05:05Z"

bool is_time(std::string_view word) {
  return word.size() >= kTimeLength && word[4] == '-' && word[7] == '-' && word[10] == 'T' && word[13] == ':';
}

std::set<std::string> times_in(const std::string& note) {
  std::set<std::string> times;
  for (std::string_view rest = note; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (is_time(word)) times.emplace(word.substr(0, kTimeLength));
  }
  return times;
}

// "2026-11-21 to 2026-11-22"; "2026-11-21" for times of one day.
std::string period_text(const std::string& first, const std::string& last) {
  constexpr std::size_t kDay = 10;
  const std::string from = first.substr(0, kDay), to = last.substr(0, kDay);
  return from == to ? from : from + " to " + to;
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns the same text for two notes that differ only in times, in numbers or in their job.
std::string note_kind(const std::string& note, const SweepJob& job) {
  std::string text = note, kind;
  replace_all(text, problem_key(job.kernel->spec, job.problem), "...");
  replace_all(text, short_problem(problem_key(job.kernel->spec, job.problem)), "...");
  replace_all(text, job.kernel->spec.name, "...");
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    kind += is_time(word) || is_number(word) ? " ..." : fmt::format(" {}", word);
  }
  return kind;
}

} // namespace

std::vector<std::string> distinct_notes(const SweepReport& report) {
  std::vector<std::string> notes = report.notes;
  std::set<std::string> seen(notes.begin(), notes.end());
  const auto take = [&](const std::vector<std::string>& more) {
    for (const std::string& note : more)
      if (seen.insert(note).second) notes.push_back(note);
  };
  take(report.result.notes);
  for (const JobReport& job : report.result.jobs) take(job.result.notes);
  return notes;
}

std::vector<std::string> grouped_notes(const SweepReport& report) {
  std::vector<std::string> notes = report.notes;
  notes.insert(notes.end(), report.result.notes.begin(), report.result.notes.end());
  struct Group {
    std::string first;
    std::set<std::size_t> jobs;
    std::set<std::string> times; // of all its notes
  };
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < report.result.jobs.size(); ++i) {
    const JobReport& job = report.result.jobs[i];
    for (const std::string& note : job.result.notes) {
      const auto [place, is_new] = places.emplace(note_kind(note, report.jobs[job.job]), groups.size());
      if (is_new) groups.push_back({note, {}, {}});
      Group& group = groups[place->second];
      group.jobs.insert(i);
      group.times.merge(times_in(note));
    }
  }
  for (Group& group : groups) {
    if (group.times.size() > 1 && times_in(group.first).size() == 1)
      replace_all(group.first, *times_in(group.first).begin(),
                  period_text(*group.times.begin(), *group.times.rbegin()));
    notes.push_back(group.jobs.size() == 1 ? group.first : fmt::format("{} ({} jobs)", group.first, group.jobs.size()));
  }
  return notes;
}

} // namespace warptune::cli
