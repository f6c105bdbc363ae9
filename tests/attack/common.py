"""Shared by the parts of the attack: the program, a folder for each worker, and how a run ended."""
import collections
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess

TIMEOUT_S = 60
MEMORY = 4 << 30
DOCUMENTED = {0, 1, 2, 3, 4, 5, 6, 130}

Run = collections.namedtuple("Run", "code out err")


class Finding(Exception):
    """A violation of a promise; the attack prints its text at the end."""


class Attack:
    def __init__(self, root, build, work, seed):
        self.root, self.build, self.work, self.seed = root, build, work, seed
        self.program = build / "bin" / "warptune"
        self.library = build / "lib" / "libwarptune.so"
        self.recordings = root / "recordings"
        self.cache = work / "cache"
        self.counts = collections.Counter()  # events that the table counts and that are not findings

    def random(self, part, number):
        return random.Random(f"{self.seed}:{part}:{number}")

    def environment(self, cache=None):
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "CUDA_HOME") if name in os.environ}
        return {**kept, "HOME": str(self.work), "XDG_CACHE_HOME": str(cache or self.cache), "LC_ALL": "C.UTF-8",
                "WARPTUNE_RECORDINGS": str(self.recordings), "WARPTUNE_TEMPLATES": str(self.root / "kernel_templates")}

    def start(self, arguments, folder, cache=None, file_size=None):
        def limits():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if file_size is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

        return subprocess.Popen(arguments, cwd=folder, env=self.environment(cache), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=limits)

    def run(self, arguments, folder, cache=None, file_size=None):
        """Runs warptune, or the program if `arguments` begin with a path. A signal, an unknown exit code, a hang, and
        text that is not UTF-8 are always findings."""
        program = [] if arguments[0].startswith("/") else [str(self.program)]
        child = self.start(program + arguments, folder, cache, file_size)
        try:
            out, err = child.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            raise Finding(f"{' '.join(arguments)}: no end after {TIMEOUT_S} s")
        return judge(arguments, Run(child.returncode, out, err))

    def must(self, arguments, folder, cache=None):
        run = self.run(arguments, folder, cache)
        if run.code != 0:
            raise Finding(f"{' '.join(arguments)}: exit {run.code}: {run.err.decode()[:300]}")
        return run


def judge(arguments, run):
    what = " ".join(arguments)
    if run.code < 0:
        raise Finding(f"{what}: ended by signal {-run.code}: {run.err.decode(errors='replace')[-300:]}")
    if run.code not in DOCUMENTED:
        raise Finding(f"{what}: exit code {run.code} is not documented: {run.err.decode(errors='replace')[-300:]}")
    try:
        text = run.out.decode() + run.err.decode()
    except UnicodeDecodeError:
        raise Finding(f"{what}: prints text that is not UTF-8")
    for word in ("AddressSanitizer", "runtime error:", "terminate called"):
        if word in text:
            raise Finding(f"{what}: {text[-300:]}")
    if run.code not in (0, 1) and not run.err.strip():
        raise Finding(f"{what}: exit {run.code} without a sentence")
    return run


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def leftovers(folder):
    """Files that a finished command must not leave beside its own."""
    return sorted(p.name for p in folder.iterdir()
                  if p.name.startswith(".warptune") or p.name.endswith((".tmp", "-wal", "-shm", "-journal", ".lock")))


FACTS = {  # the content of a database, without ids and dates
    "sessions": "SELECT k.name, p.key, s.strategy, s.budget, s.seed, s.space_size, s.state FROM sessions s "
                "JOIN kernels k ON k.id = s.kernel_id JOIN problems p ON p.id = s.problem_id",
    "trials": "SELECT p.key, c.text, t.status, t.median_us, t.min_us, hex(a.us) FROM trials t JOIN sessions s ON s.id = t.session_id "
              "JOIN problems p ON p.id = s.problem_id JOIN configs c ON c.id = t.config_id "
              "LEFT JOIN samples a ON a.trial_id = t.id",
    "best": "SELECT p.key, c.text, b.median_us, b.certified FROM best b JOIN sessions s ON s.id = b.session_id "
            "JOIN problems p ON p.id = s.problem_id JOIN configs c ON c.id = b.config_id",
}


def facts(path):
    """The rows by table; empty for a missing file. A damaged file is a finding."""
    if not path.exists():
        return {name: [] for name in FACTS}
    look = fresh(path.parent.parent / f"{path.parent.name}-look")  # read a copy: opening a file merges its log
    for suffix in ("", "-wal", "-journal"):
        if (part := path.parent / (path.name + suffix)).exists():
            shutil.copy(part, look)
    db = sqlite3.connect(look / path.name)
    try:
        state = db.execute("PRAGMA integrity_check(3)").fetchall()
        if state != [("ok",)]:
            raise Finding(f"{path.name} is damaged: {state[0][0]}")
        if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'trials'").fetchone():
            return {name: [] for name in FACTS}  # it was stopped before its tables were made
        return {name: sorted(db.execute(sql).fetchall(), key=repr) for name, sql in FACTS.items()}
    except sqlite3.DatabaseError as error:
        raise Finding(f"{path.name} cannot be read: {error}")
    finally:
        db.close()
