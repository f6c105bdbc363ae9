"""The sound files to attack, made once from the recordings: two databases, a sweep file, a pack and its cubins."""
import json
import shutil

SOFTMAX = ["softmax", "--shape", "rows=256,cols=4096", "--dtype", "bf16"]
AXPY = ["axpy", "--shape", "n=65536", "--dtype", "fp32"]
REDUCE = ["reduce_sum", "--shape", "n=1048576", "--dtype", "fp32"]
FIRST = ["--device", "recorded", "--strategy", "random", "--budget", "60", "--rounds", "3", "-q"]

SWEEP = {
    "warptune_sweep": 1,
    "about": "three problems that are recorded",
    "defaults": {"strategy": "random", "budget": "25", "seed": 1},
    "jobs": [
        {"kernel": "softmax", "shapes": ["rows=256,cols=4096"], "dtypes": ["bf16"], "flags": {"log": [0]}},
        {"kernel": "axpy", "shapes": ["n=65536", "n=262144"], "dtypes": ["fp32"]},
    ],
}


def tune(problem, seed, db):
    return ["tune", *problem, *FIRST, "--seed", str(seed), "--db", db]


def pack(db, out):
    return ["pack", "--db", db, "--kernels", "axpy", "--extra", "0", "--programs", "0", "-o", out]


def make(attack):
    """The folder with a.db, b.db, sweep.json, p.wtpack, r.json and the kernel folder `scale`; the cache holds p's
    cubins."""
    folder = attack.work / "sound"
    folder.mkdir(parents=True)
    attack.must(["tune", *SOFTMAX, "--device", "recorded", "-q", "--db", "whole.db"], folder)
    attack.must(["record", "--session", "1", "--db", "whole.db", "-o", "r.json"], folder)
    attack.must([*[word for word in tune(REDUCE, 1, "a.db") if word not in ("--rounds", "3")]], folder)
    for problem in (SOFTMAX, AXPY):
        attack.must(tune(problem, 1, "a.db"), folder)
    for problem in (SOFTMAX, REDUCE):
        attack.must(tune(problem, 2, "b.db"), folder)
    (folder / "sweep.json").write_text(json.dumps(SWEEP))
    attack.must(pack("a.db", "p.wtpack"), folder)
    shutil.copytree(attack.root / "tests/data/specs/scale", folder / "scale")
    return folder
