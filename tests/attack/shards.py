"""Kills processes that share a sweep at random moments: the merged database has the trials of an undisturbed sweep, and
no published result is lost."""
import json
import os
import shutil
import signal
import time

from common import Finding, facts, fresh, judge, Run

SHARDS = 8
KILLS = 20  # per case


def sweep_of(recordings):
    """Enough recorded problems with small files that the run does not end before the last kill."""
    jobs = []
    for file in sorted(recordings.glob("*.json")):
        if not file.name.startswith(("axpy", "reduce_sum", "transpose")):
            continue
        parts = (content := json.loads(file.read_text()))["problem"].split(";")
        flags = dict(flag.split("=") for flag in parts[2].split(",")) if len(parts) > 2 else {}
        jobs.append({"kernel": content["kernel"], "shapes": [parts[0]], "dtypes": [parts[1]],
                     "flags": {name: int(value) if value.isdigit() else value for name, value in flags.items()}})
    return {"warptune_sweep": 1, "jobs": jobs,
            "defaults": {"strategy": "random", "budget": 25, "seed": 1, "knowledge": "none"}}


def trials(database):
    return set(facts(database)["trials"])


class Shards:
    def __init__(self, attack, sound):
        self.attack, self.sound = attack, sound
        folder = fresh(attack.work / "shards-undisturbed")
        self.file = folder / "sweep.json"
        self.file.write_text(json.dumps(sweep_of(attack.recordings)))
        attack.must(["sweep", str(self.file), "--devices", "recorded", "-q", "--db", "out.db"], folder)
        self.expected = trials(folder / "out.db")

    def words(self, shard):
        return ["sweep", str(self.file), "--devices", "recorded", "--run", "run", "--shard", f"{shard}/{SHARDS}", "--lease", "1s",
                "--local", "local", "--compile-workers", "1", "-q"]

    def case(self, number, folder):
        random = self.attack.random("shards", number)
        fresh(folder)
        start = lambda shard: self.attack.start([str(self.attack.program), *self.words(shard)], folder)
        children = [start(shard) for shard in range(SHARDS)]
        published = set()
        try:
            for kill in range(KILLS):
                time.sleep(random.uniform(0, 0.3))
                victim = random.randrange(SHARDS)
                self.attack.counts["killed" if children[victim].poll() is None else "ended first"] += 1
                os.killpg(children[victim].pid, signal.SIGKILL)
                children[victim].communicate()
                if kill == KILLS // 2 and any((folder / "run" / "results").glob("*.db")):
                    published = self.merged(folder)
                children[victim] = start(victim)
            for child in children:
                out, err = child.communicate(timeout=120)
                judge(self.words(0), Run(child.returncode, out, err))
        finally:
            for child in children:
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.communicate()
        self.attack.must(self.words(0) + ["--resume"], folder)  # a job that lost three processes was given up
        merged = self.merged(folder)
        if lost := published - merged:
            raise Finding(f"{len(lost)} trials that were published are lost, such as {next(iter(lost))[:3]}")
        if merged != self.expected:
            raise Finding(f"{len(merged)} trials, of which {len(merged & self.expected)} are those of an undisturbed sweep of "
                          f"{len(self.expected)}")
        if left := [path.name for path in (folder / "run" / "results").iterdir() if path.suffix not in (".db", ".tmp")]:
            raise Finding(f"{', '.join(left)} in results/")
        shutil.rmtree(folder / "run")

    def merged(self, folder):
        (folder / "merged.db").unlink(missing_ok=True)
        self.attack.must(["merge", "-o", "merged.db", "run"], folder)
        return trials(folder / "merged.db")
