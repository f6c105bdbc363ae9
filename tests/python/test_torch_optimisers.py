"""Optimiser steps of warptune.torch: launches and refusals. Without torch (fake_torch.py)."""
import unittest

import fake_torch
from glue import OperatorCase, torch, wt


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


if __name__ == "__main__":
    unittest.main()
