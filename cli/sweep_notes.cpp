// Merges the notes of a sweep's sessions, most of which are alike.
#include "cli/sweep_summary.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace warptune::cli {
namespace {

void replace_all(std::string& text, const std::string& what, std::string_view with) {
  for (std::size_t at = 0; !what.empty() && (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

// "2026-11-21T07:05:05Z"
bool is_time(std::string_view word) {
  return word.size() >= 20 && word[4] == '-' && word[7] == '-' && word[10] == 'T' && word[13] == ':';
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
  };
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < report.result.jobs.size(); ++i) {
    const JobReport& job = report.result.jobs[i];
    for (const std::string& note : job.result.notes) {
      const auto [place, is_new] = places.emplace(note_kind(note, report.jobs[job.job]), groups.size());
      if (is_new) groups.push_back({note, {}});
      groups[place->second].jobs.insert(i);
    }
  }
  for (const Group& group : groups)
    notes.push_back(group.jobs.size() == 1 ? group.first : fmt::format("{} ({} jobs)", group.first, group.jobs.size()));
  return notes;
}

} // namespace warptune::cli
