#!/usr/bin/env python3
"""Simulates a sweep of 10,000 problems on 1 to 1,024 GPUs, event by event, with recorded times (docs/cluster.md).

  cluster_simulation.py [--gpus 1,4,16,64,256,1024] [--jobs 10000] [--seed 1] [--seeds 10] [--set scatter=1] [--variants]

A job is one recorded session (recordings/*.json have the times of compiling, checking and measuring each configuration),
its finals and its database. Processes, one per GPU, claim jobs in a shared folder, the longest first, as in
`warptune sweep --run`. --variants also simulates 256 GPUs with other assumptions.
"""
import argparse
import bisect
import glob
import heapq
import json
import os
import random
import statistics

ASSUMPTIONS = {
    "trials": 0,              # evaluations of a job; 0: the whole recorded space
    "gpus_per_node": 8,
    "compilers": 15,          # compiling processes for each GPU (16 cores, one for the device)
    "new_programs": 1.0,  # share of configurations that are not in the cache yet
    # Time of a session without its trials: database, reference, finals (64 recorded jobs: 1.38 s in all).
    "overhead_s": 0.6,
    "expected_spread": 0.3,   # the expected cost of a job is wrong by this factor (standard deviation of its logarithm)
    "stagger_s": 5,           # Slurm starts the tasks of the array within this time
    "start_s": 4,  # start of a process: program, driver, context
    "failure_h": 500,         # mean time between failures of a node
    "repair_s": 1800,
    "preempt_h": 12,          # mean time between preemptions of a process
    "requeue_s": 150,         # seen with Slurm 22.05
    "lease_s": 60,
    "op_ms": 0.1,  # the file server's time for one operation
    "latency_ms": 2,  # the additional latency of one operation, as the process sees it
    "slow_share": 0.05,  # share of the time in which the file system is slow ...
    "slow_factor": 20,  # ... by this factor
    "long_first": True,
    "scatter": 32,            # a claim draws one of this many of the longest free jobs, or of as many as are running if fewer
    "publish_every_s": 0,     # a process publishes its database after a job, but not more often than this
}

# Operations in the run folder, as counted in a trace of the system calls: look at the claims (1: a listing), claim by
# link (1; and 2 stats if refused), end the claim (create, write, close, rename), publish the database (touch the
# process's file, to see that the run is still there; create, write, sync, close, rename). A heartbeat writes the
# process's record (4, like the end) and checks whether the run was cancelled (1); at every second one, the process
# checks whether a look at the heartbeats is due (open, close, touch, stat).
LOOK, CLAIM, REFUSED, END, PUBLISH, BEAT = 1, 1, 3, 4, 6, 7
MAX_REFUSALS = 32  # then the process lists the claims again
BEATS_PER_LEASE = 4


def recorded_spaces(folder):
    """Returns for each recording (compile ms, verify + measure ms) of each configuration."""
    spaces = []
    for file in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(file) as text:
            recording = json.load(text)
        columns, count = recording["columns"], recording["trials"]
        of = lambda name: columns[name] if isinstance(columns[name], list) else [columns[name]] * count
        if isinstance(columns["compile_ms"], list):  # else the cubins came from a cache
            spaces.append(list(zip(of("compile_ms"), (v + m for v, m in zip(of("verify_ms"), of("measure_ms"))))))
    return spaces


def make_jobs(spaces, count, a, rng):
    """Returns (seconds on the device, expected seconds) of each job."""
    jobs = []
    for _ in range(count):
        space = rng.choice(spaces)
        picked = rng.choices(space, k=a["trials"]) if a["trials"] else space
        compiling = sum(c for c, _ in picked) / 1e3 * a["new_programs"] / a["compilers"]
        evaluating = sum(e for _, e in picked) / 1e3
        seconds = a["overhead_s"] + max(compiling, evaluating)
        jobs.append((seconds, seconds * rng.lognormvariate(0, a["expected_spread"])))
    return jobs


class FileServer:
    """A file server with one queue. Every operation takes time of the server, and then a latency for which only the
    process waits."""

    def __init__(self, a, seed, gpus):
        self.a, self.seed, self.free_at, self.operations = a, seed, 0.0, 0
        self.beats_per_s, self.beaten_until = gpus * BEATS_PER_LEASE / a["lease_s"], 0.0
        self.per_second = {}

    def is_slow(self, minute):
        # The slow minutes are the same for all parameters.
        return random.Random(f"{self.seed} {minute}").random() < self.a["slow_share"]

    def count(self, now, operations):
        self.operations += operations
        self.per_second[int(now)] = self.per_second.get(int(now), 0) + operations

    def run(self, now, operations):
        """Returns the time at which a process that begins now has finished its operations, one after another."""
        slow = self.a["slow_factor"] if self.is_slow(int(now // 60)) else 1
        service, latency = self.a["op_ms"] * slow / 1e3, self.a["latency_ms"] * slow / 1e3
        # Heartbeats since the last call, for which no process waits.
        beats = (now - self.beaten_until) * self.beats_per_s * BEAT
        self.free_at = max(self.free_at, self.beaten_until) + beats * service
        self.beaten_until = now
        self.count(now, operations + beats)
        begin = max(now, self.free_at)
        self.free_at = begin + operations * service
        return begin + operations * (service + latency)


def simulate(jobs, gpus, a, seed):
    rng = random.Random(seed)
    server = FileServer(a, seed, gpus)
    order = sorted(range(len(jobs)), key=lambda j: -jobs[j][1]) if a["long_first"] else list(range(len(jobs)))
    left = {j: jobs[j][0] for j in order}  # seconds of the job that published trials do not save
    waiting = list(enumerate(order))  # (place, job), sorted
    place_of = {j: place for place, j in enumerate(order)}
    nodes = (gpus + a["gpus_per_node"] - 1) // a["gpus_per_node"]
    events, serial = [], 0
    epoch = [0] * gpus  # generation of a process; an event of an earlier generation is void

    def at(time, kind, gpu, *facts):
        nonlocal serial
        serial += 1
        heapq.heappush(events, (time, serial, kind, gpu, epoch[gpu], facts))

    for gpu in range(gpus):
        at(rng.uniform(0, a["stagger_s"]) + a["start_s"], "free", gpu)
        at(rng.expovariate(1 / (a["preempt_h"] * 3600)), "preempt", gpu)
    failures = []  # failures of nodes: never void
    for node in range(nodes):
        heapq.heappush(failures, (rng.expovariate(1 / (a["failure_h"] * 3600)), node))
    done, useful, lost_s, idle, end = 0, 0.0, 0.0, set(), 0.0
    running = {}  # gpu -> (job, begin)
    preempted = failed = 0
    published = [0.0] * gpus
    has_claimed = set()
    looking = []  # the end times of the processes that are looking for a job

    def stop(gpu, now, keeps):
        """Ends the process. `keeps`: whether it stores its measurements and hands the job back."""
        nonlocal lost_s
        epoch[gpu] += 1
        idle.discard(gpu)
        if gpu not in running:
            return None
        job, begin = running.pop(gpu)
        spent = max(0.0, now - begin)
        if keeps:
            left[job] = max(left[job] - spent, 0.0) + a["overhead_s"]
        else:
            lost_s += spent
        return job

    def give_back(job, now):
        bisect.insort(waiting, (place_of[job], job))
        for gpu in list(idle)[:1]:
            idle.discard(gpu)
            at(now, "free", gpu)

    while done < len(jobs):
        if failures and (not events or failures[0][0] < events[0][0]):
            now, node = heapq.heappop(failures)
            failed += 1
            for gpu in range(node * a["gpus_per_node"], min(gpus, (node + 1) * a["gpus_per_node"])):
                job = stop(gpu, now, False)
                if job is not None:  # a process that looks finds the job after its lease has ended
                    at(now + a["lease_s"] + rng.uniform(0, a["lease_s"] / 2), "expired", gpu, job)
                at(now + a["repair_s"] + a["start_s"], "free", gpu)
                at(now + a["repair_s"] + rng.expovariate(1 / (a["preempt_h"] * 3600)), "preempt", gpu)
            heapq.heappush(failures, (now + a["repair_s"] + rng.expovariate(1 / (a["failure_h"] * 3600)), node))
            continue
        now, _, kind, gpu, of_epoch, facts = heapq.heappop(events)
        if kind == "expired":
            give_back(facts[0], now)
            continue
        if of_epoch != epoch[gpu]:
            continue
        if kind == "preempt":
            preempted += 1
            job = stop(gpu, now, True)
            if job is not None:
                give_back(job, server.run(now, PUBLISH + END))
            at(now + a["requeue_s"] + a["start_s"], "free", gpu)
            at(now + a["requeue_s"] + rng.expovariate(1 / (a["preempt_h"] * 3600)), "preempt", gpu)
        elif kind == "free":
            if not waiting:
                idle.add(gpu)
                continue
            # A process that looks while others claim cannot get the jobs that the others take. Its first claim starts
            # further down the list, at a random place.
            looking = [until for until in looking if until > now]
            rivals = 0 if gpu not in has_claimed else len(looking)
            drawn_from = max(min(a["scatter"], len(running), len(waiting)), 1)
            refusals = min(sum(rng.randrange(drawn_from) == 0 for _ in range(rivals)), MAX_REFUSALS)
            place = rng.randrange(drawn_from)
            has_claimed.add(gpu)
            begin = server.run(now, LOOK + CLAIM + refusals * REFUSED)
            looking.append(begin)
            _, job = waiting.pop(place)
            running[gpu] = (job, begin)
            at(begin + left[job], "ended", gpu, job)
        elif kind == "ended":
            running.pop(gpu)
            publishes = now - published[gpu] >= a["publish_every_s"] or not waiting
            if publishes:
                published[gpu] = now
            after = server.run(now, PUBLISH * publishes + END)
            done += 1
            useful += jobs[facts[0]][0]
            end = max(end, after)
            at(after, "free", gpu)
    rates = sorted(server.per_second.values())
    return {
        "makespan_s": end, "efficiency": useful / (gpus * end), "ops_per_s": server.operations / end,
        "busiest_ops_per_s": rates[-1], "lost_s": lost_s, "preempted": preempted, "failed_nodes": failed,
    }


def print_row(name, jobs, gpus, a, seeds):
    results = [simulate(jobs, gpus, a, seed) for seed in seeds]
    mean = {key: statistics.mean(r[key] for r in results) for key in results[0]}
    least = min(r["efficiency"] for r in results)
    print(f"| {name} | {mean['makespan_s']:,.0f} | {mean['efficiency']:.3f} ({least:.3f}) | {mean['ops_per_s']:,.1f} | "
          f"{mean['busiest_ops_per_s']:,.0f} | {mean['preempted']:.1f} | {mean['failed_nodes']:.1f} | "
          f"{mean['lost_s']:,.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", default="1,4,16,64,256,1024")
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=10, help="runs of each row, with different seeds; default: 10")
    parser.add_argument("--variants", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change an assumption; may be repeated")
    args = parser.parse_args()
    for change in args.set:
        name, _, value = change.partition("=")
        if name not in ASSUMPTIONS:
            parser.error(f"--set {name}: the assumptions are {', '.join(ASSUMPTIONS)}")
        ASSUMPTIONS[name] = type(ASSUMPTIONS[name])(float(value))
    here = os.path.dirname(os.path.abspath(__file__))
    spaces = recorded_spaces(os.path.join(here, "../../recordings"))
    seeds = range(args.seed, args.seed + args.seeds)

    def jobs_with(a):
        return make_jobs(spaces, args.jobs, a, random.Random(args.seed))

    jobs = jobs_with(ASSUMPTIONS)
    seconds = sorted(s for s, _ in jobs)
    print(f"{args.jobs:,} jobs from {len(spaces)} recorded spaces: {sum(seconds) / 3600:.1f} GPU hours; a job takes "
          f"{statistics.mean(seconds):.1f} s (median {statistics.median(seconds):.1f}, longest {seconds[-1]:.0f})\n")
    head = "makespan, s | efficiency: mean (least) | file operations per s | in the busiest second | preemptions | " \
           "failed nodes | GPU s lost |"
    print("| GPUs | " + head + "\n|---|---|---|---|---|---|---|---|")
    for gpus in map(int, args.gpus.split(",")):
        print_row(str(gpus), jobs, gpus, ASSUMPTIONS, seeds)
    if not args.variants:
        return
    print("\n| 256 GPUs, but | " + head + "\n|---|---|---|---|---|---|---|---|")
    for name, change in [
        ("as above", {}),
        ("jobs in the file's order", {"long_first": False}),
        ("costs not known: wrong by a factor of 3", {"expected_spread": 1.1}),
        ("no failures, no preemptions", {"failure_h": 1e9, "preempt_h": 1e9}),
        ("a node fails every 50 h", {"failure_h": 50}),
        ("a process is preempted every 2 h", {"preempt_h": 2}),
        ("a lease of 600 s", {"lease_s": 600}),
        ("the file system is never slow", {"slow_share": 0}),
        ("the file system is always slow", {"slow_share": 1}),
        ("each process claims the longest free job", {"scatter": 1}),
        ("a file system 10 times slower", {"op_ms": 1, "latency_ms": 20}),
        ("all programs compiled before", {"new_programs": 0}),
        ("100 evaluations a job", {"trials": 100}),
        ("100 evaluations a job, published every 20 s", {"trials": 100, "publish_every_s": 20}),
    ]:
        a = dict(ASSUMPTIONS, **change)
        print_row(name, jobs_with(a), 256, a, seeds)


if __name__ == "__main__":
    main()
