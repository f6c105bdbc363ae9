"""Sums and products of a tensor with a number or a smaller tensor: launches, gradients, and refusals. Without torch
(fake_torch.py)."""
import itertools
import unittest
from unittest import mock

import fake_torch
from glue import Context, OperatorCase, torch, wt

from warptune.torch.broadcasts import _place

# The shapes of an input and of the values, the dims of the kernel, and how the values vary.
PLACES = [((6, 8), (8,), (6, 8, 1), "columns"), ((6, 8), (1, 8), (6, 8, 1), "columns"), ((2, 3, 8), (8,), (6, 8, 1), "columns"),
          ((2, 3, 8), (3, 8), (2, 24, 1), "columns"), ((6, 8), (6, 1), (6, 8, 1), "rows"), ((2, 3, 8), (2, 3, 1), (6, 8, 1), "rows"),
          ((2, 3, 4, 5), (3, 1, 1), (3, 20, 2), "rows"), ((2, 3, 4, 5), (1, 3, 1, 1), (3, 20, 2), "rows"),
          ((2, 3, 4, 5), (2, 3, 1, 1), (6, 20, 1), "rows"), ((2, 3, 4, 5), (2, 1, 1, 1), (2, 60, 1), "rows"),
          ((2, 3, 8), (2, 1, 8), (3, 8, 2), "matrices"), ((2, 3, 4, 5), (2, 1, 1, 5), (12, 5, 2), "matrices"),
          ((2, 1, 3, 8), (2, 1, 1, 8), (3, 8, 2), "matrices"), ((6, 8), (), (1, 48, 1), "rows"), ((6, 8), (1, 1), (1, 48, 1), "rows"),
          ((1, 8), (8,), (1, 8, 1), "columns"), ((1, 1), (), (1, 1, 1), "rows"), ((6, 8), None, (1, 48, 1), "number")]


def at(shape, values, index):
    """The place of an element's value in a contiguous tensor of the shape `values`, by torch's rule."""
    padded = (1,) * (len(shape) - len(values)) + tuple(values)
    place = 0
    for size, own in zip(padded, index):
        place = place * size + (own if size != 1 else 0)
    return place


class BroadcastTest(OperatorCase):
    def test_places(self):
        for shape, values, dims, along in PLACES:
            self.assertEqual(_place(shape, values), (dims, along), (shape, values))
            if values is None:
                continue
            rows, cols, _ = dims
            kernels = {"columns": lambda i: i % cols, "rows": lambda i: i // cols % rows, "matrices": lambda i: i // cols // rows * cols + i % cols}
            for i, index in enumerate(itertools.product(*map(range, shape))):
                self.assertEqual(kernels[along](i), at(shape, values, index), (shape, values))

    def test_launches(self):
        for shape, values, dims, along in PLACES:
            if values is None or values == shape:
                continue
            x, other = self.half(*shape), self.half(*values)
            for call, combine, numbers in ((lambda: wt.mul(x, other), "mul", ()), (lambda: wt.add(x, other, alpha=2.5), "add", (2.5,)),
                                           (lambda: wt.mul(other, x), "mul", ()), (lambda: wt.add(other, x), "add", (1.0,))):
                y = call()
                self.check("broadcast", {"combine": combine, "along": along}, dims, x, other, y, *numbers)
                self.assertEqual((y.shape, y.dtype), (x.shape, x.dtype))
        x = self.half(6, 8)
        self.check("broadcast", {"combine": "mul", "along": "number"}, (1, 48, 1), x, wt.mul(x, 3), 3.0)
        self.check("broadcast", {"combine": "add", "along": "number"}, (1, 48, 1), x, wt.add(x, 3, alpha=0.5), 0.5, 3.0)
        wt.mul(self.half(0, 8), self.half(8))
        self.assertEqual(self.kernels.launches, [])

    def sums(self):
        """The dims of the reductions that were launched."""
        found = [dims for name, _, dims, *_ in self.kernels.launches if name == "reduce"]
        self.kernels.launches.clear()
        return found

    def test_gradients(self):
        for shape, values, dims, along in PLACES:
            if values is None:
                continue
            (rows, cols, batch), x, other, dy = dims, self.half(*shape), self.half(*values), self.half(*shape)
            sums = {"columns": [(1, rows, cols)] * (rows > 1), "matrices": [(batch, rows, cols)],
                    "rows": [(batch * rows, cols, 1)] * (cols > 1) + [(1, batch, rows)] * (batch > 1)}[along]
            dx, dvalues, *rest = self.gradient("broadcast", (x, other, "mul", 1.0, 0.0), dy, dy)
            first, second, *_ = self.kernels.launches
            self.assertEqual((first[:3], second[0], second[1]["other"]), (("broadcast", {"combine": "mul", "along": along}, dims), "elementwise", "mul"))
            self.assertTrue(first[4] is other and first[5] is dx and second[4] is x)
            self.assertEqual((self.sums(), dvalues.shape, rest), (sums, tuple(values), [None] * 3))
            dx, dvalues, *_ = self.gradient("broadcast", (x, other, "add", 1.0, 0.0), dy, dy)
            self.assertTrue(dx is dy and not hasattr(self.context, "saved_tensors"))
            self.assertEqual((len(self.kernels.launches), self.sums(), dvalues.shape), (len(sums), sums, tuple(values)))
        self.gradient("broadcast", (x, other, "add", 2.5, 0.0), dy, dy)
        self.assertEqual(self.kernels.launches[-1][1:3] + self.kernels.launches[-1][5:], ({"combine": "mul", "along": "number"}, (1, 1, 1), 2.5))
        self.kernels.launches.clear()
        dx, *rest = self.gradient("broadcast", (x, None, "mul", 1.0, 3.0), dy, dy)
        self.check("broadcast", {"combine": "mul", "along": "number"}, (1, 1, 1), None, dx, 3.0)
        self.assertEqual(rest, [None] * 4)

    def test_both_gradients_are_one_launch(self):
        for shape, values, dims, along in PLACES:
            if values is None:
                continue
            x, other, dy = self.half(*shape), self.half(*values), self.half(*shape)
            with mock.patch.object(torch, "is_grad_enabled", lambda: False):
                dx, dvalues, *_ = self.gradient("broadcast", (x, other, "mul", 1.0, 0.0), dy, dy)
            self.check("broadcast_backward", {"along": along}, dims, None, x, other, dx, dvalues)
            self.assertEqual((dx.shape, dvalues.shape, dvalues.dtype), (x.shape, other.shape, x.dtype))
        with mock.patch.object(torch, "is_grad_enabled", lambda: False):
            large = self.half(2 ** 16, 2 ** 16)
            self.gradient("broadcast", (large, self.half(), "mul", 1.0, 0.0), large, large)
            self.assertEqual([name for name, *_ in self.kernels.launches], ["broadcast", "elementwise", "reduce"])
            self.kernels.launches.clear()
            empty = self.half(0, 8)
            self.gradient("broadcast", (empty, self.half(8), "mul", 1.0, 0.0), empty, empty)
        self.assertEqual((fake_torch.seen[-1], self.kernels.launches), ("zero", []))
        x, other, dy = self.half(6, 8), self.half(8), self.half(6, 8)  # a frozen input: only the gradient of the values is computed
        setup, backward = fake_torch.gradients["warptune::broadcast"]
        context = Context(False, True, False, False, False)
        setup(ctx=context, inputs=(x, other, "mul", 1.0, 0.0), output=dy)
        with mock.patch.object(torch, "is_grad_enabled", lambda: False):
            dx, dvalues, *_ = backward(context, dy)
        self.assertEqual((dx, dvalues.shape), (None, (8,)))
        self.assertTrue(context.saved_tensors[0] is x and context.saved_tensors[1] is None)
        self.assertEqual([name for name, *_ in self.kernels.launches], ["elementwise", "reduce"])
        self.kernels.launches.clear()
        context = Context(True, False, False, False, False)  # frozen values
        setup(ctx=context, inputs=(x, other, "mul", 1.0, 0.0), output=dy)
        self.assertTrue(context.saved_tensors[0] is None and context.saved_tensors[1] is other)
        dx, dvalues, *_ = backward(context, dy)
        self.check("broadcast", {"combine": "mul", "along": "columns"}, (6, 8, 1), None, other, dx)
        self.assertIsNone(dvalues)
        self.once_only("broadcast_backward")

    def test_shape_rules_agree_with_the_kernels(self):
        self.shapes_agree("broadcast_backward", self.half(6, 8), self.half(6, 8), self.half(8))
        self.shapes_agree("broadcast", self.half(6, 8), self.half(8), "mul", 1.0, 0.0)
        self.shapes_agree("broadcast", self.half(6, 8), None, "add", 1.0, 2.0)

    def test_what_does_not_fit_is_refused(self):
        x = self.half(2, 3, 4, 5)
        self.refused(("at most two groups", lambda: wt.mul(x, self.half(2, 1, 4, 1))), ("at most two groups", lambda: wt.add(x, self.half(3, 1, 5))),
                     ("one of the two must have the shape of the result", lambda: wt.mul(self.half(6, 1), self.half(1, 8))),
                     ("the input has the shape \\(2, 3, 4, 5\\) and other \\(4,\\)", lambda: wt.add(x, self.half(4))),
                     ("alpha is 2, but must be 1 if the input is broadcast", lambda: wt.add(self.half(5), x, alpha=2)),
                     ("add: with a bias, other must", lambda: wt.add(x, self.half(5), bias=self.half(5))),
                     ("mul: other is an int that is too large", lambda: wt.mul(x, 10 ** 400)),
                     ("add: alpha is an int that is too large", lambda: wt.add(x, 1, alpha=-10 ** 400)),
                     ("add: alpha is an int that is too large", lambda: wt.add(x, self.half(5), alpha=10 ** 400)),
                     ("^mul: the smaller operand .* pass .expand\\(...\\).contiguous\\(\\) of the smaller", lambda: wt.mul(x, self.half(2, 1, 4, 1))),
                     ("^add: the smaller operand", lambda: wt.add(self.half(2, 1, 4, 1), x)),
                     ("pass .expand\\(...\\).contiguous\\(\\) of one", lambda: wt.mul(self.half(6, 1), self.half(1, 8))),
                     ("mul: with a bias, other must", lambda: wt.mul(x, 2.0, bias=self.half(5))))

    def test_equal_shapes_take_the_other_operators(self):
        x, other = self.half(6, 8), self.half(6, 8)
        for call, name in ((lambda: wt.add(x, other), "elementwise"), (lambda: wt.mul(x, other), "elementwise"),
                           (lambda: wt.add(x, other, alpha=2.0), "axpy")):
            call()
            self.assertEqual(self.launched()[0], name)
        with mock.patch.object(fake_torch.torch, "compiling", True):
            wt.mul(x, self.half(8))
        self.assertEqual((self.launched()[0], fake_torch.seen), ("broadcast", ["broadcast"]))
        self.assertEqual(torch.compiling, False)


if __name__ == "__main__":
    unittest.main()
