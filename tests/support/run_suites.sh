#!/usr/bin/env bash
# Runs the shipped sweeps on this machine's GPU with a small budget: once undisturbed, and once stopped (SIGINT), resumed,
# killed (SIGKILL) and resumed to the end. Both databases must hold the same trials. For the tree of make dist:
#   tests/run_suites.sh bin/warptune WORK_DIR [more options of sweep, such as --only softmax or --devices all]
# SWEEPS ("llm cnn"), BUDGET (12), STOP_AFTER and KILL_AFTER (seconds, 20 and 20) come from the environment.
set -uo pipefail
[[ $# -ge 2 ]] || { echo "usage: $0 BIN WORK_DIR [option of sweep]..." >&2; exit 2; }
bin=$(realpath "$1") || exit 2
mkdir -p "$2" && work=$(realpath "$2") || exit 2
shift 2
options=(--budget "${BUDGET:-12}" --strategy random --seed 1 "$@")
failures=0

fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

# sweep NAME DATABASE LOG [option]...: accepts the exit codes 0 (done) and 1 (some jobs failed).
sweep() {
  local name=$1 db=$2 log=$3
  shift 3
  "$bin" sweep "$name" --db "$db" "${options[@]}" "$@" >"$log" 2>&1
}

# disturb SIGNAL SECONDS NAME DATABASE LOG [option]...
disturb() {
  local signal=$1 seconds=$2 name=$3 db=$4 log=$5
  shift 5
  # exec makes the program receive the signal. A background job of a script ignores SIGINT until the program installs a
  # handler.
  (exec "$bin" sweep "$name" --db "$db" "${options[@]}" "$@" >"$log" 2>&1) &
  local pid=$!
  for ((i = 0; i < seconds * 10; i++)); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -0 "$pid" 2>/dev/null || echo "note: $name ended before SIG$signal; lower STOP_AFTER and KILL_AFTER"
  kill -"$signal" "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
  echo "  SIG$signal: exit code $?, $(grep -c '^\[' "$log") jobs had ended"
}

compare() { # NAME
  python3 - "$bin" "$work/$1.undisturbed.db" "$work/$1.disturbed.db" <<'PYTHON'
import json, subprocess, sys

def trials(database):
    def show(*words):
        done = subprocess.run([sys.argv[1], "show", *words, "--db", database, "--json"], check=True, capture_output=True)
        return json.loads(done.stdout)
    found, twice, states = {}, 0, {}
    for session in show("sessions")["sessions"]:
        states[session["state"]] = states.get(session["state"], 0) + 1
        for trial in show("trials", "--session", str(session["id"]))["trials"]:
            key = (session["device"], session["kernel"], session["problem"], trial["config"])
            twice += key in found
            found[key] = trial["status"]
    return found, twice, states

(a, a_twice, a_states), (b, b_twice, b_states) = trials(sys.argv[2]), trials(sys.argv[3])
only_a, only_b = a.keys() - b.keys(), b.keys() - a.keys()
changed = [k for k in a.keys() & b.keys() if a[k] != b[k]]
print(f"  undisturbed: {len(a)} trials, sessions {a_states}; disturbed: {len(b)} trials, sessions {b_states}")
for title, keys in ("only undisturbed", only_a), ("only disturbed", only_b), ("another status", changed):
    if keys:
        print(f"  {title}: {len(keys)}, such as {sorted(keys)[0]}: {a.get(sorted(keys)[0])} / {b.get(sorted(keys)[0])}")
unfinished = {s for s in (*a_states, *b_states) if s != "finished"}
if not a or only_a or only_b or changed or a_twice or b_twice or unfinished:
    sys.exit(f"  not the same: {a_twice} and {b_twice} measured twice, unfinished {sorted(unfinished)}")
PYTHON
}

for name in ${SWEEPS:-llm cnn}; do
  echo "== $name"
  rm -f "$work/$name".*.db "$work/$name".*.db-wal "$work/$name".*.db-shm
  sweep "$name" "$work/$name.undisturbed.db" "$work/$name.undisturbed.log"
  code=$?
  grep "^sweep $name: .* measured in" "$work/$name.undisturbed.log"
  ((code <= 1)) || { fail "$name ended in $code: $(tail -n 3 "$work/$name.undisturbed.log")"; continue; }
  ((code == 0)) || { echo "  some jobs failed:"; sed -n '/^jobs that failed/,/^$/p' "$work/$name.undisturbed.log"; }

  db=$work/$name.disturbed.db
  disturb INT "${STOP_AFTER:-20}" "$name" "$db" "$work/$name.stopped.log"
  disturb KILL "${KILL_AFTER:-20}" "$name" "$db" "$work/$name.killed.log" --resume
  sweep "$name" "$db" "$work/$name.resumed.log" --resume
  again=$?
  ((again == code)) || fail "$name resumed ended in $again, undisturbed in $code: $(tail -n 3 "$work/$name.resumed.log")"
  if compare "$name"; then
    echo "PASS: $name, the same trials"
  else
    fail "$name, other trials"
  fi
done

if ((failures == 0)); then echo "PASS"; else echo "FAIL: $failures"; fi
((failures == 0))
