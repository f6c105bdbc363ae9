"""Steps of optimisers on a real device, against torch.optim."""
import unittest

from torch_support import RefusalCase, near, randn, torch, use_recorded

import warptune
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

        def steps(p, g, *state):
            wt.adam_(p, g, *state[:2], 1)
            wt.sgd_(p, g, state[2], lr=0.05)

        state, copies = ([torch.zeros(40, device="cuda") for _ in range(3)] for _ in range(2))
        torch.compile(steps, fullgraph=True)(params, grads, *state)
        steps(expected, grads, *copies)
        near(params, expected)

    def test_what_is_refused(self):
        x = randn(40)
        self.refused([("use torch.no_grad", lambda: wt.sgd_(randn(40, grad=True), x, x)), ("step is 0", lambda: wt.adam_(x, x, x, x, 0)),
                      ("grads has the shape", lambda: wt.sgd_(x, randn(39), x)), ("float64", lambda: wt.sgd_(x.double(), x, x))])


SIZES = (1, 1003, 0, 40, 65537, 7, 3_000_001)


class Lists(RefusalCase):
    """Steps of lists of tensors, against one step for each tensor."""

    def lists(self, count, dtype=torch.float32, sizes=SIZES):
        """Returns `count` lists of tensors; the last one, for squares, has no negative elements."""
        made = [[randn(size).to(dtype) for size in sizes] for _ in range(count)]
        made[-1] = [x.abs() for x in made[-1]]
        return made

    def compared(self, step, lists, **master):
        """Compares a step of the lists with steps of the tensors: both compute with the same formulas."""
        copies = [[x.clone() for x in one] for one in lists]
        masters = {name: [x.clone() for x in one] for name, one in master.items()}
        step(*lists, **master)
        for i in range(len(lists[0])):
            step(*(one[i] for one in copies), **{name: one[i] for name, one in masters.items()})
        for found, expected in zip([*lists, *master.values()], [*copies, *masters.values()]):
            for x, y in zip(found, expected):
                near(x, y)

    def test_every_rule(self):
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            for function in (wt.adamw_, wt.adam_):
                self.compared(lambda *args: function(*args, 3, lr=0.05, weight_decay=0.1, scale=0.5), self.lists(4, dtype))
            for options in ({"dampening": 0.25}, {"nesterov": True}):
                self.compared(lambda *args: wt.sgd_(*args, lr=0.05, momentum=0.9, weight_decay=0.1, **options), self.lists(3, dtype))

    def test_against_torch(self):
        params = [randn(size) for size in SIZES]
        references = [x.clone().requires_grad_() for x in params]
        means, squares = ([torch.zeros_like(x) for x in params] for _ in range(2))
        theirs = torch.optim.AdamW(references, lr=0.05, weight_decay=0.1)
        for number in range(1, 6):
            grads = [randn(size) for size in SIZES]
            for reference, grad in zip(references, grads):
                reference.grad = grad.clone()
            theirs.step()
            wt.adamw_(params, grads, means, squares, number, lr=0.05, weight_decay=0.1)
        for found, expected in zip(params, references):
            near(found, expected.detach(), factor=4)

    def test_master(self):
        for grads_dtype in (torch.bfloat16, torch.float32):
            master, means, squares = self.lists(3)
            params = [x.to(torch.bfloat16) for x in master]
            grads = [randn(size).to(grads_dtype) for size in SIZES]
            self.compared(lambda *args, **named: wt.adamw_(*args, 1, lr=0.05, **named), [params, grads, means, squares], master=master)
            for x, exact in zip(params, master):
                self.assertTrue(torch.equal(x, exact.to(torch.bfloat16)))

    def test_views_at_any_element(self):
        """The elements around the views stay."""
        for shifts in ((1, 1, 1, 1), (0, 1, 2, 3), (3, 3, 3, 2)):
            wholes = [[torch.full((size + 8,), 77.0, device="cuda") for size in SIZES] for _ in shifts]
            lists = [[whole[shift:shift + size] for whole, size in zip(one, SIZES)] for one, shift in zip(wholes, shifts)]
            for views, values in zip(lists, self.lists(4)):
                for view, value in zip(views, values):
                    view.copy_(value)
            self.compared(lambda *args: wt.adamw_(*args, 1, lr=0.05), lists)
            for one, shift in zip(wholes, shifts):
                for whole, size in zip(one, SIZES):
                    self.assertTrue((whole[:shift] == 77).all() and (whole[shift + size:] == 77).all())

    def test_other_streams_and_moved_gradients(self):
        lists = self.lists(4, sizes=(1003, 40))
        for _ in range(3):
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                lists[1] = [x.clone() for x in lists[1]]
                self.compared(lambda *args: wt.adamw_(*args, 1, lr=0.05), lists)
            torch.cuda.current_stream().wait_stream(stream)

    def test_many_tables(self):
        for _ in range(300):
            lists = self.lists(3, sizes=(5, 3))
            wt.sgd_(*lists, momentum=0.9)
        self.compared(lambda *args: wt.sgd_(*args, momentum=0.9), lists)

    def test_captured(self):
        lists = self.lists(3, sizes=(1003, 40))
        wt.sgd_(*lists, lr=0.05, momentum=0.9)
        copies, graph = [[x.clone() for x in one] for one in lists], torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            wt.sgd_(*lists, lr=0.05, momentum=0.9)
        for _ in range(2):
            graph.replay()
            for one in zip(*copies):
                wt.sgd_(*one, lr=0.05, momentum=0.9)
        for found, expected in zip(lists, copies):
            for x, y in zip(found, expected):
                near(x, y)
        with self.assertRaisesRegex(warptune.NotReady, "set_to_none=False"):
            with torch.cuda.graph(torch.cuda.CUDAGraph()):
                wt.sgd_(lists[0], [x.clone() for x in lists[1]], lists[2], lr=0.05, momentum=0.9)

    def test_compiled(self):
        lists = self.lists(4, sizes=(40, 7))
        self.compared(lambda *args: torch.compile(lambda *given: wt.adamw_(*given, 1), fullgraph=True)(*args)
                      if isinstance(args[0], list) else wt.adamw_(*args, 1), lists)

    def test_opcheck(self):
        numbers = [1e-3, 0.0, 1.0, 0.9, 0.999, 1e-8, 0.1, 0.001]
        for with_master in (False, True):
            params, grads, means, squares = self.lists(4, sizes=(40, 7))
            master = [x.clone() for x in params] if with_master else []
            params = [x.bfloat16() for x in params] if with_master else params
            torch.library.opcheck(torch.ops.warptune.optimiser_steps_.default, (params, grads, means, squares, master, "adamw", numbers))

    def test_what_is_refused(self):
        x = [randn(40), randn(7)]
        self.refused([("use torch.no_grad", lambda: wt.sgd_([randn(40, grad=True), x[1]], x, x)), ("state has 1 tensors", lambda: wt.sgd_(x, x, x[:1])),
                      ("all tensors must be on one CUDA device", lambda: wt.sgd_(x, x, [x[0], x[1].cpu()])),
                      ("is not contiguous", lambda: wt.sgd_(x, [x[0], randn(14)[::2]], x))])


if __name__ == "__main__":
    unittest.main()
