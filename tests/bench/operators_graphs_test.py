#!/usr/bin/env python3
"""Tests how operators_graphs.py chooses problems and times graphs; needs no GPU and no PyTorch."""
import contextlib
import io
import sys
import types
import unittest
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


class Problems(unittest.TestCase):
    def test_each_suite_has_keys_that_can_be_read(self):
        for operator in figures.OPERATORS:
            spec = figures.spec_of(operator)["problem"]
            jobs = graphs.jobs_of(operator, "bf16", graphs.EVERY, [])
            self.assertEqual(len(jobs), len(figures.spec_of(operator)["suites"]["default"]))
            for job in jobs:
                dims, dtype, flags = figures.parse(graphs.key_of(job), {"problem": spec})
                self.assertNotIn(None, dims.values(), (operator, job))
                self.assertIn(dtype, spec["dtypes"])
                for name, value in flags.items():
                    self.assertIn(value, spec["flags"][name]["values"], (operator, job))

    def small(self, problem, below=1.0):
        """Whether a problem is small, and what was printed."""
        fake = types.SimpleNamespace(FakeTensorMode=contextlib.nullcontext)
        printed = io.StringIO()
        with mock.patch.dict(sys.modules, {"torch._subclasses.fake_tensor": fake, "torch._subclasses": fake, "torch": fake}), \
                mock.patch.object(graphs, "problem_of", problem), contextlib.redirect_stderr(printed):
            return graphs.is_small("k", "n=1;bf16", below), printed.getvalue()

    def test_only_small_problems_are_taken(self):
        def problem(*tensors):
            return lambda *_: ({}, "bf16", {}, types.SimpleNamespace(ours=tensors))

        half = types.SimpleNamespace(nbytes=500_000)
        self.assertEqual(self.small(problem(half, 1.0)), (True, ""))
        self.assertEqual(self.small(problem(half, half)), (False, ""))
        self.assertEqual(self.small(problem(half, half), 1.1), (True, ""))
        self.assertEqual(self.small(lambda *_: ({}, "bf16", {}, types.SimpleNamespace(ours=lambda: [half]))), (True, ""))

        def fails(*_):
            raise RuntimeError("no address")
        self.assertEqual(self.small(fails), (False, "left out: k n=1;bf16: its size is not known: no address\n"))

    def test_no_small_problem_is_an_error(self):
        options = types.SimpleNamespace(only=[], below=0.25)
        with self.assertRaisesRegex(SystemExit, "no problem is below 0.25 MB"):
            graphs.small_jobs(options)


if __name__ == "__main__":
    unittest.main()
