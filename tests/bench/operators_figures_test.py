#!/usr/bin/env python3
"""Tests of operators_figures.py: how it times calls, with a GPU that only has a clock; when it writes results; what PyTorch
computes for a pool. Needs no GPU and no PyTorch."""
import contextlib
import importlib
import io
import json
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import operators_figures as figures

CYCLES_PER_US = 2000.0


class Gpu:
    """Runs enqueued work one after the other; each piece begins when it has been enqueued and the work before it has ended."""

    def __init__(self):
        self.host, self.free = 0.0, 0.0  # times in us: of the host, and of the end of the enqueued work
        self.sleeps = []

    def enqueue(self, us):
        self.free = max(self.free, self.host) + us

    def sleep(self, cycles):
        self.sleeps.append(cycles / CYCLES_PER_US)
        self.enqueue(self.sleeps[-1])

    def synchronize(self):
        self.host = max(self.host, self.free)

    def call(self, pieces, host_us, gpu_us, waits=False):
        """A call that enqueues several pieces of work, and needs host time before each."""
        for _ in range(pieces):
            self.host += host_us
            self.enqueue(gpu_us)
            if waits:
                self.synchronize()


class Event:
    def __init__(self, gpu):
        self.gpu, self.at = gpu, None

    def record(self):
        self.gpu.enqueue(0.0)
        self.at = self.gpu.free

    def query(self):
        return self.at <= self.gpu.host

    def elapsed_time(self, end):
        return (end.at - self.at) / 1e3


class Tensor:
    def __getitem__(self, _):
        return self

    def fill_(self, _):
        pass

    def sum(self):
        pass


def rounds_on(gpu):
    cuda = types.SimpleNamespace(get_device_properties=lambda _: types.SimpleNamespace(L2_cache_size=64), _sleep=gpu.sleep,
                                 synchronize=gpu.synchronize, Event=lambda enable_timing: Event(gpu))
    return figures.Rounds(types.SimpleNamespace(cuda=cuda, uint8="uint8", rand=lambda *_, **__: Tensor(), empty=lambda *_, **__: Tensor()))


class Timing(unittest.TestCase):
    def timed(self, **calls):
        self.gpu = Gpu()
        rounds = rounds_on(self.gpu)
        with mock.patch.object(figures.time, "perf_counter", lambda: self.gpu.host / 1e6):
            return rounds, rounds.time({name: lambda call=call: self.gpu.call(*call) for name, call in calls.items()}, 8)

    def test_host_time_is_not_included(self):
        rounds, times = self.timed(ours=(1, 5, 20), compiled=(10, 400, 3))
        self.assertAlmostEqual(max(times["ours"]), 20)
        self.assertAlmostEqual(max(times["compiled"]), 30)
        self.assertEqual({name: round(us) for name, us in rounds.host_us.items()}, {"ours": 5, "compiled": 4000})
        self.assertEqual(rounds.late, [])
        self.assertGreaterEqual(max(self.gpu.sleeps), 3 * 4000)

    def test_a_round_that_was_enqueued_too_late_is_repeated(self):
        slow = iter([5] * (3 + figures.HOST_CALLS) + [900] + [5] * 100)
        self.gpu = Gpu()
        rounds = rounds_on(self.gpu)
        with mock.patch.object(figures.time, "perf_counter", lambda: self.gpu.host / 1e6):
            times = rounds.time({"ours": lambda: self.gpu.call(2, next(slow), 20)}, 8)["ours"]
        self.assertEqual(len(times), figures.ROUNDS)
        self.assertAlmostEqual(max(times), 40)
        self.assertEqual(rounds.late, [])

    def test_a_call_that_waits_for_the_gpu_is_marked(self):
        rounds, times = self.timed(ours=(1, 5, 20), eager=(2, 50, 20, True))
        self.assertEqual(rounds.late, ["eager"])
        self.assertGreater(min(times["eager"]), 40)
        self.assertAlmostEqual(max(times["ours"]), 20)
        shown = figures.row({"kernel": "k", "problem": "n=1", "us": {"ours": 20, "eager": 90, "compiled": 30}, "roof_share": 0.5,
                             "with_host_time": rounds.late, "ratio": 1.5, "spread": [1.4, 1.6]})
        self.assertIn("| 20.0 | 90.0 h | 30.0 |", shown)


class Files(unittest.TestCase):
    """Measures problems with times that only depend on the problem."""

    def measure(self, file, stops_at=None, keys=("n=1", "n=2", "n=3")):
        def calls_of(_, kernel, key):
            if key == stops_at:
                raise KeyboardInterrupt
            if key == "n=2":
                raise ValueError("a problem that cannot run")
            return types.SimpleNamespace(written=1), {"ours": int(key[2:])}

        def time_of(calls, _):
            us = calls["ours"]
            return {name: [time] * figures.ROUNDS for name, time in (("ours", us), ("eager", 3 * us), ("compiled", 2 * us))}

        torch, rounds = mock.MagicMock(__version__="2"), types.SimpleNamespace(time=time_of, host_us={}, late=[])
        torch.cuda.get_device_name.return_value = "a GPU"
        found = [("k", key, 1, 1) for key in keys]
        with mock.patch.dict(sys.modules, {"torch": torch, "warptune": mock.MagicMock()}), \
                mock.patch.multiple(figures, calls_of=calls_of, Rounds=lambda _: rounds, tuned=lambda *_: found), \
                contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return figures.measure("x.db", ["k"], [], file)

    def test_a_stopped_run_keeps_its_results(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "figures.json"
            with self.assertRaises(KeyboardInterrupt):
                self.measure(str(file), stops_at="n=4", keys=("n=1", "n=2", "n=3", "n=4"))
            found = json.loads(file.read_text(encoding="utf-8"))
            self.assertEqual([(r["problem"], r["us"]["compiled"]) for r in found["results"]], [("n=1", 2), ("n=3", 6)])
            self.assertEqual((found["device"], found["torch"]), ("a GPU", "2"))
            self.assertEqual([path.name for path in Path(folder).iterdir()], ["figures.json"])

    def test_a_write_that_is_stopped_leaves_the_results_before(self):
        def half(path, text, **_):
            with path.open("w", encoding="utf-8") as out:
                out.write(text[:len(text) // 2])
            raise KeyboardInterrupt

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "figures.json"
            self.measure(str(file), keys=("n=1",))
            with mock.patch.object(Path, "write_text", half), self.assertRaises(KeyboardInterrupt):
                self.measure(str(file), keys=("n=3",))
            self.assertEqual([r["problem"] for r in json.loads(file.read_text(encoding="utf-8"))["results"]], ["n=1"])

    def test_without_a_file_the_results_are_only_returned(self):
        results, facts = self.measure(None)
        self.assertEqual(([r["problem"] for r in results], facts["device"]), (["n=1", "n=3"], "a GPU"))


class Pools(unittest.TestCase):
    """warptune's kernel writes indices of 8 bytes or places of one byte; PyTorch must have the same choice."""

    def test_pytorch_returns_indices_only_if_ours_does(self):
        names = ("torch", "torch.nn", "torch.nn.functional", "torch._functorch", "torch._functorch.config")
        with mock.patch.dict(sys.modules, {name: mock.MagicMock() for name in names}):
            convnet = importlib.import_module("operators_convnet")
            dims = {"batch": 1, "channels": 1, "depth": 1, "height": 4, "width": 4, **{f"{name}_{axis}": 2 for name in ("window", "stride", "pad")
                                                                                     for axis in "hw"}}
            for op, has_indices, is_training in (("max", False, False), ("max_index", True, False), ("max_place", False, True)):
                problem = convnet.pool(dims, convnet.torch.bfloat16, {"op": op, "layout": "nchw", "ceil": 0})
                self.assertEqual(problem.forward.keywords["return_indices"], has_indices, op)
                self.assertEqual(convnet.randn(dtype=None).requires_grad_.call_args.args, (is_training,), op)
        for name in ("operators_convnet", "operators_problem"):  # they hold the stand-ins
            sys.modules.pop(name, None)


if __name__ == "__main__":
    unittest.main()
