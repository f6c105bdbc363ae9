"""Flips bytes in a pack, a database, a recording and the cubin cache, or cuts them. Each reader must exit with a
documented code, and must give the sound file's answer or report an error. A database has no checksums over its rows, so
another number there is counted (`unnoticed`) but is not a finding; docs/reliability.md says what is promised
instead."""
import re
import shutil
import sqlite3
import sys

from common import Finding, fresh
from samples import AXPY, SOFTMAX, pack, tune

RUNTIME = [sys.executable, "-B", "USE_LIBRARY", "LIBRARY"]  # Damage.command fills the names in

VERBS = {  # each gets the damaged file under its own name
    "pack": ("p.wtpack", [
        ["pack", "check", "p.wtpack"],
        ["pack", "list", "p.wtpack", "--json"],
        ["pack", "diff", "p.wtpack", "sound.wtpack"],
        ["explain", *AXPY, "--device", "NVIDIA H200", "--db", "p.wtpack"],
        ["show", "best", "--db", "p.wtpack", "--json"],
        RUNTIME + ["p.wtpack"],
    ]),
    "database": ("a.db", [
        ["show", "best", "--db", "a.db", "--json"],
        ["show", "trials", "--db", "a.db", "--json"],
        ["show", "sessions", "--db", "a.db", "--json"],
        ["explain", *SOFTMAX, "--device", "NVIDIA H200", "--db", "a.db"],
        ["report", "--db", "a.db", "--csv", "-", "-o", "r.html"],
        ["compare", "a.db", "sound.db", "--json"],
        ["merge", "-o", "m.db", "a.db", "--json"],
        ["backup", "a.db", "b.db"],
        ["recheck", "--db", "a.db", "--device", "none", "--seed", "1", "--json"],
        ["record", "--session", "1", "--db", "a.db", "-o", "s.json"],
        ["export", "--session", "1", "--db", "a.db", "--format", "t4", "-o", "t4.json"],
        [*pack("a.db", "q.wtpack"), "--no-compile"],
        tune(SOFTMAX, 1, "a.db") + ["--resume"],
        RUNTIME + ["a.db"],
    ]),
    "recording": ("r.json", [
        ["tune", *SOFTMAX, "--device", "recorded:r.json", "--strategy", "random", "--budget", "20", "--rounds", "3", "-q",
         "--db", "t.db"],
        ["replay", "r.json", "--seeds", "1", "--budget", "20", "--strategy", "random", "--json"],
        ["export", "--recording", "r.json", "--format", "kernel-tuner", "-o", "kt.json"],
        ["space", *SOFTMAX, "--device", "recorded:r.json", "--json"],
    ]),
    "cubin cache": ("cache", [[*pack("sound.db", "q.wtpack"), "--no-compile"]]),
}
OUTPUTS = ("s.json", "t4.json", "q.wtpack", "kt.json")  # compared as well
TIMES = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|time +[\d.]+ (ms|s|us)|own_ms_per_evaluation\": [\d.e-]+")


class Damage:
    def __init__(self, attack, sound, kind):
        self.attack, self.sound, self.kind = attack, sound, kind
        self.name, self.verbs = VERBS[kind]
        self.expected = []
        for verb in range(len(self.verbs)):
            folder = fresh(attack.work / f"damage-{kind.replace(' ', '-')}")
            self.prepare(folder)
            answer = self.answer(verb, folder)
            if answer[0] not in (0, 1):
                raise Finding(f"{self.verbs[verb]} exits with {answer[0]} for the sound file: {answer[3]}")
            self.expected.append(answer)

    def prepare(self, folder):
        for name in ("p.wtpack", "a.db", "r.json"):
            shutil.copy(self.sound / name, folder)
        shutil.copy(self.sound / "a.db", folder / "sound.db")
        shutil.copy(self.sound / "p.wtpack", folder / "sound.wtpack")
        if self.name == "cache":
            shutil.copytree(self.attack.cache, folder / "cache")

    def command(self, verb):
        here = {"USE_LIBRARY": str(self.attack.root / "tests/attack/use_library.py"), "LIBRARY": str(self.attack.library)}
        return [here.get(word, word) for word in self.verbs[verb]]

    def answer(self, verb, folder):
        cache = folder / "cache" if self.name == "cache" else None
        run = self.attack.run(self.command(verb), folder, cache)
        files = {name: TIMES.sub("T", (folder / name).read_text(errors="surrogateescape"))
                 for name in OUTPUTS if (folder / name).exists()}
        return run.code, TIMES.sub("T", run.out.decode()), files, run.err.decode()

    def case(self, number, folder):
        random = self.attack.random(self.kind, number)
        self.prepare(fresh(folder))
        target = folder / self.name
        if self.name == "cache":
            target = random.choice(sorted(p for p in target.rglob("*.cubin")))
        data = bytearray(target.read_bytes())
        what = damage(random, data)
        target.write_bytes(data)
        verb = random.randrange(len(self.verbs))
        code, out, files, err = self.answer(verb, folder)
        good = self.expected[verb]
        if (code, out, files) == good[:3]:
            self.attack.counts[self.kind, "no difference"] += 1
        elif code not in (0, good[0]) or "note:" in err + out or "warning:" in err + out or len(err) > len(good[3]):
            self.attack.counts[self.kind, "told"] += 1
        elif self.kind == "database":
            self.attack.counts[self.kind, "unnoticed"] += 1
            if not still_true(folder / "a.db"):
                self.attack.counts[self.kind, "unnoticed, quick_check fails"] += 1
        elif self.kind == "cubin cache" and "left out" in out + err:
            self.attack.counts[self.kind, "told"] += 1
        else:
            raise Finding(f"{what}; {' '.join(self.command(verb))}: exit {code}, another answer and no word of it: "
                          f"{difference(good, (code, out, files))}")


def damage(random, data):
    """Flips a bit, replaces a byte, some bytes or a page by zeros, cuts the data, or appends a tail."""
    at = random.randrange(len(data))
    how = random.choice(("bit", "bit", "byte", "byte", "bytes", "zeros", "cut", "tail"))
    if how == "bit":
        data[at] ^= 1 << random.randrange(8)
    elif how == "byte":
        data[at] = (data[at] + random.randrange(1, 256)) % 256
    elif how == "bytes":
        for _ in range(random.randrange(2, 9)):
            data[random.randrange(len(data))] = random.randrange(256)
    elif how == "zeros":
        size = min(random.choice((16, 512, 4096)), len(data) - at)
        data[at:at + size] = bytes(size)
    elif how == "cut":
        del data[at:]
    else:
        data += random.randbytes(random.choice((1, 100, 4096)))
    return f"{how} at {at}"


def still_true(path):
    db = sqlite3.connect(path)
    try:
        return db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
    except sqlite3.DatabaseError:
        return False
    finally:
        db.close()


def difference(good, bad):
    if good[0] != bad[0]:
        return f"exit {good[0]} for the sound file"
    for one, other in zip(good[1].splitlines(), bad[1].splitlines()):
        if one != other:
            return f"{one.strip()[:120]} -> {other.strip()[:120]}"
    return "its files differ" if good[1] == bad[1] else "its output is longer or shorter"
