#!/usr/bin/env python3
"""A sweep handed in to a real Slurm: an array of 8 tasks on four nodes, replayed. One task is killed, one preempted and
requeued, one hangs until its time limit, one node is drained. The merged database has the trials of an undisturbed run.

Exits with 77, which CTest counts as skipped, where Slurm and munge are not installed (Debian: slurm-wlm, munge)."""
import argparse
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

from cluster import Cluster, missing

TASKS = 8
TRIALS = """SELECT k.name, p.key, c.text, t.status, t.median_us FROM trials t JOIN sessions s ON s.id = t.session_id
            JOIN kernels k ON k.id = s.kernel_id JOIN problems p ON p.id = s.problem_id JOIN configs c ON c.id = t.config_id"""


def check(holds, what):
    if not holds:
        raise AssertionError(what)
    print(f"ok: {what}", flush=True)


def write_sweep(file, recordings):
    """The recorded problems of small spaces. The strategy learns nothing from other jobs, so the trials do not depend
    on which process does a job."""
    jobs = []
    for recording in sorted(recordings.glob("*.json")):
        if recording.name.startswith("gemm"): # their spaces are large
            continue
        content = json.loads(recording.read_text())
        parts = content["problem"].split(";")
        flags = dict(flag.split("=") for flag in parts[2].split(",")) if len(parts) > 2 else {}
        jobs.append({"kernel": content["kernel"], "shapes": [parts[0]], "dtypes": [parts[1]],
                     "flags": {name: int(value) if value.isdigit() else value for name, value in flags.items()}})
    defaults = {"budget": 100, "seed": 5, "strategy": "random", "knowledge": "none"}
    file.write_text(json.dumps({"warptune_sweep": 1, "defaults": defaults, "jobs": jobs}))
    return len(jobs)


def trials(database):
    return set(sqlite3.connect(f"file:{database}?mode=ro", uri=True).execute(TRIALS).fetchall())


class Test:
    def __init__(self, program, root, work, cluster):
        self.program, self.cluster, self.work = program, cluster, work
        self.recordings, self.sweep, self.folder = root / "recordings", work / "sweep.json", work / "run"
        self.jobs = write_sweep(self.sweep, self.recordings)
        # The nodes inherit the environment, as from a login shell.
        cluster.environment.update(WARPTUNE_TEMPLATES=str(root / "kernel_templates"), HOME=str(work), TMPDIR=str(work / "tmp"))
        (work / "tmp").mkdir()

    def warptune(self, *words):
        return self.cluster.run(str(self.program), *words)

    def submit(self, *more):
        return self.warptune("sweep", str(self.sweep), "--devices", f"recorded:{self.recordings}", "--compile-workers", "1",
                             "--run", str(self.folder), "--lease", "5s", "--slurm", "--shards", str(TASKS), "--partition", "low",
                             "--time", "30", *more)

    def status(self):
        run = self.warptune("sweep", "--status", str(self.folder), "--json")
        return json.loads(run.stdout) if run.returncode == 0 else None

    def processes(self):
        """The names in Slurm of the running tasks."""
        status = self.status()
        return {p["slurm_job"]: p for p in status["processes"] if p["alive"] and p["working_on"]} if status else {}

    def at_work(self):
        """The running tasks and the queue, when each node has a task with a job. The first tasks may have done all jobs
        before the last one begins, so this does not wait for all."""
        working, queue = self.processes(), self.cluster.queue(self.array)
        return (working, queue) if len({queue[task][1] for task in working if task in queue}) == 4 else None

    def run(self):
        refused = self.submit("--sbatch-option=--no-such-option")
        check(refused.returncode == 2 and "no-such-option" in refused.stderr and "Traceback" not in refused.stderr,
              "an option that sbatch refuses is said, with exit 2")
        submitted = self.submit("--json")
        check(submitted.returncode == 0, f"submitted {submitted.stderr}")
        self.array, self.merge = (json.loads(submitted.stdout)[key] for key in ("array", "merge"))
        check(self.submit().returncode == 2, "a second submission is refused without --resume")
        # Edits of the sweep file have no effect from here on.
        self.sweep.write_text("{}")
        self.disturb()
        self.wait_for_end()
        self.compare()

    def disturb(self):
        cluster = self.cluster
        working, queue = cluster.wait(self.at_work, "a task at work on each node", 120)
        by_node = {}
        for task in sorted(queue, key=lambda task: task not in working):  # the working ones first
            by_node.setdefault(queue[task][1], []).append(task)
        check(len(by_node) == 4, f"the tasks are on four nodes: {queue}")
        nodes = sorted(by_node)
        os.kill(working[by_node[nodes[0]][0]]["pid"], signal.SIGKILL)
        hung = by_node[nodes[1]][0]
        os.kill(working[hung]["pid"], signal.SIGSTOP)
        cluster.run("scontrol", "update", f"jobid={hung}", "timelimit=1")
        cluster.run("scontrol", "update", f"nodename={nodes[2]}", "state=drain", "reason=test")
        urgent = cluster.run("sbatch", "--parsable", "--partition=high", f"--nodelist={nodes[3]}", "--cpus-per-task=2",
                             f"--output={self.work}/urgent.log", "--wrap=sleep 2")
        check(urgent.returncode == 0, "an urgent job is submitted")
        preempted = by_node[nodes[3]]
        cluster.wait(lambda: any(cluster.queue(self.array).get(task, ["", ""])[0] == "PENDING" for task in preempted),
                     "a task is preempted and requeued", 60)
        check(True, f"killed {by_node[nodes[0]][0]}, stopped {hung}, drained {nodes[2]}, preempted one of {preempted}")
        self.preempted, self.hung = preempted, hung

    def wait_for_end(self):
        def ended():
            queue = self.cluster.queue(f"{self.array},{self.merge}")
            for task, (state, _) in queue.items():
                if state == "PENDING" and task in self.preempted:  # otherwise Slurm waits two minutes
                    self.cluster.run("scontrol", "update", f"jobid={task}", "StartTime=now")
            return not queue
        self.cluster.wait(ended, "the array and the merge job end", 420)

    def compare(self):
        logs = {log.name: log.read_text(errors="replace") for log in (self.folder / "logs").iterdir()}
        status = self.status()
        model = status["models"][0]
        check(status["complete"] and model["finished"] == self.jobs and model["failed"] == 0, f"all {self.jobs} jobs are done")
        started = [p["slurm_job"] for p in status["processes"]]
        check(any(started.count(task) > 1 for task in self.preempted), "the preempted task was started again")
        claims = sorted(path.name for path in (self.folder / "claims").iterdir() if path.suffix != ".tmp")
        # A task that is stopped at the end of a job has no job to hand back.
        attempts, ends = ([name for name in claims if name.count(".") == dots] for dots in (1, 2))
        back = sum(name.endswith(".back") for name in ends)
        lost = sum(not any(end.startswith(name + ".") for end in ends) for name in attempts)
        check(back >= 1, f"tasks that were told to stop handed {back} jobs back")
        check(lost >= 1, f"{lost} claims have no end, among them that of the killed task")
        check(sum(not name.endswith(".1") for name in attempts) >= back + lost, "all these jobs were taken over")
        # Slurm sends SIGTERM a minute before the limit, which is reached at once here.
        check("stopping: " in logs[self.hung + ".log"], "the hanging task stopped at its time limit")
        merged = trials(self.folder / "merged.db")
        alone = self.work / "alone.db"
        run = self.warptune("sweep", str(self.folder / "frozen/sweep.json"), "--devices", f"recorded:{self.recordings}", "--db",
                            str(alone), "-q")
        check(run.returncode == 0, "an undisturbed run")
        check(merged == trials(alone), f"the merged database has its {len(merged)} trials")
        again = self.warptune("sweep", "--devices", f"recorded:{self.recordings}", "--run", str(self.folder), "--slurm", "--resume",
                              "--compile-workers", "1")
        check(again.returncode == 0 and "no result is missing" in again.stdout, f"--resume has nothing to do {again.stderr}")
        cancelled = self.warptune("sweep", "--cancel", str(self.folder))
        check(cancelled.returncode == 0, f"--cancel asks nothing of Slurm for arrays that have ended {cancelled.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--keep", action="store_true", help="keep the folder, for a look at logs")
    arguments = parser.parse_args()
    if absent := missing():
        print(f"skipped: {', '.join(absent)} not found; apt-get install --no-install-recommends slurm-wlm munge")
        return 77
    root = pathlib.Path(__file__).resolve().parents[2]
    work = pathlib.Path(tempfile.mkdtemp(prefix="warptune-slurm-"))
    (work / "slurm").mkdir()
    try:
        with Cluster(work / "slurm") as cluster:
            Test(arguments.build / "bin" / "warptune", root, work, cluster).run()
    except (AssertionError, TimeoutError, subprocess.TimeoutExpired) as error:
        print(f"failed: {error}; its folder is {work}")
        return 1
    if arguments.keep:
        print(f"kept {work}")
    else:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
