"""tune and pack: run the warptune program as a separate process. They need neither torch nor a GPU in this process."""
import json
import os
import shutil
import signal
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path

from .errors import BadInput, InternalError, Status, make_error

__all__ = ["TuneResult", "tune", "pack", "program"]


@dataclass(frozen=True)
class TuneResult:
    """The stored result of `tune`. Times are medians per launch, in microseconds."""
    kernel: str
    problem: str             # "rows=32768,cols=4096;bf16;log=0"
    device: str              # "NVIDIA H200"
    config: dict             # the winner: {"VEC": 4, ...}
    median_us: float
    default_us: float        # the time of the kernel's default configuration; None if it was not measured
    roofline_share: float    # shortest time that the device's roofs allow / median; None if not known
    certified: bool          # the finals compared the finalists in at least 5 rounds
    database: str
    session: int
    ended_by: str            # the event that ended the search (docs/knowledge.md)
    notes: list = field(default_factory=list)
    json: dict = field(default_factory=dict, repr=False)  # the whole output of `warptune tune --json`

    @property
    def speedup(self):
        """The default's time divided by the winner's; None if the default was not measured."""
        return self.default_us / self.median_us if self.default_us else None


def program():
    """Returns the path of the program that `tune` and `pack` run: $WARPTUNE_PROGRAM, else the program in this package,
    else the first `warptune` on the PATH. Raises InternalError if there is none."""
    chosen = os.environ.get("WARPTUNE_PROGRAM")
    if chosen:
        return chosen
    own = Path(__file__).parent / "bin" / "warptune"
    if own.exists():
        return str(own)
    found = shutil.which("warptune")
    if found is None:
        raise InternalError("the program warptune was found neither in this package nor on the PATH; install warptune, or set $WARPTUNE_PROGRAM")
    return found


def tune(kernel, *, shape=None, dtype=None, flags=None, budget=None, db=None, device=None, progress=None, **options):
    """Finds the fastest configuration of a kernel for a shape, stores it in a database, and returns a TuneResult.

    kernel: a shipped kernel's name, or the path of a kernel folder.
    shape: {"rows": 32768, "cols": 4096} or "rows=32768,cols=4096"; the value of a list dim is a list of sizes.
        None: only for a kernel whose spec.json fixes all dims.
    flags: {"log": 1}; flags that are left out have their defaults.
    budget: a number of configurations (200), or a string as on the command line: "60s", "10%", "200,60s". None: no
        limit.
    db: a database file; None: $WARPTUNE_DB, or the user's own database.
    device: None (the first GPU), "cuda:1", or "recorded" (recordings, no GPU).
    progress: a function that is called with each line that the program prints on standard error.
    options: any other option of `warptune tune`, with underscores: strategy="random", seed=1, resume=True.

    If the program fails, raises the subclass of Error for the program's exit code, with the program's message.
    """
    if "set" in options:
        raise BadInput('tune takes the flags of the kernel as flags={"layout": "nt"}; "set" is the option of the command line')
    words = ["tune", os.fspath(kernel)] + ([] if shape is None else ["--shape", _pairs(shape)])
    for name, value in (flags or {}).items():
        words += ["--set", f"{name}={_text(value)}"]
    words += _option_words({"dtype": _dtype(dtype), "budget": budget, "db": db, "device": device, **options})
    result = _run(words, progress)
    best, device_info = result["best"], result["device"]
    return TuneResult(
        kernel=result["kernel"], problem=best["problem"], device=device_info["name"], config=_config(best["config_text"]),
        median_us=best["median_us"], default_us=best.get("default_us"), roofline_share=best.get("roofline_share"),
        certified=best["certified"], database=result["database"], session=result["session"],
        ended_by=result["ended_by"], notes=result["notes"], json=result)


def pack(output, *, db=None, kernels=None, gpus=None, cover=None, progress=None, **options):
    """Makes a pack from a database (`warptune pack`) and returns its path.

    kernels, gpus: lists of names; None: all. cover: the allowed slowdown of a tuned shape compared with its best time,
    for example "3%". If the program fails, raises the same errors as tune.
    """
    if cover is not None and not isinstance(cover, str):
        raise BadInput(f"cover={cover!r}: write a percentage as a string, such as cover=\"3%\"")
    listed = {"kernels": kernels, "gpus": gpus}
    words = ["pack", "-o", os.fspath(output)]
    words += _option_words({"db": db, "cover": cover, **{k: _list(v) for k, v in listed.items()}, **options})
    _run(words, progress, is_json=False)
    return os.fspath(output)


def _text(value):
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(str(int(size)) for size in value) + "]"
    return str(int(value)) if isinstance(value, bool) else str(value)


def _pairs(shape):
    return shape if isinstance(shape, str) else ",".join(f"{name}={_text(size)}" for name, size in shape.items())


def _list(names):
    return names if names is None or isinstance(names, str) else ",".join(names)


def _dtype(dtype):
    names = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32", "float64": "fp64"}
    word = getattr(dtype, "__name__", str(dtype)).rpartition(".")[2]
    return None if dtype is None else names.get(word, word)


def _option_words(options):
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(os.fspath(value) if isinstance(value, os.PathLike) else str(value))
    return words


def _config(text):
    if not text:  # a kernel without parameters
        return {}
    return {name: int(value) if value.lstrip("-").isdigit() else value
            for name, value in (pair.split("=", 1) for pair in text.split(","))}


def _run(words, progress, is_json=True):
    """Runs the program and returns its JSON output; None without is_json. Passes each line of its standard error to
    `progress`. If the program fails, the error message is that of its JSON output or, if there is none, the last line
    of its standard error."""
    if is_json:
        words = words + ["--json"]
    process = subprocess.Popen([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace")
    output = []
    reader = threading.Thread(target=lambda: output.append(process.stdout.read()), daemon=True)
    reader.start()
    last = ""
    try:
        for line in process.stderr:
            last = line.rstrip("\n") or last
            if progress is not None:
                progress(last)
        code = process.wait()
    except BaseException:
        # After Ctrl-C or an exception in `progress`: interrupt the program as a terminal does, so that it stores results.
        process.send_signal(signal.SIGINT)
        process.wait()
        raise
    finally:
        reader.join()
        process.stdout.close()
        process.stderr.close()
    if code == 0:
        return json.loads(output[0]) if is_json else None
    message = last.removeprefix("warptune: ")
    if is_json and output[0].strip():
        try:
            message = json.loads(output[0]).get("error", {}).get("message", message)
        except ValueError:
            pass
    raise make_error(code if code > 0 else Status.INTERNAL, message or f"{process.args[0]} exited with {code}")
