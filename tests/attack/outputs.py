"""Outputs that name databases, and a full disk: no output replaces a database or its log, and a command without disk
space says so and leaves only whole files."""
import os
import shutil
import subprocess

from common import Finding, facts, fresh, leftovers
from samples import AXPY, SOFTMAX, pack, tune

WRITERS = {
    "tune --trace": lambda out: tune(AXPY, 9, "w.db") + ["--trace", out],
    "sweep --trace": lambda out: ["sweep", "sweep.json", "--devices", "recorded", "--db", "w.db", "-q", "--budget", "2", "--trace", out],
    "record -o": lambda out: ["record", "--session", "1", "--db", "a.db", "-o", out, "--force"],
    "export -o": lambda out: ["export", "--session", "1", "--db", "a.db", "--format", "t4", "-o", out, "--force"],
    "replay -o": lambda out: ["replay", "r.json", "--seeds", "1", "--budget", "5", "--strategy", "random", "-o", out, "--force"],
    "report -o": lambda out: ["report", "--db", "a.db", "-o", out, "--force"],
    "report --csv": lambda out: ["report", "--db", "a.db", "-o", "r.html", "--csv", out, "--force"],
    "pack -o": lambda out: pack("a.db", out),
    "backup": lambda out: ["backup", "a.db", out],
}
VICTIMS = ("a.db", "b.db", "link.db", "hard.db", "./a.db", "sub/../b.db", "a.db-wal", "b.db-journal", "w.db", "w.db-wal", "w.db-journal",
           "w.db-shm", "link.db-wal", "sub")
WORKS = ("tune", "sweep", "merge", "backup", "pack", "record", "report", "export")


def unmount(folder):
    subprocess.run(["umount", "-l", folder], check=True, capture_output=True)  # -l: workers may still be ending in it


class Outputs:
    def __init__(self, attack, sound):
        self.attack, self.sound = attack, sound
        self.before = {name: facts(sound / name) for name in ("a.db", "b.db")}
        self.cases = [(writer, victim) for writer in WRITERS for victim in VICTIMS]

    def prepare(self, folder):
        for name in ("a.db", "b.db", "r.json", "sweep.json"):
            shutil.copy(self.sound / name, fresh(folder) / name if name == "a.db" else folder / name)
        (folder / "sub").mkdir()

    def case(self, number, folder):
        writer, victim = self.cases[number % len(self.cases)]
        self.prepare(folder)
        os.symlink("a.db", folder / "link.db")
        os.link(folder / "b.db", folder / "hard.db")
        command = WRITERS[writer](victim)
        run = self.attack.run(command, folder)
        # Not a database of these commands.
        is_new = victim.startswith("w.db") and writer not in ("tune --trace", "sweep --trace")
        is_folder = victim == "sub" and writer == "backup"  # code 5, as for each database that is a folder
        if run.code != 2 and not (is_new and run.code == 0) and not (is_folder and run.code == 5):
            raise Finding(f"{' '.join(command)}: exit {run.code} instead of 2: {run.err.decode()[:200]}")
        for name, good in self.before.items():
            if facts(folder / name) != good:
                raise Finding(f"{' '.join(command)}: {name} was changed")


class FullDisk:
    def __init__(self, attack, sound):
        self.attack, self.sound = attack, sound
        self.outputs = Outputs(attack, sound)
        self.mounts = os.geteuid() == 0 and self.mount(fresh(attack.work / "mount"), "size=64k")
        if self.mounts:
            unmount(attack.work / "mount")

    def mount(self, folder, options):
        """Whether a disk in memory was mounted; not every user, and not every container, may mount one."""
        return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True).returncode == 0

    def run_on_a_small_disk(self, command, folder, room):
        """Replaces the folder by a disk with `room` beside the inputs; afterwards the folder has the files of the
        disk."""
        disk = fresh(folder.parent / f"{folder.name}-disk")
        used = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) + (len(list(folder.rglob("*"))) + 4) * 4096
        if not self.mount(disk, f"size={used + room}"):
            raise Finding("a disk that could be mounted cannot be mounted any more")
        try:
            shutil.copytree(folder, disk, dirs_exist_ok=True)
            self.attack.counts["on a small disk"] += 1
            return self.attack.run(command, disk)
        finally:
            shutil.copytree(disk, fresh(folder), dirs_exist_ok=True)
            unmount(disk)

    def case(self, number, folder):
        random = self.attack.random("full disk", number)
        work = WORKS[number % len(WORKS)]
        self.outputs.prepare(folder)
        command, out = {
            "tune": (tune(SOFTMAX, 5, "out.db"), "out.db"),
            "sweep": (["sweep", "sweep.json", "--devices", "recorded", "--db", "out.db", "-q"], "out.db"),
            "merge": (["merge", "-o", "out.db", "a.db", "b.db"], "out.db"),
            "backup": (["backup", "a.db", "out.db"], "out.db"),
            "pack": (pack("a.db", "out.wtpack"), "out.wtpack"),
            "record": (["record", "--session", "1", "--db", "a.db", "-o", "out.json"], "out.json"),
            "report": (["report", "--db", "a.db", "-o", "out.html"], "out.html"),
            "export": (["export", "--session", "1", "--db", "a.db", "--format", "t4", "-o", "out.json"], "out.json"),
        }[work]
        size = int(2 ** random.uniform(0, 20))
        if not self.mounts or number // len(WORKS) % 2 == 0:
            run = self.attack.run(command, folder, file_size=size)
        else:
            run = self.run_on_a_small_disk(command, folder, size)
        wanted = (5,) if out == "out.db" else (6,)
        if run.code == 0:
            self.attack.counts["had room"] += 1
        elif run.code not in wanted and not (work == "sweep" and run.code == 1):
            raise Finding(f"{' '.join(command)} with room for {size} bytes: exit {run.code}: {run.err.decode()[:200]}")
        elif not out.endswith(".db") and (folder / out).exists():
            raise Finding(f"{' '.join(command)} with room for {size} bytes: a part of {out} has its name")
        for name, good in self.outputs.before.items():
            if facts(folder / name) != good:
                raise Finding(f"{' '.join(command)} with room for {size} bytes: {name} was changed")
        if work == "backup" and run.code == 0:
            return
        self.attack.must(command + ["--resume"] * (work in ("tune", "sweep")), folder)
        if left := leftovers(folder):
            raise Finding(f"{' '.join(command)} with room for {size} bytes, then again: {', '.join(left)} stayed behind")
