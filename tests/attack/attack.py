#!/usr/bin/env python3
"""Attacks a build of warptune, at scale (docs/reliability.md): make attack, or attack.py --build build/release

    --scale X        the share of the full attack, which takes about an hour on two cores (default 1)
    --only PART      only this part; may be repeated
    --case N         with one --only: only this case, to see a finding again
    --seed N         the random seed (default 0)
    --work DIR       a folder for files; default: one in /dev/shm or the folder of temporary files, removed at the end

Prints a table of the cases and findings. Exit codes: 0 no findings, 1 findings, 2 bad usage."""
import argparse
import concurrent.futures
import itertools
import os
import queue
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

import samples
import threads
from common import Attack, Finding
from damage import Damage
from hostile import Hostile
from kills import Kills
from outputs import FullDisk, Outputs
from shards import Shards

ROOT = Path(__file__).resolve().parents[2]
PARTS = {  # the number of cases of a full attack, and the function that makes one
    "kills": (1000, Kills),
    "pack": (10000, lambda attack, sound: Damage(attack, sound, "pack")),
    "database": (10000, lambda attack, sound: Damage(attack, sound, "database")),
    "recording": (10000, lambda attack, sound: Damage(attack, sound, "recording")),
    "cubin cache": (10000, lambda attack, sound: Damage(attack, sound, "cubin cache")),
    "hostile": (2000, Hostile),
    "outputs": (126, Outputs),
    "full disk": (400, FullDisk),
    "shards": (10, Shards),
}
THREAD_SECONDS = {"memcheck": 500, "helgrind": 500, "thread sanitizer": 200}
KEPT = 20  # per part: findings to print, and whose files are kept


def finding_of(made, number, folder):
    """The finding as text, or None. An error in the attack itself is also a finding, so the others continue."""
    try:
        made.case(number, folder)
        return None
    except Finding as finding:
        return str(finding)
    except Exception:
        return traceback.format_exc(limit=-3)


def run_cases(attack, part, numbers, made, jobs):
    """Findings as (case, text). Each worker has its own folder."""
    folders, kept = queue.SimpleQueue(), itertools.count()
    for i in range(jobs):
        folders.put(attack.work / f"{part.replace(' ', '-')}-{i}")

    def one(number):
        folder = folders.get()
        try:
            text = finding_of(made, number, folder)
            if text and folder.exists() and next(kept) < KEPT:
                to = attack.work / "findings" / f"{part.replace(' ', '-')}-{number}"
                shutil.copytree(folder, to, symlinks=True, ignore_dangling_symlinks=True, dirs_exist_ok=True)
        except (OSError, shutil.Error) as error:  # the shared memory is full
            text = f"{text}\n  its files were not kept: {error}"
        finally:
            folders.put(folder)
        return text and (number, text)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return [found for found in pool.map(one, numbers) if found]


def attack_part(attack, sound, part, options):
    count, make = PARTS[part]
    made = make(attack, sound)
    numbers = [options.case] if options.case is not None else range(max(1, round(count * options.scale)))
    return len(numbers), run_cases(attack, part, numbers, made, options.jobs)


def attack_threads(attack, tool, options):
    if why := threads.missing(attack, tool):
        return why, []
    try:
        return threads.run(attack, tool, THREAD_SECONDS[tool] * options.scale), []
    except Finding as finding:
        return 1, [(0, str(finding))]


def attack_one(attack, sound, part, options):
    """A row of the table. The findings are printed when their part is done."""
    begin = time.monotonic()
    attack.counts.clear()
    try:
        cases, findings = (attack_threads(attack, part, options) if part in THREAD_SECONDS else
                           attack_part(attack, sound, part, options))
    except Finding as finding:  # while making the undisturbed run
        cases, findings = 0, [("-", str(finding))]
    except Exception:
        cases, findings = 0, [("-", traceback.format_exc(limit=-3))]
    for number, text in findings[:KEPT]:
        print(f"{part} {number}: {text}\n  again: attack.py --seed {options.seed} --only '{part}' --case {number}", flush=True)
    if len(findings) > KEPT:
        print(f"{part}: {len(findings) - KEPT} findings more", flush=True)
    counts = ", ".join(f"{count} {name[1] if isinstance(name, tuple) else name}" for name, count in sorted(attack.counts.items()))
    return part, cases, len(findings), counts, f"{time.monotonic() - begin:.0f} s"


def line(row):
    return "| " + " | ".join(str(cell) for cell in row) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--only", action="append", choices=[*PARTS, *THREAD_SECONDS])
    parser.add_argument("--case", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    if options.scale <= 0 or (options.case is not None and len(options.only or []) != 1):
        parser.error("--scale is above 0, and --case needs one --only")
    if not (options.build / "bin/warptune").exists():
        parser.error(f"there is no {options.build}/bin/warptune; build it first, or name another --build")
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    work = (options.work or Path(tempfile.mkdtemp(prefix="warptune-attack-", dir=memory))).absolute()
    work.mkdir(parents=True, exist_ok=True)
    attack = Attack(ROOT, options.build.absolute(), work, options.seed)
    print(f"seed {options.seed}, scale {options.scale:g}, {options.jobs} at a time, in {work}", flush=True)
    rows, ended = [], ""
    try:
        sound = samples.make(attack)
        for part in options.only or [*PARTS, *THREAD_SECONDS]:
            rows.append(attack_one(attack, sound, part, options))
            print(f"{time.strftime('%H:%M:%S')} {line(rows[-1])}", flush=True)
    except Finding as finding:  # while making the files to attack
        ended = str(finding)
    except KeyboardInterrupt:
        ended = "stopped; the table has the parts that were done"
    print("\n| what | runs | findings | of these runs | took |\n|---|---|---|---|---|")
    for row in rows:
        print(line(row))
    if ended:
        print(f"\n{ended}", flush=True)
    found = sum(row[2] for row in rows)
    if found:
        print(f"\nThe files of the first {KEPT} findings of each part are in {work}/findings")
    elif options.work is None:
        shutil.rmtree(work, ignore_errors=True)
    return 1 if found or ended else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
