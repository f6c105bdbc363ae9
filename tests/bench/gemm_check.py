#!/usr/bin/env python3
"""Checks the correctness of the shipped matrix products on random shapes. Needs a GPU.

  bench/gemm_check.py                          200 random problems in each of bf16, fp16 and fp32, 4 configurations of each
  bench/gemm_check.py --problems 50 --dtypes fp32 --seed 7
  bench/gemm_check.py --sanitize 20            then run compute-sanitizer (memcheck, racecheck) on 20 small winners
  bench/gemm_check.py --errors                 only print errors against float64, by dtype and k

A random problem has ragged sizes, any layout, often a batch, rows with gaps, shared operands and an epilogue. `tune`
draws random configurations, including the default, and checks each against the reference in double precision on fresh data, with
poisoned outputs and guard zones, and again after timing. "Largest error" is in units of the tolerance. Exits with 1 if a result is wrong.
"""
import argparse
import concurrent.futures
import math
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_inputs import TREE, dtypes, fail, need_packages, need_program, need_warptune, positive

TOOLS = {"memcheck": ["--padding", "512"], "racecheck": ["--racecheck-report", "hazard"]}  # with their options, as in `warptune check`
MOST_OF_TOLERANCE = 4  # the largest error of a result that was rounded twice, in units of the tolerance
NO_DEVICE = 3          # exit code of warptune


class NoDevice(Exception):
    """No problem can be checked on this machine."""


class Problem:
    """One random problem: `shape` as in --shape, `flags` as in --set."""

    def __init__(self, rng, dtype, largest):
        size = lambda: max(1, round(math.exp(rng.uniform(0, math.log(largest)))))
        # One size in four is a multiple of 64, one in four of 8, so aligned and unaligned paths are equally likely.
        ragged = lambda: (lambda n, step: max(step, n // step * step))(size(), rng.choice([1, 1, 8, 64]))
        self.dtype = dtype
        self.dims = {"m": ragged(), "n": ragged(), "k": ragged()}
        if rng.random() < 0.4:
            self.dims["batch"] = rng.randint(2, 5)
        for pad in ("a_pad", "b_pad", "c_pad"):
            if rng.random() < 0.2:
                self.dims[pad] = rng.choice([1, 3, 4, 8, 64])
        self.flags = {"layout": rng.choice(["nn", "nt", "tn", "tt"])}
        # Each part of the epilogue is drawn independently, so that it also occurs without the others. Every combination is valid.
        if rng.random() < 0.5:
            self.flags["activation"] = rng.choice(["relu", "gelu", "gelu_tanh", "silu", "swiglu", "geglu"])
        for flag, chance in (("bias", 0.4), ("residual", 0.4), ("scaled", 0.25)):
            if rng.random() < chance:
                self.flags[flag] = 1
        if rng.random() < 0.4:
            self.flags["scales"] = rng.choice(["rows", "columns", "both"])
        if self.flags.get("activation") in ("swiglu", "geglu"):
            self.dims["n"] += self.dims["n"] % 2
        if "batch" in self.dims and rng.random() < 0.3:
            self.flags["shared"] = rng.choice(["a", "b"])
        if rng.random() < 0.2:
            self.flags["out"] = "fp32"
        if dtype == "fp32" and rng.random() < 0.2:
            self.flags["math"] = "tf32x3"

    def arguments(self):
        shape = ",".join(f"{name}={value}" for name, value in self.dims.items())
        sets = [word for name, value in self.flags.items() for word in ("--set", f"{name}={value}")]
        return ["gemm", "--shape", shape, "--dtype", self.dtype, *sets]


def tune(warptune, problem, seed, budget, db):
    """Tunes the problem. Returns "" if all is correct, and None if no implementation serves the problem; otherwise the
    exit code and the last line of the error output. Raises NoDevice if there is no GPU."""
    command = [warptune, "tune", *problem.arguments(), "--strategy", "random", "--knowledge", "none", "--budget", str(budget), "--seed",
               str(seed), "--finalists", "1", "--rounds", "1", "--compile-workers", "2", "--db", db, "--quiet"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode == 0:
        return ""
    if ended.returncode == 4 and "is empty: its constraints reject all" in ended.stderr:
        return None
    if ended.returncode == NO_DEVICE:
        raise NoDevice(ended.stderr.strip().removeprefix("warptune: "))
    return f"exit {ended.returncode}: {' '.join(problem.arguments())}: {ended.stderr.strip().splitlines()[-1:]}"


TRIALS = """
SELECT p.key, c.text, t.status, t.worst_ratio, t.verdict_detail, t.evidence FROM trials t JOIN configs c ON c.id = t.config_id
JOIN sessions s ON s.id = t.session_id JOIN problems p ON p.id = s.problem_id"""


def rows_of(db, query):
    """Returns the rows of a database; none if no problem came so far that warptune made the file."""
    return sqlite3.connect(db).execute(query).fetchall() if Path(db).is_file() else []


def sorted_out(trials):
    """Returns the trials that count as wrong, and those in which an algorithm of cuBLASLt was a little wrong. Some of these
    algorithms round twice, for example before they add the bias; a wrong argument would give far larger errors. cuBLASLt
    names fewer algorithms for some problems, and refuses some options, so these configurations cannot be launched."""
    failed = [row for row in trials if row[2] not in ("ok", "invalid")]
    rounded_twice = lambda row: row[2] == "wrong_result" and row[3] is not None and row[3] <= MOST_OF_TOLERANCE
    excused = [row for row in failed if re.match("implementation=cublaslt(_tuned)?,", row[1]) and (row[2] == "launch_failed" or rounded_twice(row))]
    return [row for row in failed if row not in excused], [row for row in excused if row[2] == "wrong_result"]


def random_sweep(options, dtype, folder):
    """Returns whether every configuration was right."""
    rng = random.Random(f"{options.seed} {dtype}")
    problems = [Problem(rng, dtype, options.largest) for _ in range(options.problems)]
    db = str(folder / f"{dtype}.db")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = [pool.submit(tune, options.warptune, problem, seed, options.budget, db) for seed, problem in enumerate(problems)]
        try:
            said = [future.result() for future in futures]
        except NoDevice:
            pool.shutdown(cancel_futures=True)
            raise
    failed = [words for words in said if words]
    trials = rows_of(db, TRIALS)
    wrong, rejected = sorted_out(trials)
    checked = [row for row in trials if row[2] == "ok"]
    by_name = {}
    for _, text, *_ in checked:
        name = re.match(r"implementation=(\w+)", text).group(1)
        by_name[name] = by_name.get(name, 0) + 1
    largest = max((ratio for *_, ratio, _, _ in checked if ratio is not None), default=float("nan"))
    print(f"{dtype}: {len(problems)} problems, {len(checked)} configurations right ({', '.join(f'{n} {c}' for n, c in sorted(by_name.items()))}), "
          f"{len(wrong)} not, {len(rejected)} of cuBLASLt's algorithms rejected as wrong, {said.count(None)} problems that no implementation serves, {len(failed)} others without a result, largest error {largest:.2f} of the tolerance")
    for key, text, status, _, detail, evidence in wrong:
        print(f"  {status}: {key}: {text}: {evidence or detail}")
    for words in failed:
        print(f"  {words}")
    return not wrong and not failed


def sanitizer():
    return shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"


def is_clean(output):
    """Whether a tool of compute-sanitizer found nothing: no error, and no hazard of any severity."""
    return re.search(r"SUMMARY: 0 (errors|hazards)\b", output) is not None


def sanitizer_command(tool, name, warptune, dtype, key, text):
    """Returns the command that launches a configuration once under a tool. The buffers then have exactly their declared
    sizes; with guard zones, memcheck would accept accesses to them."""
    shape, _, *flags = key.split(";")
    sets = [word for pair in (flags[0].split(",") if flags and flags[0] else []) for word in ("--set", pair)]
    return [tool, "--tool", name, *TOOLS[name], "--target-processes", "all", "--error-exitcode", "99",
            warptune, "run", "gemm", "--shape", shape, "--dtype", dtype, *sets, "--config", text, "--once"]


def sanitized(options, folder):
    """Returns whether both tools ran and find nothing. Checks only winners of the smallest problems of each dtype, because
    launches are thousands of times slower under these tools."""
    tool = sanitizer()
    chosen = []
    for dtype in options.dtypes:
        found = rows_of(folder / f"{dtype}.db",
                        "SELECT p.key, c.text FROM best b JOIN configs c ON c.id = b.config_id JOIN sessions s ON s.id = b.session_id "
                        "JOIN problems p ON p.id = s.problem_id")
        volume = lambda key: math.prod(int(value) for value in re.findall(r"\b(?:m|n|k|batch)=(\d+)", key))
        fit = sorted((row for row in found if 20000 < volume(row[0]) < 3e7 and "cublaslt" not in row[1]), key=lambda row: row[1])
        count = -(-options.sanitize // len(options.dtypes))
        chosen += [(dtype, *fit[i * len(fit) // count]) for i in range(min(count, len(fit)))]
    chosen = chosen[:options.sanitize]

    def check(row):
        said = []
        for name in TOOLS:
            try:
                ended = subprocess.run(sanitizer_command(tool, name, options.warptune, *row), capture_output=True, text=True,
                                       timeout=options.tool_seconds, check=False)
                said.append((name, "clean" if ended.returncode == 0 and is_clean(ended.stdout) else (ended.stdout + ended.stderr)[-600:]))
            except subprocess.TimeoutExpired:
                said.append((name, f"not ended after {options.tool_seconds} s"))
        return said

    with concurrent.futures.ThreadPoolExecutor(min(4, options.jobs)) as pool:
        results = list(pool.map(check, chosen))
    for name in TOOLS:
        of_tool = [text for said in results for tool_name, text in said if tool_name == name]
        print(f"{name}: {of_tool.count('clean')} of {len(of_tool)} configurations clean")
    for row, said in zip(chosen, results):
        for name, text in said:
            if text != "clean":
                print(f"  {name}: {row[1]}: {row[2]}: {text}")
    return bool(chosen) and all(text == "clean" for said in results for _, text in said)


def short_config(text):
    """Returns the parts of a configuration that decide in which order its sums are added."""
    parts = dict(part.split("=") for part in text.split(","))
    return ", ".join(f"{name}={parts[name]}" for name in ("implementation", "SPLIT_K", "STREAM") if name in parts)


def errors():
    """Prints the errors of the operator gemm, as an application without tuned products gets it, against float64 by dtype
    and k, for 256 x 256 products of normally distributed operands."""
    import torch
    import warptune
    library = warptune.open()
    print("| dtype | k | configuration | largest error | RMS error | PyTorch's RMS error |\n|---|---|---|---|---|---|")
    for dtype, math_of in ((torch.bfloat16, "exact"), (torch.float16, "exact"), (torch.float32, "exact"), (torch.float32, "tf32x3")):
        kernel = library.kernel("gemm", dtype=dtype, layout="nn", math=math_of)
        for k in (64, 1024, 16384, 131072):
            torch.manual_seed(k)
            a, b = (torch.randn(shape, device="cuda", dtype=torch.float64).to(dtype) for shape in ((256, k), (k, 256)))
            exact = a.double() @ b.double()
            scale = exact.square().mean().sqrt()
            dims = {"m": 256, "n": 256, "k": k, "batch": 1, "a_pad": 0, "b_pad": 0, "c_pad": 0}
            ours = torch.empty(256, 256, device="cuda", dtype=dtype)
            kernel(tuple(dims.values()), a, b, ours)
            off = lambda c: (c.double() - exact) / scale
            name = str(dtype)[6:] + ("" if math_of == "exact" else f", {math_of}")
            print(f"| {name} | {k} | {short_config(kernel.select(**dims).config)} | {off(ours).abs().max():.1e} | "
                  f"{off(ours).square().mean().sqrt():.1e} | {off(a @ b).square().mean().sqrt():.1e} |")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warptune", default=str(TREE / "bin" / "warptune"), help="default: bin/warptune of this tree")
    parser.add_argument("--dtypes", type=dtypes, default=["bf16", "fp16", "fp32"])
    parser.add_argument("--problems", type=positive, default=200, help="random problems of each dtype; default: 200")
    parser.add_argument("--budget", type=positive, default=4, help="configurations of each problem; default: 4")
    parser.add_argument("--largest", type=positive, default=2500, help="largest m, n and k; default: 2500")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=positive, default=8, help="parallel problems (default: 8), so do not use the times")
    parser.add_argument("--sanitize", type=int, default=0, metavar="N", help="configurations to run under compute-sanitizer; default: 0")
    parser.add_argument("--tool-seconds", type=int, default=60, help="time limit of a run of compute-sanitizer, in seconds; default: 60")
    parser.add_argument("--errors", action="store_true", help="only print errors against float64")
    options = parser.parse_args()
    if options.errors:
        need_packages()
        return 0 if errors() else 1
    need_warptune(options.warptune)
    if options.sanitize:
        need_program(sanitizer(), "put compute-sanitizer of the CUDA toolkit into PATH, or leave out --sanitize")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            right = [random_sweep(options, dtype, folder) for dtype in options.dtypes]
        except NoDevice as error:
            fail(f"`warptune tune` cannot run here: {error}")
        if options.sanitize:
            right.append(sanitized(options, folder))
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
