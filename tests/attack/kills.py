"""Kills writers at random moments: no stored result is lost, the result is that of an undisturbed run, and no files or
processes are left behind."""
import os
import shutil
import signal
import subprocess
import time

from common import Finding, facts, fresh, judge, leftovers, Run
from samples import AXPY, SOFTMAX, pack, tune

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
VERBS = ("tune", "sweep", "merge", "merge into", "pack", "backup")


class Kills:
    def __init__(self, attack, sound):
        self.attack, self.sound, self.expected, self.seconds = attack, sound, {}, {}
        for verb in VERBS:  # the files of an undisturbed run, and how long it takes
            folder = fresh(attack.work / f"kills-{verb}")
            self.prepare(verb, folder)
            begin = time.monotonic()
            attack.must(self.command(verb), folder)
            self.seconds[verb] = time.monotonic() - begin
            self.expected[verb] = self.result(verb, folder)
            if left := leftovers(folder):
                raise Finding(f"{verb} leaves {left}")

    def prepare(self, verb, folder):
        for name in ("a.db", "b.db", "sweep.json"):
            shutil.copy(self.sound / name, folder)
        if verb == "merge into":
            shutil.copy(self.sound / "b.db", folder / "out.db")

    def command(self, verb, resume=False):
        return {
            "tune": tune(SOFTMAX, 5, "out.db") + ["--resume"] * resume,
            "sweep": ["sweep", "sweep.json", "--devices", "recorded", "--db", "out.db", "-q"] + ["--resume"] * resume,
            "merge": ["merge", "-o", "out.db", "a.db", "b.db"],
            "merge into": ["merge", "-o", "out.db", "a.db"],
            "pack": pack("a.db", "out.wtpack"),
            "backup": ["backup", "a.db", "out.db"],
        }[verb]

    def result(self, verb, folder):
        if verb == "pack":
            return (folder / "out.wtpack").read_bytes()
        return facts(folder / "out.db")

    def case(self, number, folder):
        random = self.attack.random("kills", number)
        verb = VERBS[number % len(VERBS)]
        self.prepare(verb, fresh(folder))
        before = {name: (folder / name).read_bytes() for name in ("a.db", "b.db")}
        stored = facts(folder / "out.db") if verb in ("tune", "sweep") else None
        for _ in range(random.randint(1, 3)):  # a resumed run may be killed as well
            self.disturb(random, verb, folder)
            if verb in ("tune", "sweep"):
                now = facts(folder / "out.db")
                if lost := [row for row in stored["trials"] if row not in now["trials"]]:
                    raise Finding(f"{verb}: {len(lost)} trials that were stored are lost, such as {lost[0][:3]}")
                stored = now
            elif verb == "merge into" and (now := facts(folder / "out.db")) not in (self.expected[verb], facts(folder / "b.db")):
                raise Finding(f"{verb}: the output is neither as it was nor whole")
            elif verb in ("merge", "backup") and (folder / "out.db").exists() and self.result(verb, folder) != self.expected[verb]:
                raise Finding(f"{verb}: a part of the output has its name")
            elif verb == "pack" and (folder / "out.wtpack").exists() and self.result(verb, folder) != self.expected[verb]:
                raise Finding(f"{verb}: a part of the output has its name")
        if verb == "backup" and (folder / "out.db").exists():
            return self.look_around(verb, folder, before)  # a backup replaces nothing
        self.attack.must(self.command(verb, resume=(folder / "out.db").exists()), folder)
        if self.result(verb, folder) != self.expected[verb]:
            raise Finding(f"{verb}: the result after a kill is not that of an undisturbed run")
        self.look_around(verb, folder, before)

    def look_around(self, verb, folder, before):
        for name, content in before.items():
            if (folder / name).read_bytes() != content:
                raise Finding(f"{verb}: the input {name} was changed")
        if left := leftovers(folder):
            raise Finding(f"{verb}: {', '.join(left)} stayed behind")

    def disturb(self, random, verb, folder):
        how = random.choice(SIGNALS)
        arguments = self.command(verb, resume=(folder / "out.db").exists())
        if verb == "backup" and (folder / "out.db").exists():
            return
        child = self.attack.start([str(self.attack.program), *arguments], folder)
        time.sleep(random.uniform(0, self.seconds[verb] * 1.1))
        os.kill(child.pid, how)
        try:
            out, err = child.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            raise Finding(f"{verb}: does not end for {how.name}")
        self.attack.counts["ended first" if child.returncode >= 0 and child.returncode != 130 else "killed"] += 1
        if child.returncode != -how:  # the signal may come before the child handles signals
            judge(arguments, Run(child.returncode, out, err))
        wait_for_processes(child.pid, verb)


def wait_for_processes(session, verb):
    """The session's workers end when its leader ends: each watches its parent itself."""
    deadline = time.monotonic() + 20
    while alive := processes(session):
        if time.monotonic() > deadline:
            os.killpg(session, signal.SIGKILL)
            raise Finding(f"{verb}: processes {alive} outlive it")
        time.sleep(0.005)


def processes(session):
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as stat:
                    fields = stat.read().rpartition(") ")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] not in "ZX":
                found.append(int(entry))
    return found
