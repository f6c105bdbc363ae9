#!/usr/bin/env python3
"""Tests how operators_graphs.py chooses problems and times graphs; needs no GPU and no PyTorch."""
import contextlib
import io
import json
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import operators_figures as figures
import operators_graphs as graphs
from operators_figures_test import Event, Gpu, Tensor


def torch_on(gpu):
    """Returns the part of torch that graphs need. A captured call does not run before the graph is launched."""
    class Graph:
        def __init__(self):
            self.calls = []

        def replay(self):
            gpu.host += 7
            for us in self.calls:
                gpu.enqueue(us)

    @contextlib.contextmanager
    def capture(graph, stream):
        gpu.streams.append(stream)
        gpu.captured = graph.calls
        yield
        gpu.captured = None

    gpu.streams, gpu.captured, gpu.synchronized = [], None, 0

    def synchronize():
        gpu.synchronized += 1
        gpu.synchronize()

    cuda = types.SimpleNamespace(get_device_properties=lambda _: types.SimpleNamespace(L2_cache_size=64), _sleep=gpu.sleep,
                                 synchronize=synchronize, Event=lambda enable_timing: Event(gpu), CUDAGraph=Graph, graph=capture)
    return types.SimpleNamespace(cuda=cuda, uint8="uint8", rand=lambda *_, **__: Tensor(), empty=lambda *_, **__: Tensor())


def call_of(gpu, us):
    return lambda: gpu.enqueue(us) if gpu.captured is None else gpu.captured.append(us)


class Graphs(unittest.TestCase):
    def test_calls_are_warm_before_they_are_captured(self):
        gpu = Gpu()
        torch, seen = torch_on(gpu), []
        launch = graphs.captured(torch, lambda: seen.append((gpu.captured is not None, gpu.synchronized)), 5, "side")
        self.assertEqual(seen, [(False, 0)] * graphs.WARM_CALLS + [(True, 1)] * 5)
        self.assertEqual(gpu.streams, ["side"])
        launch()

    def test_times_are_those_of_the_gpu(self):
        gpu = Gpu()
        torch = torch_on(gpu)
        launches = {name: graphs.captured(torch, call_of(gpu, us), 20, "side") for name, us in (("ours", 3), ("eager", 6), ("compiled", 4))}
        rounds = graphs.GraphRounds(torch)
        with mock.patch.object(figures.time, "perf_counter", lambda: gpu.host / 1e6):
            times = rounds.time(launches, 0)
        self.assertEqual(rounds.late, [])
        for name, us in (("ours", 3), ("eager", 6), ("compiled", 4)):
            self.assertEqual(len(times[name]), figures.ROUNDS)
            self.assertAlmostEqual(max(times[name]) / 20, us)
        found = figures.compared({name: [us / 20 for us in values] for name, values in times.items()})
        self.assertAlmostEqual(found["ratio"], 4 / 3)
        self.assertAlmostEqual(found["spread"][0], 4 / 3)
        shown = graphs.row({"kernel": "k", "problem": "n=1", "megabytes": 0.5, "with_host_time": [], **found})
        self.assertEqual(shown, "| k | n=1 | 0.50 | 3.00 | 6.00 | 4.00 | 1.33 | 1.33 to 1.33 |")


class Files(unittest.TestCase):
    def test_a_stopped_run_keeps_its_results(self):
        def calls_of(_, kernel, key):
            if key == "n=2":
                raise KeyboardInterrupt
            return types.SimpleNamespace(), {"ours": None}

        times = {name: [us] * figures.ROUNDS for name, us in (("ours", 20), ("eager", 60), ("compiled", 40))}
        torch = mock.MagicMock(__version__="2")
        torch.cuda.get_device_name.return_value = "a GPU"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "graphs.json"
            options = types.SimpleNamespace(only=["k"], match=[], calls=20, json=str(file))
            with mock.patch.dict(sys.modules, {"torch": torch, "warptune": mock.MagicMock()}), \
                    mock.patch.multiple(graphs, calls_of=calls_of, captured=mock.Mock(), megabytes=lambda _: 1.0,
                                        GraphRounds=lambda _: types.SimpleNamespace(time=lambda *_: times, late=[]),
                                        tuned=lambda *_: [("k", "n=1", 1, 1), ("k", "n=2", 1, 1)]), \
                    contextlib.redirect_stdout(io.StringIO()), self.assertRaises(KeyboardInterrupt):
                graphs.measure("x.db", options)
            found = json.loads(file.read_text(encoding="utf-8"))
        self.assertEqual((found["device"], found["calls"]), ("a GPU", 20))
        self.assertEqual([(r["problem"], r["us"]["ours"]) for r in found["results"]], [("n=1", 1)])


class Problems(unittest.TestCase):
    def jobs(self, **options):
        return graphs.small_jobs(types.SimpleNamespace(**{"only": figures.OPERATORS, "match": [], "dtype": "bf16", **options}))

    def test_the_sweep_has_problems_of_each_operator(self):
        """Except adam_list, whose tensors are behind addresses, so that the script could not show their size."""
        kernels = {job["kernel"].split("/")[-1] for job in self.jobs()}
        self.assertEqual(kernels, set(figures.OPERATORS) - {"adam_list"})

    def test_only_what_is_asked_for_is_tuned(self):
        jobs = self.jobs(only=["row_norm", "adam"], match=["rows=1,", "n=4096"], dtype="fp16")
        self.assertEqual([(job["kernel"].split("/")[-1], job["shapes"], job["dtypes"]) for job in jobs],
                         [("row_norm", ["rows=1,cols=4096"], ["fp16"]), ("adam", ["n=4096"], ["fp32"])])
        jobs = self.jobs(only=["row_norm"], match=["residual=1"])
        self.assertEqual([job["shapes"] for job in jobs], [["rows=16,cols=4096"]])

    def test_no_problem_is_an_error(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaisesRegex(SystemExit, "2"):
            self.jobs(match=["rows=5,"])
        self.assertIn("no problem of the sweep small has one of the texts of --match", said.getvalue())


if __name__ == "__main__":
    unittest.main()
