"""Optimiser steps of warptune.torch: launches and refusals. Without torch (fake_torch.py)."""
import unittest

import fake_torch
from glue import OperatorCase, torch, wt

import warptune
from warptune.torch import optimisers


class StepTest(OperatorCase):
    def test_adam(self):
        params, grads, means, squares = (self.tensor(40) for _ in range(4))
        for call, rule, decay in ((wt.adamw_, "adamw", 0.01), (wt.adam_, "adam", 0.0)):
            self.assertIsNone(call(params, grads, means, squares, 1))
            flags = {"rule": rule, "master": False, "state": "fp32", "grads": "same"}
            self.check("adam", flags, (40,), grads, params, means, squares, 1e-3, decay, 1.0, 0.9, 0.999, 1e-8, 1 - 0.9, 1 - 0.999)
            call(params, grads, means, squares, 3, lr=0.1, betas=(0.8, 0.5), eps=1e-6, weight_decay=0.25, scale=0.5)
            self.check("adam", flags, (40,), grads, params, means, squares, 0.1, 0.25, 0.5, 0.8, 0.5, 1e-6, 1 - 0.8 ** 3, 1 - 0.5 ** 3)
        self.assertEqual([x.version for x in (params, grads, means, squares)], [4, 0, 4, 4])
        self.assertEqual(fake_torch.seen, [])

    def test_sgd(self):
        params, grads, buffer = (self.tensor(40) for _ in range(3))
        wt.sgd_(params, grads, buffer, momentum=0.9, dampening=0.5, weight_decay=0.1)
        flags = {"rule": "sgd", "master": False, "state": "fp32", "grads": "same"}
        self.check("adam", flags, (40,), grads, params, buffer, 1e-3, 0.1, 1.0, 0.9, 0.5)
        wt.sgd_(params, grads, buffer, lr=0.5, momentum=0.9, nesterov=True, scale=2)
        self.check("adam", {**flags, "rule": "nesterov"}, (40,), grads, params, buffer, 0.5, 0.0, 2.0, 0.9)
        wt.sgd_(params, grads, buffer, dampening=0.5)  # without momentum, torch ignores dampening
        self.check("adam", flags, (40,), grads, params, buffer, 1e-3, 0.0, 1.0, 0.0, 0.0)

    def test_dtypes_and_master(self):
        params, master, grads = self.half(5, 8), self.tensor(5, 8), self.half(5, 8)
        means, squares = self.tensor(5, 8), self.tensor(5, 8)
        wt.adamw_(params, grads, means, squares, 1, master=master)
        flags = {"rule": "adamw", "master": True, "state": "fp32", "grads": "same"}
        self.check("adam", flags, (40,), grads, master, means, squares, params, *[None] * 8)
        self.assertEqual((params.version, master.version), (1, 1))
        means, squares, grads = self.half(5, 8), self.half(5, 8), self.tensor(5, 8)
        wt.adam_(params, grads, means, squares, 1)
        self.check("adam", {"rule": "adam", "master": False, "state": "same", "grads": "fp32"}, (40,), grads, params, means, squares, *[None] * 8)
        wt.sgd_(params, grads, means, momentum=0.9, master=master)
        self.check("adam", {"rule": "sgd", "master": True, "state": "same", "grads": "fp32"}, (40,), grads, master, means, params, *[None] * 5)

    def test_compiled_it_goes_through_the_dispatcher(self):
        self.addCleanup(setattr, torch, "compiling", False)
        torch.compiling = True
        params, grads, means, squares = (self.tensor(40) for _ in range(4))
        wt.adamw_(params, grads, means, squares, 1)
        self.launched()
        self.assertEqual(fake_torch.seen, ["optimiser_step_"])
        wanted = self.tensor(40, requires_grad=True)
        self.refused(("adamw: a step has no gradient", lambda: wt.adamw_(wanted, grads, means, squares, 1)),
                     ("adamw: a step has no gradient", lambda: wt.adamw_([wanted], [grads], [means], [squares], 1)))
        self.assertIsNone(fake_torch.fakes["warptune::optimiser_step_"](params, grads, means, squares, None, "adam", []))
        schema = fake_torch.registered[0].schemas["optimiser_step_"]
        for changed in ("(a!) params", "(b!) means", "(c!)? squares", "(d!)? master"):
            self.assertIn("Tensor" + changed, schema)

    def test_what_does_not_fit_is_refused(self):
        params, x, wrong = self.tensor(40), self.tensor(40), self.tensor(39)
        self.refused(("step is 0", lambda: wt.adamw_(params, x, x, x, 0)), ("nesterov needs", lambda: wt.sgd_(params, x, x, nesterov=True)),
                     ("nesterov needs", lambda: wt.sgd_(params, x, x, momentum=0.9, dampening=0.1, nesterov=True)),
                     ("grads has the shape \\(39,\\)", lambda: wt.adam_(params, wrong, x, x, 1)), ("state has the shape", lambda: wt.adam_(params, x, x, wrong, 1)),
                     ("master has the shape", lambda: wt.sgd_(params, x, x, master=wrong)),
                     ("use torch.no_grad", lambda: wt.sgd_(self.tensor(40, requires_grad=True), x, x)),
                     ("float64", lambda: wt.sgd_(self.tensor(40, dtype=torch.float64), x, x)))
        wt.adamw_(*[self.tensor(0)] * 4, 1)
        self.assertEqual(self.kernels.launches, [])


class ListTest(OperatorCase):
    """Steps of lists of tensors: one launch, with the places of the tensors in a table."""
    next_address = 0x10000000

    def setUp(self):
        super().setUp()
        self.tables = optimisers._tables
        for kept in (self.tables.tables, self.tables.captured):
            kept.clear()
        torch.capturing, torch.stream = False, 0x31

    def tensors(self, *shapes, shift=0, **options):
        made = []
        for shape in shapes:
            made.append(self.tensor(*shape, **options))
            ListTest.next_address += 4096
            made[-1].address = ListTest.next_address + shift
        return made

    def check_list(self, flags, sizes, buffers, numbers):
        """Checks one launch. buffers: the kernel's tensors, a list for each of its buffers. Returns whether the tensors may
        begin anywhere."""
        found, found_flags, dims, *given = self.launched()
        misaligned = found_flags["misaligned"]
        self.assertEqual((found, found_flags, dims), ("adam_list", {**flags, "misaligned": misaligned}, (tuple(sizes),)))
        addresses, (offsets, starts), found_numbers = given[:len(buffers)], given[len(buffers):][:2], given[len(buffers) + 2:]
        self.assertEqual(found_numbers, numbers)
        self.assertEqual(offsets.values, [sum(sizes[:i]) for i in range(len(sizes) + 1)])
        self.assertEqual((offsets.address % 16, starts.address % 16, offsets.dtype, starts.dtype), (0, 0, torch.int64, torch.int64))
        found = iter(starts.values)
        for tensors in zip(*buffers):
            for base, x in zip(addresses, tensors):
                self.assertEqual(base.number + next(found) * x.element_size(), x.address)
                self.assertEqual(base.number % 16, 0)
        self.assertEqual(list(found), [])
        return misaligned

    def test_adam(self):
        shapes = (5, 8), (3,), (0,), (1,)
        lists = [self.tensors(*shapes) for _ in range(4)]
        params, grads, means, squares = lists
        flags = {"rule": "adamw", "master": False, "state": "fp32", "grads": "same"}
        buffers = [[x for x in given if x.numel()] for given in (grads, params, means, squares)]
        for given in (lists, [tuple(one) for one in lists]):
            self.assertIsNone(wt.adamw_(*given, 1))
            self.assertFalse(self.check_list(flags, [40, 3, 1], buffers, [1e-3, 0.01, 1.0, 0.9, 0.999, 1e-8, 1 - 0.9, 1 - 0.999]))
        wt.adam_(*lists, 3, lr=0.1, betas=(0.8, 0.5), eps=1e-6, weight_decay=0.25, scale=0.5)
        self.check_list({**flags, "rule": "adam"}, [40, 3, 1], buffers, [0.1, 0.25, 0.5, 0.8, 0.5, 1e-6, 1 - 0.8 ** 3, 1 - 0.5 ** 3])
        self.assertEqual([[x.version for x in given] for given in lists], [[3, 3, 0, 3], [0] * 4, [3, 3, 0, 3], [3, 3, 0, 3]])
        self.assertEqual(fake_torch.seen, [("to", "cuda:0", True)])  # one table for all steps, from pinned memory

    def test_sgd(self):
        params, grads, means = (self.tensors((7,), (40,)) for _ in range(3))
        wt.sgd_(params, grads, means, momentum=0.9, dampening=0.5, weight_decay=0.1)
        flags = {"rule": "sgd", "master": False, "state": "fp32", "grads": "same"}
        self.check_list(flags, [7, 40], [grads, params, means], [1e-3, 0.1, 1.0, 0.9, 0.5])
        wt.sgd_(params, grads, means, momentum=0.9, nesterov=True)
        self.check_list({**flags, "rule": "nesterov"}, [7, 40], [grads, params, means], [1e-3, 0.0, 1.0, 0.9])

    def test_dtypes_and_master(self):
        half, shapes = {"dtype": torch.bfloat16}, ((40,), (5,))
        params, grads, master, means, squares = (self.tensors(*shapes, **options) for options in (half, half, {}, {}, {}))
        wt.adamw_(params, grads, means, squares, 1, master=master)
        flags = {"rule": "adamw", "master": True, "state": "fp32", "grads": "same"}
        self.check_list(flags, [40, 5], [grads, master, means, squares, params], [1e-3, 0.01, 1.0, 0.9, 0.999, 1e-8, 1 - 0.9, 1 - 0.999])
        self.assertEqual([x.version for given in (params, master, means, squares, grads) for x in given], [1] * 8 + [0] * 2)
        wide, means = self.tensors(*shapes), self.tensors(*shapes, **half)
        wt.sgd_(params, wide, means, master=master, momentum=0.9)
        flags = {"rule": "sgd", "master": True, "state": "same", "grads": "fp32"}
        self.check_list(flags, [40, 5], [wide, master, means, params], [1e-3, 0.0, 1.0, 0.9, 0.0])

    def test_any_address(self):
        shapes = (40,), (5,)
        params, grads, means = self.tensors(*shapes), self.tensors(*shapes, shift=4), self.tensors(*shapes, shift=32)
        wt.sgd_(params, params, means)
        flags, numbers = {"rule": "sgd", "master": False, "state": "fp32", "grads": "same"}, [1e-3, 0.0, 1.0, 0.0, 0.0]
        self.assertFalse(self.check_list(flags, [40, 5], [params, params, means], numbers))
        wt.sgd_(params, grads, means)
        self.assertTrue(self.check_list(flags, [40, 5], [grads, params, means], numbers))
        self.refused(("multiple of its element size", lambda: wt.sgd_(params, self.tensors(*shapes, shift=2), means)))

    def test_tables_are_kept(self):
        params, means = self.tensors((40,), (5,)), self.tensors((40,), (5,))
        moved = self.tensors((40,), (5,))
        for grads, count in ((params, 1), (params, 1), (moved, 2), (params, 2)):
            wt.sgd_(params, grads, means)
            self.assertEqual(len(self.tables.tables), count)
        torch.stream = 0x32  # waits until the table has been written
        fake_torch.seen.clear()
        wt.sgd_(params, params, means)
        self.assertEqual(fake_torch.seen, [("wait", 0x32, ("event", 0x31)), ("record", 0x32)])
        longer, their_means = (self.tensors((8, 8), (5,)) for _ in range(2))
        for new, old in zip(longer + their_means, params + means):
            new.address = old.address
        self.kernels.launches.clear()
        wt.sgd_(longer, longer, their_means)
        flags, numbers = {"rule": "sgd", "master": False, "state": "fp32", "grads": "same"}, [1e-3, 0.0, 1.0, 0.0, 0.0]
        self.check_list(flags, [64, 5], [longer, longer, their_means], numbers)

    def test_the_table_that_was_not_used_for_the_longest_time_is_dropped(self):
        steps = [[self.tensors((4,)) for _ in range(3)] for _ in range(self.tables.LIMIT)]
        for step in (*steps, steps[0]):
            wt.sgd_(*step)
        fake_torch.seen.clear()
        wt.sgd_(*(self.tensors((4,)) for _ in range(3)))  # replaces the table of steps[1]
        self.assertEqual((len(self.tables.tables), len(fake_torch.seen)), (self.tables.LIMIT, 1))
        for step in (steps[0], *steps[2:]):
            wt.sgd_(*step)
        self.assertEqual(len(fake_torch.seen), 1)
        wt.sgd_(*steps[1])
        self.assertEqual((len(self.tables.tables), len(fake_torch.seen)), (self.tables.LIMIT, 2))
        self.assertNotIn("synchronize", fake_torch.seen)

    def test_a_capture_needs_an_earlier_step(self):
        self.addCleanup(setattr, torch, "capturing", False)
        params, grads, means = (self.tensors((40,), (5,)) for _ in range(3))
        torch.capturing = True
        with self.assertRaisesRegex(warptune.NotReady, "set_to_none=False"):
            wt.sgd_(params, grads, means)
        torch.capturing = False
        wt.sgd_(params, grads, means)
        torch.capturing, torch.stream = True, 0x32
        fake_torch.seen.clear()
        wt.sgd_(params, grads, means)
        self.assertEqual((len(self.kernels.launches), fake_torch.seen), (2, []))
        self.tables.tables.clear()
        wt.sgd_(params, grads, means)  # the captured table stays

    def test_compiled_it_goes_through_the_dispatcher(self):
        self.addCleanup(setattr, torch, "compiling", False)
        torch.compiling = True
        params, grads, means = (self.tensors((40,), (5,)) for _ in range(3))
        wt.sgd_(params, grads, means)
        self.launched()
        self.assertEqual(fake_torch.seen[0], "optimiser_steps_")
        self.assertIsNone(fake_torch.fakes["warptune::optimiser_steps_"](params, grads, means, [], [], "sgd", []))
        schema = fake_torch.registered[0].schemas["optimiser_steps_"]
        for changed in ("(a!)[] params", "(b!)[] means", "(c!)[] squares", "(d!)[] master"):
            self.assertIn("Tensor" + changed, schema)

    def test_what_does_not_fit_is_refused(self):
        shapes = (40,), (5,)
        x, half = self.tensors(*shapes), self.tensors(*shapes, dtype=torch.bfloat16)
        mixed, wrong = [x[0], half[1]], self.tensors((40,), (4,))
        gaps, host = self.tensors((40,), (5,)), self.tensors((40,), (5,))
        gaps[1].strides, host[1].is_cuda = (2,), False
        self.refused(("state has 1 tensors and params 2", lambda: wt.sgd_(x, x, x[:1])), ("grads\\[1\\] has the shape \\(4,\\)", lambda: wt.sgd_(x, wrong, x)),
                     ("grads\\[1\\] has the dtype torch.bfloat16", lambda: wt.sgd_(x, mixed, x)), ("grads\\[1\\] is not contiguous", lambda: wt.sgd_(x, gaps, x)),
                     ("state\\[1\\] is on", lambda: wt.sgd_(x, x, host)), ("grads is torch.bfloat16, but must be torch.float32", lambda: wt.sgd_(x, half, x)),
                     ("the two states are", lambda: wt.adam_(half, half, x, half, 1)), ("master is torch.bfloat16", lambda: wt.sgd_(half, half, x, master=half)),
                     ("step is 0", lambda: wt.adamw_(x, x, x, x, 0)), ("use torch.no_grad", lambda: wt.sgd_(self.tensors(*shapes, requires_grad=True), x, x)),
                     ("float64", lambda: wt.sgd_(*[self.tensors(*shapes, dtype=torch.float64)] * 3)))
        wt.sgd_([], [], [])
        wt.adamw_(*[self.tensors((0,), (0, 3))] * 4, 1)
        self.assertEqual(self.kernels.launches, [])


if __name__ == "__main__":
    unittest.main()
