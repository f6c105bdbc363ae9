#include "tuner/final_verification.h"

namespace warptune {
namespace {

constexpr int kLaunches = 5;           // the last process may have run few launches so far (kFirstRounds in finals.cpp)
constexpr double kLongLaunchUs = 10e3; // one of these is enough
constexpr const char* kWhen = "after its last round of the finals, on fresh data: ";

// One launch per task, so that a launch that ends the process names its finalist.
void judge(Finalist& f, const CallOutcome& answer) {
  if (!answer) {
    f.status = status_of(answer.error());
    f.evidence = kWhen + answer.error().evidence;
    return;
  }
  const auto* verdict = std::get_if<Verdict>(&*answer);
  if (verdict && verdict->correct) return;
  const auto* error = std::get_if<Error>(&*answer);
  f.status = verdict ? TrialStatus::unstable : TrialStatus::launch_failed;
  f.evidence = kWhen + (verdict ? verdict->detail : error ? error->message : std::string("unexpected reply"));
}

} // namespace

Result<bool> verify_finalists(DeviceWorker& device, std::vector<Finalist>& finalists,
                              const std::function<void(int)>& after, const std::atomic<bool>& stop) {
  int done = 0;
  for (Finalist& f : finalists) {
    if (stop) return false;
    if (f.status != TrialStatus::ok) continue;
    const int launches = f.explored_us > kLongLaunchUs ? 1 : kLaunches;
    for (int launch = 0; launch < launches && f.status == TrialStatus::ok; ++launch) {
      WT_TRY(const auto answer, device.ask(VerifyTask{f.config, f.compiled}));
      if (stop) return false; // what ended this program may have ended its worker as well
      judge(f, answer);
    }
    after(++done);
  }
  return true;
}

} // namespace warptune
