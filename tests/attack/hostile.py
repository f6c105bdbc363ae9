"""Malicious specs, sweep files and rows of a database, made by changing sound ones. Nothing may crash, hang or report
an internal error; each refusal has a message."""
import copy
import json
import shutil
import sqlite3
import sys

from common import Finding, fresh
from damage import RUNTIME
from samples import AXPY, SOFTMAX, pack

TEXTS = ("", "\0", "a\0b", "../../../etc/passwd", "/dev/zero", "/etc/passwd", "A" * 5000, "é\u202e", "%s%n", "1/0", "((((" * 500,
         "2**63", "-9223372036854775808", "rows*rows*rows*rows*rows", "'; DROP TABLE trials; --", "--create-pch=x", "-I/", "nan",
         "if(1,", "n=0", "n=99999999999999999999", "n=zipf(64,4096,1)", "rows=[1,2,3]", "*", "softmax", "fp32", "\x1b[31m")
NUMBERS = (0, -1, 1, 2, 255, 65536, 2**31, 2**53, 2**63 - 1, -2**63, 2**64, 10**30, 0.5, -0.0, 1e308, 1e-308, 1e999)
SPEC_VERBS = [["kernels", "k"], ["space", "k", "--json"], ["space", "k", "--arch", "sm_80"],
              ["check", "k", "--arch", "sm_90", "--sample", "1", "--shape", "rows=64,cols=64"],
              ["tune", "k", "--shape", "rows=64,cols=64", "--device", "recorded:r.json", "--db", "t.db", "-q"],
              ["explain", "k", "--shape", "rows=64,cols=64", "--arch", "sm_90", "--db", "a.db"]]
SWEEP_VERBS = [["sweep", "s.json", "--dry-run", "--devices", "recorded"],
               ["sweep", "s.json", "--dry-run", "--devices", "recorded", "--json"],
               ["sweep", "s.json", "--devices", "recorded", "--budget", "1", "--db", "t.db", "-q"]]
ROW_VERBS = [["show", what, "--db", "a.db", *json_] for what in ("best", "trials", "sessions", "devices") for json_ in ([], ["--json"])] + [
    ["report", "--db", "a.db", "-o", "r.html", "--svg", "r.svg", "--csv", "r.csv"], ["compare", "a.db", "sound.db"],
    ["explain", *SOFTMAX, "--device", "NVIDIA H200", "--db", "a.db"],
    ["merge", "-o", "m.db", "a.db", "sound.db"], ["export", "--session", "1", "--db", "a.db", "--format", "t4", "-o", "t4.json"],
    ["export", "--session", "2", "--db", "a.db", "--format", "kernel-tuner", "-o", "kt.json"],
    ["record", "--session", "1", "--db", "a.db", "-o", "s.json"], ["recheck", "--db", "a.db", "--device", "none"],
    [*pack("a.db", "q.wtpack"), "--no-compile"], ["backup", "a.db", "b.db"],
    ["tune", *SOFTMAX, "--device", "recorded", "--strategy", "surrogate", "--budget", "20", "--rounds", "3", "--seed", "1", "-q",
     "--db", "a.db", "--resume"], ["tune", *AXPY, "--device", "recorded", "--budget", "5", "--rounds", "3", "-q", "--db", "a.db"],
    RUNTIME + ["a.db"]]
KINDS = ("spec", "sweep", "rows")


class Hostile:
    def __init__(self, attack, sound):
        self.attack, self.sound = attack, sound

    def case(self, number, folder):
        random = self.attack.random("hostile", number)
        fresh(folder)
        shutil.copy(self.sound / "a.db", folder)
        shutil.copy(self.sound / "a.db", folder / "sound.db")
        shutil.copy(self.sound / "r.json", folder)
        getattr(self, KINDS[number % len(KINDS)])(random, folder)

    def spec(self, random, folder):
        shutil.copytree(self.sound / "scale", folder / "k")
        file = folder / "k" / "spec.json"
        file.write_bytes(change_text(random, json.loads(file.read_text())))
        self.use(random.sample(SPEC_VERBS, 3), folder)

    def sweep(self, random, folder):
        (folder / "s.json").write_bytes(change_text(random, json.loads((self.sound / "sweep.json").read_text())))
        self.use(random.sample(SWEEP_VERBS, 2), folder)

    def rows(self, random, folder):
        change_rows(random, folder / "a.db")
        shutil.copy(folder / "a.db", folder / "attacked.db")
        for verb in random.sample(ROW_VERBS, 4):
            shutil.copy(folder / "attacked.db", folder / "a.db")
            (folder / "b.db").unlink(missing_ok=True)
            self.use([verb], folder)

    def use(self, verbs, folder):
        here = {"USE_LIBRARY": str(self.attack.root / "tests/attack/use_library.py"), "LIBRARY": str(self.attack.library)}
        for verb in verbs:
            run = self.attack.run([here.get(word, word) for word in verb], folder)
            self.attack.counts["accepted" if run.code in (0, 1) else "refused"] += 1
            if run.code == 6:
                raise Finding(f"{' '.join(verb)}: exit 6 for a hostile file: {run.err.decode()[:300]}")


def change_text(random, value):
    """JSON with one to four of its values changed, and sometimes some of its bytes."""
    value = copy.deepcopy(value)
    for _ in range(random.randint(1, 4)):
        change_value(random, value)
    data = bytearray(json.dumps(value).encode())
    if random.random() < 0.2:
        for _ in range(random.randint(1, 3)):
            at = random.randrange(len(data))
            data[at:at + random.randint(0, 3)] = random.choice((b"\0", b"\xff", b"{", b"[" * 2000, b'"', b",", b"1e5", b""))
    return bytes(data)


def change_value(random, value):
    holders = [value]
    places = []
    while holders:
        holder = holders.pop()
        for key in holder.keys() if isinstance(holder, dict) else range(len(holder)):
            places.append((holder, key))
            if isinstance(holder[key], (dict, list)):
                holders.append(holder[key])
    if not places:
        return
    holder, key = random.choice(places)
    old = holder[key]
    how = random.randrange(8)
    if how == 0:
        del holder[key]
    elif how == 1 and isinstance(holder, list):
        holder.extend([old] * random.choice((1, 3, 300)))
    elif how == 2 and isinstance(holder, dict):
        holder[random.choice(TEXTS)] = old
    elif how == 3 and isinstance(old, str):
        at = random.randint(0, len(old))
        holder[key] = old[:at] + random.choice(TEXTS) + old[at:]
    elif how == 4:
        other, there = random.choice(places)
        if there in other if isinstance(other, dict) else there < len(other):
            holder[key] = copy.deepcopy(other[there])
    else:
        holder[key] = random.choice((None, True, [], {}, [[]], random.choice(TEXTS), random.choice(TEXTS), random.choice(NUMBERS),
                                     random.choice(NUMBERS)))


def change_rows(random, path):
    db = sqlite3.connect(path)
    db.execute("PRAGMA ignore_check_constraints = ON")
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")]
    tables = [name for name in tables if db.execute(f"SELECT 1 FROM {name}").fetchone()]
    for _ in range(random.randint(1, 6)):
        table = random.choice(tables)
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        column = random.choice(columns)
        old = db.execute(f"SELECT {column} FROM {table} ORDER BY random() LIMIT 1").fetchone()
        value = random.choice((random.choice(TEXTS), random.choice(NUMBERS), None, b"", random.randbytes(64), old and old[0]))
        if isinstance(value, int) and not -2**63 <= value < 2**63:
            value = float(value)
        where = random.choice(("1", f"{column} = (SELECT {column} FROM {table} LIMIT 1)"))
        try:
            if random.random() < 0.15:
                db.execute(f"DELETE FROM {table} WHERE {where}")
            else:
                db.execute(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {where}", (value,))
        except (sqlite3.DatabaseError, OverflowError):
            pass  # the type differs from the column's
    db.commit()
    db.close()
