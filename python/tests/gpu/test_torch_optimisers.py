"""Steps of optimisers on a real device, against torch.optim."""
import unittest

from torch_support import RefusalCase, near, randn, torch, use_recorded

import warptune.torch as wt

setUpModule = use_recorded


class Steps(RefusalCase):
    def compared(self, optimiser, step, count=1003):
        """Makes five steps of both optimisers from the same parameters with the same gradients, and compares the results."""
        params = randn(count)
        reference = params.clone().requires_grad_()
        theirs = optimiser([reference])
        for number in range(1, 6):
            grads = randn(count)
            reference.grad = grads.clone()
            theirs.step()
            step(params, grads, number)
        near(params, reference.detach(), factor=4)

    def test_adam(self):
        options = {"lr": 0.05, "betas": (0.8, 0.95), "eps": 1e-6, "weight_decay": 0.1}
        for ours, theirs in ((wt.adamw_, torch.optim.AdamW), (wt.adam_, torch.optim.Adam)):
            for given in ({}, options):
                state = torch.zeros(2, 1003, device="cuda").unbind()
                state = [one.clone() for one in state]
                self.compared(lambda p: theirs(p, **given), lambda p, g, n: ours(p, g, *state, n, **given))

    def test_sgd(self):
        for options in ({"momentum": 0.9}, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}, {"momentum": 0.9, "dampening": 0.25}):
            buffer = torch.zeros(1003, device="cuda")
            first = {**options, "dampening": 0.0}
            self.compared(lambda p: torch.optim.SGD(p, lr=0.05, **options),
                          lambda p, g, n: wt.sgd_(p, g, buffer, lr=0.05, **(first if n == 1 else options)))

    def test_master_and_dtypes(self):
        for dtype in (torch.bfloat16, torch.float16):
            for grads_dtype in (dtype, torch.float32):
                exact, grads = randn(1003), randn(1003).to(grads_dtype)
                params, master = exact.to(dtype), exact.clone()
                means, squares = torch.zeros_like(exact), torch.zeros_like(exact)
                wt.adamw_(params, grads, means, squares, 1, lr=0.05, master=master)
                reference, state = exact.clone(), [torch.zeros_like(exact) for _ in range(2)]
                wt.adamw_(reference, grads.float(), *state, 1, lr=0.05)
                near(master, reference)
                self.assertTrue(torch.equal(params, master.to(dtype)))

    def test_scale(self):
        params, grads, buffer = randn(40), randn(40), torch.zeros(40, device="cuda")
        expected = params - 0.5 * grads / 4
        wt.sgd_(params, grads, buffer, lr=0.5, scale=0.25)
        near(params, expected)

    def test_opcheck(self):
        numbers = [1e-3, 0.0, 1.0, 0.9, 0.999, 1e-8, 0.1, 0.001]
        for master in (None, randn(40)):
            params = randn(40) if master is None else master.bfloat16()
            torch.library.opcheck(torch.ops.warptune.optimiser_step_.default,
                                  (params, params.clone(), randn(40), randn(40).abs(), master, "adamw", numbers))

    def test_compiled(self):
        params, grads = randn(40), randn(40)
        state, expected = [torch.zeros(40, device="cuda") for _ in range(2)], params.clone()
        torch.compile(lambda p, g: wt.adamw_(p, g, *state, 1), fullgraph=True)(params, grads)
        wt.adamw_(expected, grads, *(torch.zeros(40, device="cuda") for _ in range(2)), 1)
        near(params, expected)

    def test_what_is_refused(self):
        x = randn(40)
        self.refused([("use torch.no_grad", lambda: wt.sgd_(randn(40, grad=True), x, x)), ("step is 0", lambda: wt.adam_(x, x, x, x, 0)),
                      ("grads has the shape", lambda: wt.sgd_(x, randn(39), x)), ("float64", lambda: wt.sgd_(x.double(), x, x))])


if __name__ == "__main__":
    unittest.main()
