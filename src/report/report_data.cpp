#include "report/report_data.h"

#include "core/text.h"
#include "core/units.h"
#include "report/make_view.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace warptune::report {
namespace {

// Identifies what a view shows. Of several versions of the sources, the one tuned last is shown.
using Subject = std::tuple<std::string, std::string, std::string, std::string, std::string, Objective>;

Subject subject_of(const SessionIdentity& i) {
  return {i.kernel, i.problem, i.device_backend, i.device_name, i.device_uuid, i.objective};
}
Subject subject_of(const BestRecord& b) {
  return {b.kernel, b.problem, b.device_backend, b.device_name, b.device_uuid, b.objective};
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

bool names_device(const std::string& asked, const std::string& device) {
  return asked.empty() || lower(device).find(lower(asked)) != std::string::npos;
}

// Sorted, without duplicates.
template <class Get> std::vector<std::string> distinct(const std::vector<SessionRecord>& sessions, Get&& get) {
  std::set<std::string> names;
  for (const SessionRecord& s : sessions) names.insert(get(s.identity));
  return {names.begin(), names.end()};
}

// Why none of these sessions was chosen; `sessions` is not empty.
Error nothing_matches(const Selection& chosen, const std::vector<SessionRecord>& sessions) {
  if (chosen.session > 0)
    return {ErrorKind::no_candidate,
            fmt::format("there is no session {}; `warptune show sessions` lists them", chosen.session)};
  std::vector<SessionRecord> left = sessions;
  const auto narrow = [&](const auto& matches) {
    std::erase_if(left, [&](const SessionRecord& s) { return !matches(s.identity); });
  };
  const auto kernels = distinct(left, [](const SessionIdentity& i) { return i.kernel; });
  narrow([&](const SessionIdentity& i) { return chosen.kernel.empty() || i.kernel == chosen.kernel; });
  if (left.empty())
    return {ErrorKind::no_candidate, fmt::format("the database has no results of {}{}", quote(chosen.kernel),
                                                 suggest_name(chosen.kernel, kernels))};
  const auto problems = distinct(left, [](const SessionIdentity& i) { return i.problem; });
  narrow([&](const SessionIdentity& i) { return chosen.problem.empty() || i.problem == chosen.problem; });
  if (left.empty())
    return {ErrorKind::no_candidate,
            fmt::format("the database has no results of the problem {}{}", quote(short_problem(chosen.problem)),
                        suggest_name(chosen.problem, problems))};
  const auto devices = distinct(left, [](const SessionIdentity& i) { return i.device_name; });
  return {ErrorKind::no_candidate, fmt::format("the database has no results from a device {}{}", quote(chosen.device),
                                               suggest_name(chosen.device, devices))};
}

bool matches(const Selection& chosen, const SessionRecord& s) {
  if (chosen.session > 0) return s.id == chosen.session;
  return (chosen.kernel.empty() || s.identity.kernel == chosen.kernel) &&
         (chosen.problem.empty() || s.identity.problem == chosen.problem) &&
         names_device(chosen.device, s.identity.device_name);
}

// Chooses one session per subject, newest first: the session of the best result, otherwise the newest one that has
// trials.
std::vector<SessionRecord> choose(const std::vector<SessionRecord>& matching, const std::vector<BestRecord>& bests,
                                  const Selection& chosen) {
  if (chosen.session > 0) return matching;
  std::vector<SessionRecord> picked;
  std::set<Subject> seen;
  std::map<RowId, const SessionRecord*> by_id;
  for (const SessionRecord& s : matching) by_id.emplace(s.id, &s);
  for (const BestRecord& best : bests)
    if (const auto s = by_id.find(best.session); s != by_id.end() && seen.insert(subject_of(best)).second)
      picked.push_back(*s->second);
  for (const SessionRecord& s : matching)
    if (s.has_trials && seen.insert(subject_of(s.identity)).second) picked.push_back(s);
  std::stable_sort(picked.begin(), picked.end(), [](const SessionRecord& a, const SessionRecord& b) {
    return std::tie(a.started_at, a.id) > std::tie(b.started_at, b.id);
  });
  return picked;
}

} // namespace

Result<std::vector<View>> load_views(const Reader& reader, const Selection& selection, std::int64_t& left_out) {
  left_out = 0;
  WT_TRY(const auto sessions, reader.sessions());
  if (sessions.empty())
    return fail(ErrorKind::no_candidate,
                "the database has no sessions yet; start with: warptune tune KERNEL --shape ...");
  std::vector<SessionRecord> matching;
  for (const SessionRecord& s : sessions)
    if (matches(selection, s)) matching.push_back(s);
  if (matching.empty()) return fail(nothing_matches(selection, sessions));
  WT_TRY(const auto bests, reader.best(selection.kernel));
  std::vector<SessionRecord> picked = choose(matching, bests, selection);
  std::erase_if(picked, [](const SessionRecord& s) { return !s.has_trials; });
  if (picked.empty())
    return fail(ErrorKind::no_candidate,
                fmt::format("there is nothing to report: {} without trials; run `warptune tune` first",
                            count_text(static_cast<std::int64_t>(matching.size()), "session")));
  const auto limit = static_cast<std::size_t>(selection.limit);
  if (limit > 0 && picked.size() > limit) {
    left_out = static_cast<std::int64_t>(picked.size() - limit);
    picked.resize(limit);
  }
  WT_TRY(const auto devices, reader.devices());
  std::vector<View> views;
  for (const SessionRecord& session : picked) {
    WT_TRY(const auto best, reader.best_of_session(session.id));
    WT_TRY(auto view, make_view(reader, session, best, devices));
    views.push_back(std::move(view));
  }
  return views;
}

} // namespace warptune::report
