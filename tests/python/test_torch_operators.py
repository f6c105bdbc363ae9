"""The other operators of warptune.torch, by element, by dim and with scales: launches, the order of arguments, and
refusals; and properties of all operators. Without torch (fake_torch.py); the GPU tests check results."""
import math
import os
import subprocess
import sys
import unittest
from pathlib import Path

import fake_torch
from glue import Context, OperatorCase, torch, wt

import warptune
from warptune.torch.permutes import _sizes as permuted
from warptune.torch.reductions import _sizes as reduced


class ElementsTest(OperatorCase):
    def test_every_function_has_its_numbers(self):
        x, flags = self.half(2, 3, 8), {"bias": "none", "other": "none"}
        for call, function, numbers in (
                (wt.relu, "relu", ()), (wt.leaky_relu, "leaky_relu", (0.01,)), (wt.elu, "elu", (1.0,)), (wt.selu, "selu", ()),
                (wt.gelu, "gelu", ()), (lambda x: wt.gelu(x, approximate="tanh"), "gelu_tanh", ()), (wt.silu, "silu", ()),
                (wt.sigmoid, "sigmoid", ()), (wt.hardsigmoid, "hardsigmoid", ()), (wt.hardtanh, "hardtanh", (-1.0, 1.0)),
                (wt.tanh, "tanh", ()), (wt.softplus, "softplus", (1.0, 20.0)), (wt.softsign, "softsign", ()),
                (lambda x: wt.hardtanh(x, 0, 6), "hardtanh", (0.0, 6.0)), (lambda x: wt.softplus(x, 2, 3), "softplus", (2.0, 3.0))):
            y = call(x)
            self.check("elementwise", {"function": function, **flags}, (6, 8, 1), x, y, *numbers)
            self.assertEqual((y.shape, y.dtype), (x.shape, x.dtype))

    def test_biases_and_second_tensors(self):
        x, other = self.half(4, 6, 5, 7), self.half(4, 6, 5, 7)
        for shape, kind, dims in (((7,), "columns", (120, 7, 1)), ((5, 1), "rows", (5, 7, 24)), ((6, 1, 1), "rows", (6, 35, 4)),
                                  ((4, 1, 1, 1), "rows", (4, 210, 1))):
            bias = self.half(*shape)
            y = wt.silu(x, bias=bias, mul=other)
            self.check("elementwise", {"function": "silu", "bias": kind, "other": "mul"}, dims, x, bias, other, y)
        y = wt.elu(x, 2, add=other)
        self.check("elementwise", {"function": "elu", "bias": "none", "other": "add"}, (120, 7, 1), x, other, y, 2.0)
        for call, combine in ((wt.add, "add"), (wt.mul, "mul")):
            self.check("elementwise", {"function": "identity", "bias": "none", "other": combine}, (120, 7, 1), x, other, call(x, other))
        self.refused(("nothing is broadcast", lambda: wt.silu(x, add=self.half(7))), ("give add or mul", lambda: wt.relu(x, add=x, mul=x)),
                     ("approximate is 'erf'", lambda: wt.gelu(x, "erf")), ("hardtanh: min_val is 1 and max_val -1", lambda: wt.hardtanh(x, 1, -1)),
                     ("^gelu: the bias has", lambda: wt.gelu(x, "tanh", bias=self.half(6))), ("^add: the bias has", lambda: wt.add(x, x, bias=self.half(6))),
                     ("^mul: the bias has", lambda: wt.mul(x, x, bias=self.half(6))), ("^silu: the other tensor has", lambda: wt.silu(x, mul=self.half(7))),
                     *(("^relu: the bias has the shape", lambda shape=shape: wt.relu(x, bias=self.half(*shape)))
                       for shape in ((6,), (), (1, 7), (7, 1), (1, 4, 6, 5, 7))))

    def test_gradients(self):
        x, bias, other, y, dy = (self.half(*shape) for shape in ((6, 8), (8,), (6, 8), (6, 8), (6, 8)))
        found = self.gradient("elementwise", (x, bias, other, "softplus", "mul", [2.0, 3.0]), y, dy)
        made = self.check("elementwise_backward", {"function": "softplus", "bias": "columns", "other": "mul"}, (6, 8, 1), None, x, bias,
                          other, None, None, 2.0, 3.0)
        self.assertTrue(found[0] is made[1] and found[2] is made[2] and found[1].shape == (8,))
        found = self.gradient("elementwise", (x, None, other, "tanh", "add", []), y, dy)
        dx = self.check("elementwise_backward", {"function": "tanh", "bias": "none", "other": "none"}, (6, 8, 1), None, x, None)[1]
        self.assertTrue(found[0] is dx and found[2] is dy)
        found = self.gradient("elementwise", (x, bias, other, "identity", "add", []), y, dy)
        self.assertTrue(found[0] is dy and found[2] is dy and found[1].shape == (8,))
        self.assertEqual(self.kernels.launches, [])
        setup, backward = fake_torch.gradients["warptune::elementwise"]
        context = Context(False, False, True, False, False, False)  # only the tensor that is added: nothing is saved
        setup(ctx=context, inputs=(x, bias, other, "tanh", "add", []), output=y)
        found = backward(context, dy)
        self.assertTrue(found[0] is dy and found[1] is None and found[2] is dy and not hasattr(context, "saved_tensors"))
        self.assertEqual(self.kernels.launches, [])

    def test_gradients_of_a_product(self):
        x, bias, other, y, dy = (self.half(*shape) for shape in ((6, 8), (8,), (6, 8), (6, 8), (6, 8)))
        inputs = (x, bias, other, "identity", "mul", [])
        found = self.gradient("elementwise", inputs, y, dy)  # which may be differentiated again
        self.assertEqual([launch[0] for launch in self.kernels.launches], ["elementwise"] * 2)
        _, flags, _, *given = self.kernels.launches.pop()
        self.assertTrue(given[:2] == [x, bias] and given[3] is found[2] and flags["other"] == "mul")
        self.assertTrue(self.launched()[4] is other and found[1].shape == (8,))
        self.addCleanup(setattr, torch, "is_grad_enabled", torch.is_grad_enabled)
        torch.is_grad_enabled = lambda: False
        found = self.gradient("elementwise", inputs, y, dy)
        made = self.check("elementwise_backward", {"function": "identity", "bias": "columns", "other": "mul"}, (6, 8, 1), None, x, bias,
                          other, None, None)
        self.assertTrue(found[0] is made[1] and found[2] is made[2])


    def test_only_what_is_needed_is_computed_and_saved(self):
        x, bias, other, y, dy = (self.half(*shape) for shape in ((6, 8), (8,), (6, 8), (6, 8), (6, 8)))
        setup, backward = fake_torch.gradients["warptune::elementwise"]
        for function, numbers, needs, saved, given in (("identity", [], (True, False, False), (None, None, other), (None, other)),
                                                       ("identity", [], (False, True, False), (None, None, other), (None, other)),
                                                       ("identity", [], (False, False, True), (x, bias, None), (x, bias, None)),
                                                       ("elu", [2.0], (False, False, True), (x, bias, None), (x, bias, None))):
            context = Context(*needs, False, False, False)
            setup(ctx=context, inputs=(x, bias, other, function, "mul", numbers), output=y)
            self.assertTrue(all(one is expected for one, expected in zip(context.saved_tensors, saved)))
            found = backward(context, dy)
            flags = {"function": function, "bias": "columns" if needs[2] else "none", "other": "mul"}
            self.check("elementwise", flags, (6, 8, 1), *given, None, *numbers)
            self.assertEqual([gradient is not None for gradient in found], [not needs[2], needs[1], needs[2], False, False, False])
        context = Context(True, False, False, False, False, False)
        setup(ctx=context, inputs=(x, bias, other, "gelu", "mul", []), output=y)
        self.assertTrue(all(one is expected for one, expected in zip(context.saved_tensors, (x, bias, other))))
        backward(context, dy)
        self.assertEqual(self.launched()[0], "elementwise_backward")


class MaskTest(OperatorCase):
    def test_where_a_gradient_is_asked_for(self):
        x, bias, other = self.half(3, 5, 7, requires_grad=True), self.half(7), self.half(3, 5, 7)
        for call, function, numbers in ((wt.relu, "relu", ()), (lambda x, **f: wt.leaky_relu(x, 0.2, **f), "leaky_relu", (0.2,)),
                                        (wt.hardsigmoid, "hardsigmoid", ()), (wt.hardtanh, "hardtanh", (-1.0, 1.0))):
            for fused, kind, combine, more in (({}, "none", "none", ()), ({"bias": bias, "add": other}, "columns", "add", (bias, other))):
                y = call(x, **fused)
                flags = {"function": function, "bias": kind, "other": combine, "mask": True}
                mask, = self.check("elementwise", flags, (15, 7, 1), x, *more, y, None, *numbers)
                self.assertEqual((y.shape, y.dtype, mask.shape, mask.dtype), (x.shape, x.dtype, (14,), torch.uint8))
        wt.relu(other, bias=self.half(7, requires_grad=True))
        self.assertTrue(self.launched()[1]["mask"])
        for call in (lambda: wt.relu(other), lambda: wt.relu(x, mul=other), lambda: wt.gelu(x), lambda: wt.relu(other, add=x)):
            call()
            self.assertNotIn("mask", self.launched()[1])

    def test_gradients(self):
        x, bias, other, y, dy, mask = (*(self.half(*shape) for shape in ((6, 8), (8,), (6, 8), (6, 8), (6, 8))), self.tensor(6, dtype=torch.uint8))
        found = self.gradient("masked_elementwise", (x, bias, other, "hardtanh", [-2.0, 3.0]), (y, mask), dy, None)
        dx = self.check("elementwise_backward", {"function": "hardtanh", "mask": True}, (6, 8, 1), None, mask, None, -2.0, 3.0)[1]
        self.assertTrue(found[0] is dx and found[2] is dy and found[1].shape == (8,))
        self.assertEqual((self.context.saved_tensors, self.context.fixed, dx.shape, dx.dtype), ((mask,), (mask,), (6, 8), torch.bfloat16))
        found = self.gradient("masked_elementwise", (x, None, None, "relu", []), (y, mask), dy, None)
        self.check("elementwise_backward", {"function": "relu", "mask": True}, (6, 8, 1), None, mask, found[0])
        self.assertEqual(found[1:], (None,) * 4)
        self.shapes_agree("masked_elementwise", x, bias, other, "relu", [])
        self.shapes_agree("masked_elementwise", self.half(3, 3), None, None, "relu", [])
        self.shapes_agree("masked_elementwise_backward", dy, mask, "relu", [])
        self.once_only("masked_elementwise_backward")
        wt.relu(self.half(0, 8, requires_grad=True))
        self.gradient("masked_elementwise", (self.half(0, 8), None, None, "relu", []), (self.half(0, 8), self.half(0)), self.half(0, 8), None)
        self.assertEqual(self.kernels.launches, [])


class DimsTest(OperatorCase):
    def test_reductions(self):
        x = self.half(2, 3, 4, 5)
        for call, op, dims, shape, numbers in (
                (lambda: wt.sum(x), "sum", (1, 120, 1), (), ()), (lambda: wt.mean(x, -1), "mean", (24, 5, 1), (2, 3, 4), ()),
                (lambda: wt.prod(x, 0, True), "prod", (1, 2, 60), (1, 3, 4, 5), ()),
                (lambda: wt.amax(x, (2, 1)), "max", (2, 12, 5), (2, 5), ()), (lambda: wt.amin(x, ()), "min", (1, 120, 1), (), ()),
                (lambda: wt.norm(x, 1, (0, 1)), "l1_norm", (1, 6, 20), (4, 5), ()),
                (lambda: wt.norm(x, dim=[-2]), "l2_norm", (6, 4, 5), (2, 3, 5), ()),
                (lambda: wt.var(x, 1, correction=0), "variance", (2, 3, 20), (2, 4, 5), (0.0,)),
                (lambda: wt.argmax(x, 1, True), "argmax", (2, 3, 20), (2, 1, 4, 5), ()),
                (lambda: wt.argmin(x), "argmin", (1, 120, 1), (), ())):
            y = call()
            self.check("reduce", {"op": op}, dims, x, y, *numbers)
            self.assertEqual((y.shape, y.dtype), (shape, torch.int64 if op in ("argmax", "argmin") else torch.bfloat16))
        wt.sum(self.half(), -1)
        self.assertEqual(self.launched()[2], (1, 1, 1))
        self.assertEqual(reduced((2, 1, 3, 1, 5), [0, 2], "sum"), (1, 6, 5))
        self.assertEqual(reduced((2, 1, 3), [1], "sum"), (2, 1, 3))
        self.refused(("^sum: dim 1 is between the dims \\(0, 2\\)", lambda: wt.sum(x, (2, 0))),
                     ("^var: dim 1 is between", lambda: wt.var(x, (2, 0))), ("^var: dim is False, which is a bool", lambda: wt.var(x, False)),
                     ("^sum: dim is True", lambda: wt.sum(x, (1, True))),
                     ("dim is 4, but the input has 4", lambda: wt.sum(x, 4)),
                     ("names a dim twice", lambda: wt.mean(x, (0, -4))), ("p is 3", lambda: wt.norm(x, 3)),
                     ("^amax: the result for no elements", lambda: wt.amax(self.half(3, 0), 1)))
        for call, value in ((wt.sum, 0), (wt.prod, 1)):
            call(self.half(3, 0), 1)
            self.assertEqual(fake_torch.seen.pop(), ("fill", value))
        wt.mean(self.half(3, 0))
        self.assertTrue(math.isnan(fake_torch.seen.pop()[1]))
        wt.argmax(self.half(0, 4), 1)

    def test_orders(self):
        x = self.half(2, 3, 4, 5)
        y = wt.permute(x, (0, -2, -1, 1))
        self.check("permute", {}, (3, 20, 2, 1), x, y)
        self.assertEqual((y.shape, y.strides), ((2, 4, 5, 3), (60, 15, 3, 1)))
        self.check("permute", {}, (3, 4, 2, 5), x, wt.transpose(x, 1, 2))
        self.check("permute", {}, (4, 5, 6, 1), x, wt.transpose(x))
        matrix = self.half(4, 6)
        for dims in ((), (0, 1), (1, 0), (-1, 0)):
            self.assertEqual((wt.transpose(matrix, *dims).shape, self.launched()[0]), ((6, 4), "transpose"))
        self.assertEqual(permuted((2, 1, 3, 5), (1, 2, 3, 0)), (2, 15, 1, 1))
        self.assertIsNone(permuted((2, 1, 3), (1, 0, 2)))
        wt.transpose(matrix, 1, -1)
        self.assertEqual(fake_torch.seen, ["copy"])
        found = self.gradient("permute", (x, [0, 2, 3, 1]), y, self.half(2, 4, 5, 3))
        self.check("permute", {}, (20, 3, 2, 1), None, found[0])
        self.refused(("more than two groups", lambda: wt.permute(x, (0, 3, 2, 1))), ("dims is \\(0, 1\\)", lambda: wt.permute(x, (0, 1))),
                     ("dims is \\(0, 1, 2, 2\\)", lambda: wt.permute(x, (0, 1, 2, 2))),
                     ("the dims are 0 and 4", lambda: wt.transpose(x, 0, 4)), ("the dims are 0 and 5", lambda: wt.transpose(matrix, 0, 5)))

    def test_quantise(self):
        x, one = self.half(2, 3, 40), self.tensor()
        y, scales = wt.quantise(x)
        self.check("quantise", {"to": "e4m3", "scaling": "row"}, (6, 40), x, y, scales, 2.0 ** -23)
        self.assertEqual((y.shape, y.dtype, scales.shape, scales.dtype), (x.shape, torch.float8_e4m3fn, (2, 3, 1), torch.float32))
        y, scales = wt.quantise(x, torch.int8, block=8, least_scale=0.5)
        self.check("quantise", {"to": "int8", "scaling": "row"}, (30, 8), x, y, scales, 0.5)
        self.assertEqual(scales.shape, (2, 3, 5))
        wide = wt.dequantise(y, scales, torch.float16)
        self.check("dequantise", {"from": "int8", "scaling": "row"}, (30, 8), y, scales, wide)
        self.assertEqual((wide.shape, wide.dtype), (x.shape, torch.float16))
        y, returned = wt.quantise(x, torch.float8_e5m2, one)
        self.check("quantise", {"to": "e5m2", "scaling": "given"}, (6, 40), x, one, y)
        self.assertIs(returned, one)
        self.check("dequantise", {"from": "e5m2", "scaling": "given"}, (6, 40), y, one, wt.dequantise(y, one))
        y, scales = wt.quantise(self.half(3, 0), least_scale=0.5)  # rows without elements have scales
        self.assertEqual((y.shape, scales.shape, fake_torch.seen.pop(), self.kernels.launches), ((3, 0), (3, 1), ("fill", 0.5), []))
        fake_torch.seen.clear()
        for dtype in (torch.int8, "int4"):  # rows without blocks
            y, scales = wt.quantise(self.half(3, 0), dtype, block=64)
            self.assertEqual((y.shape, scales.shape, wt.dequantise(y, scales).shape), ((3, 0), (3, 0), (3, 0)))
        self.refused(("cannot be divided into 0 blocks", lambda: wt.dequantise(self.tensor(3, 8, dtype=torch.int8), self.tensor(3, 0))))
        fake_torch.seen.clear()
        wt.quantise(self.half(3, 0), scale=one)
        self.assertEqual((fake_torch.seen, self.kernels.launches), ([], []))
        y = self.tensor(2, 3, 40, dtype=torch.float8_e5m2)
        self.refused(("block is 8.0, but must be an int", lambda: wt.quantise(x, block=8.0)),
                     ("no kernel for the result torch.uint8", lambda: wt.quantise(x, torch.uint8)),
                     ("block is 7", lambda: wt.quantise(x, block=7)), ("block is 0", lambda: wt.quantise(x, block=0)),
                     ("cannot be combined with scale", lambda: wt.quantise(x, scale=one, block=8)),
                     ("the scale has the shape \\(6,\\)", lambda: wt.quantise(x, scale=self.tensor(6))),
                     ("the input is torch.bfloat16", lambda: wt.dequantise(x, one)),
                     ("the scales have the shape \\(6, 5\\)", lambda: wt.dequantise(y, self.tensor(6, 5))),
                     ("cannot be divided into 3", lambda: wt.dequantise(y, self.tensor(2, 3, 3))),
                     ("quantise has no gradient", lambda: self.gradient("quantise", (x, None, "int8", 1, 0.0), (y, one))),
                     ("dequantise has no gradient", lambda: self.gradient("dequantise", (y, one, torch.float16), x)))

    def test_quantise_groups(self):
        x = self.half(2, 3, 256)
        y, scales = wt.quantise(x, "int4", block=64)
        self.check("quantise_groups", {"size": 64}, (24,), x, y, scales, 2.0 ** -23)
        self.assertEqual((y.shape, y.dtype, scales.shape, scales.dtype), ((2, 3, 128), torch.uint8, (2, 3, 4), torch.float32))
        wide = wt.dequantise(y, scales, torch.float16)
        self.check("dequantise_groups", {"size": 64}, (24,), y, scales, wide)
        self.assertEqual((wide.shape, wide.dtype), ((2, 3, 256), torch.float16))
        for block in (32, 128):
            wt.quantise(x, "int4", block=block, least_scale=0.5)
            self.check("quantise_groups", {"size": block}, (1536 // block,), x, None, None, 0.5)
        self.assertEqual(wt.dequantise(self.tensor(0, 64, dtype=torch.uint8), self.tensor(0, 1)).shape, (0, 128))
        self.assertEqual(wt.quantise(self.half(3, 0), "int4", block=32)[0].shape, (3, 0))
        one = self.tensor()
        self.refused(("set block to one of 32, 64, 128", lambda: wt.quantise(x, "int4")), ("without scale", lambda: wt.quantise(x, "int4", one, block=32)),
                     ("block is 32.0, but must be an int", lambda: wt.quantise(x, "int4", block=32.0)),
                     ("a torch.uint8 input contains int4", lambda: wt.dequantise(y, self.tensor(3, 4))),
                     ("block is 16", lambda: wt.quantise(x, "int4", block=16)), ("block is 128", lambda: wt.quantise(self.half(8, 64), "int4", block=128)),
                     ("block is 32", lambda: wt.quantise(self.half(), "int4", block=32)),
                     ("the scales have the shape \\(2, 3, 16\\)", lambda: wt.dequantise(y, self.tensor(2, 3, 16))),
                     ("the scales have the shape \\(\\)", lambda: wt.dequantise(y, one)), ("the scales have the shape \\(3, 4\\)", lambda: wt.dequantise(y, self.tensor(3, 4))),
                     ("quantise has no gradient", lambda: self.gradient("quantise_groups", (x, 64, 0.0), (y, scales))),
                     ("dequantise has no gradient", lambda: self.gradient("dequantise_groups", (y, scales, torch.float16), wide)))

    def test_quantise_per_tensor(self):
        x = self.half(2, 3, 41)
        for narrow, to in ((torch.int8, "int8"), (torch.float8_e4m3fn, "e4m3"), (torch.float8_e5m2, "e5m2")):
            y, scale = wt.quantise(x, narrow, per_tensor=True)
            self.check("quantise_tensor", {"to": to}, (246,), x, y, scale, 2.0 ** -23)
            self.assertEqual((y.shape, y.dtype, scale.shape, scale.dtype), (x.shape, narrow, (), torch.float32))
            self.check("dequantise", {"from": to, "scaling": "given"}, (6, 41), y, scale, wt.dequantise(y, scale))
        fake_torch.seen.clear()
        wt.quantise(self.half(0, 8), per_tensor=True, least_scale=0.5)
        self.assertEqual(fake_torch.seen, [("fill", 0.5)])
        self.refused(("per_tensor cannot be combined", lambda: wt.quantise(x, per_tensor=True, block=41)),
                     ("per_tensor cannot be combined", lambda: wt.quantise(x, scale=self.tensor(), per_tensor=True)),
                     ("quantise has no gradient", lambda: self.gradient("quantise_tensor", (x, "int8", 0.0), (y, scale))))


class EveryOperatorTest(OperatorCase):
    def test_nothing_is_launched_for_no_elements(self):
        empty, row = self.half(0, 8), self.half(8)
        wt.layer_norm(empty, (8,), row, row)
        wt.cross_entropy(empty, self.tensor(0, dtype=torch.int64), reduction="none")
        wt.masked_softmax(empty)
        wt.gelu(empty)
        wt.permute(empty, (1, 0))
        wt.quantise(empty)
        wt.dequantise(self.tensor(0, 8, dtype=torch.int8), self.tensor(0, 1))
        self.assertEqual(self.kernels.launches, [])

    def test_shape_rules_agree_with_the_kernels(self):
        x, row, target = self.half(6, 8), self.half(8), self.tensor(6, dtype=torch.int64)
        some, lse = self.tensor(6), self.tensor(6)
        for name, args in {"row_norm": (x, row, None, x, "layer", 1, 1e-5, True), "cross_entropy": (x, target, 0.1, -100),
                           "row_norm_backward": (x, x, row, some, some, None, "layer", 1, True),
                           "cross_entropy_backward": (some, x, target, lse, 0.1, -100),
                           "masked_softmax": (x, None, "none", 1.0, False), "masked_softmax_backward": (x, x, "none", 1.0, False),
                           "elementwise": (x, row, x, "silu", "mul", []), "elementwise_backward": (x, x, row, x, "silu", []),
                           "reduce": (x, [1], True, "argmax", 1.0), "permute": (x, [1, 0]), "quantise": (x, None, "int8", 2, 1e-7),
                           "quantise_groups": (self.half(6, 64), 32, 1e-7), "quantise_tensor": (x, "int8", 1e-7),
                           "dequantise_groups": (self.tensor(6, 32, dtype=torch.uint8), self.tensor(6, 2), torch.float16),
                           "dequantise": (self.tensor(6, 8, dtype=torch.int8), some, torch.float16)}.items():
            if name == "dequantise":
                args = (args[0], self.tensor(6, 1), args[2])
            self.shapes_agree(name, *args)

    def test_second_derivatives_are_refused(self):
        self.once_only("row_norm_backward", "cross_entropy_backward", "masked_softmax_backward", "elementwise_backward")

    def test_the_kernels_have_these_dims_and_arguments(self):
        """The expectations of the tests above agree with spec.json."""
        root = Path(__file__).resolve().parents[2]
        ended = subprocess.run([sys.executable, "-c", "import warptune\nlibrary = warptune.open(misses='off')\n"
                                + "".join(f"kernel = library.kernel({name!r}, dtype='bf16')\n"
                                          "print(kernel.name, *kernel.dims, '|', *kernel.args)\n" for name in KERNELS)],
                               env={**os.environ, "WARPTUNE_TEMPLATES": str(root / "kernel_templates")}, text=True, capture_output=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(ended.stdout.splitlines(), [f"{name} {text}" for name, text in KERNELS.items()])

    def test_the_kernels_take_these_flags_and_sizes(self):
        """Each problem that these operators launch has a valid configuration."""
        root = Path(__file__).resolve().parents[2]
        ended = subprocess.run([sys.executable, "-c", "import warptune\nlibrary = warptune.open(misses='off')\n"
                                + "".join(f"library.kernel({name!r}, dtype='bf16', **{flags!r}).explain({dims!r}, device='NVIDIA H200')\n"
                                          for name, flags, dims in PROBLEMS)],
                               env={**os.environ, "WARPTUNE_TEMPLATES": str(root / "kernel_templates")}, text=True, capture_output=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)


_NUMBERS = "negative_slope alpha beta threshold min_val max_val"
_STEP = "rate decay scale beta1 beta2 eps correction1 correction2 momentum dampening"
_IMAGE = "batch channels height width window_h window_w stride_h stride_w pad_h pad_w depth window_d stride_d pad_d"
KERNELS = {"row_norm": "rows cols | x residual weight bias y sum mean rstd eps",
           "row_norm_backward": "rows cols | dy x weight mean rstd dsum dx dweight dbias",
           "cross_entropy": "rows cols | logits target loss lse smoothing ignore_index",
           "cross_entropy_backward": "rows cols | dloss logits target lse dlogits smoothing ignore_index",
           "masked_softmax": "rows cols heads batch | x mask y scale", "masked_softmax_backward": "rows cols batch | dy y dx scale",
           "elementwise": f"rows cols batch | x bias other y mask {_NUMBERS}",
           "elementwise_backward": f"rows cols batch | dy x mask bias other dx dother {_NUMBERS}",
           "broadcast": "rows cols batch | x values y alpha number",
           "broadcast_backward": "rows cols batch | dy x values dx dvalues",
           "reduce": "outer n inner | x y correction", "permute": "rows cols batch run | x y",
           "quantise": "rows cols | x scale y scales least_scale", "dequantise": "rows cols | x scales y",
           "normalise": "outer n inner | x y norms eps", "normalise_backward": "outer n inner | dy x norms dx eps",
           "row_norm_quantise": "rows cols | x residual weight bias y scales sum eps least_scale",
           "quantise_groups": "groups | x y scales least_scale", "dequantise_groups": "groups | x scales y",
           "quantise_tensor": "n | x y scale least_scale",
           "loss": "rows cols | x target y signs beta delta margin",
           "loss_backward": "rows cols | dloss x target signs dx beta delta margin",
           "pool": f"{_IMAGE} | x y indices",
           "pool_backward": f"{_IMAGE} | dy indices dx",
           "batch_norm": "batch channels pixels | x residual weight bias mean variance running_mean "
                         "running_variance y saved_mean saved_rstd eps momentum",
           "batch_norm_backward": "batch channels pixels | dy x y weight bias saved_mean saved_rstd dx dresidual dweight "
                                  "dbias",
           "group_norm": "batch channels pixels groups | x weight bias y saved_mean saved_rstd eps",
           "group_norm_backward": "batch channels pixels groups | dy x weight saved_mean saved_rstd dx dweight dbias",
           "embedding": "tokens rows cols batch | table ids y",
           "embedding_backward": "tokens rows cols | dy sorted_ids order ids dtable padding",
           "rotary": "seq q_heads k_heads head_dim batch rotated length | q k cosines sines positions q_out k_out",
           "scan": "rows cols | x mask y",
           "top_k": "rows cols k | x values indices",
           "slice": "outer n count inner from step | x y target", "concat": "outer n0 n1 n2 n3 inner | x0 x1 x2 x3 y",
           "row_loss": "rows cols | x x2 x3 target y sums margin eps",
           "row_loss_backward": "rows cols | dloss x x2 x3 target sums dx dx2 dx3 margin eps",
           "adam": f"n | grads weights means squares params {_STEP}",
           "adam_list": "sizes_count sizes_sum sizes_max sizes_min | grads weights means squares params offsets starts "
                        f"{_STEP}"}

_WINDOWS = (2, 6, 8, 10, 3, 3, 2, 2, 1, 1, 1, 1, 1, 0)
_FUNCTIONS = ("mse", "l1", "smooth_l1", "huber", "kl_div", "kl_div_log", "bce_with_logits", "hinge_embedding")
PROBLEMS = [
    *(("broadcast", {"combine": combine, "along": along}, (6, 41, 2 if along == "matrices" else 1)) for combine in ("mul", "add")
      for along in ("columns", "rows", "matrices", "number")),
    *(("broadcast_backward", {"along": along}, (6, 41, 2)) for along in ("columns", "rows", "matrices")),
    *(("elementwise", {"function": "identity", "out": out}, (6, 40, 1)) for out in ("bf16", "fp16", "fp32")),
    *((name, {"function": function, "mask": True}, (6, 40, 1)) for name in ("elementwise", "elementwise_backward")
      for function in ("relu", "leaky_relu", "hardsigmoid", "hardtanh")),
    *(("elementwise", {"function": "relu", "bias": bias, "other": other, "mask": True}, (6, 40, 1)) for bias in ("columns", "rows")
      for other in ("none", "add")),
    *((name, {"function": function, "reduction": reduction, "out": "same", "signs": True}, (6, 40)) for name in ("loss", "loss_backward")
      for function in ("l1", "hinge_embedding") for reduction in ("none", "mean", "sum")),
    *((name, {"function": function, "reduction": reduction, "out": "same"}, (6, 40)) for name in ("loss", "loss_backward")
      for function in _FUNCTIONS for reduction in ("none", "mean", "sum", "batchmean")),
    *(("pool", {"op": op, "layout": layout, "ceil": ceil}, _WINDOWS) for layout in ("nchw", "nhwc") for ceil in (False, True)
      for op in ("max", "max_index", "max_place", "average", "average_inside")),
    *(("pool_backward", {"op": op, "layout": layout, "ceil": True}, _WINDOWS) for layout in ("nchw", "nhwc")
      for op in ("max_index", "max_place", "average", "average_inside")),
    *(("batch_norm", {"mode": mode, "layout": layout, "relu": True, "residual": False}, (2, 6, 20)) for mode in ("training", "inference")
      for layout in ("nchw", "nhwc")),
    *(("batch_norm", {"mode": "inference", "layout": layout, "relu": False, "residual": False}, (1, 6, 1)) for layout in ("nchw", "nhwc")),
    *(("batch_norm_backward", {"after": "add_relu", "layout": layout}, (1, 6, 2)) for layout in ("nchw", "nhwc")),
    *(("batch_norm_backward", {"after": after, "layout": layout}, (2, 6, 20)) for after in ("nothing", "relu", "add_relu")
      for layout in ("nchw", "nhwc")),
    *((name, {"layout": layout}, (2, 6, 20, 3)) for name in ("group_norm", "group_norm_backward") for layout in ("nchw", "nhwc")),
    *(("embedding", {"index": index}, (6, 50, 8, 1)) for index in ("int64", "int32")),
    *(("embedding_backward", {"index": "int64", "padding": padding, "sorted": is_sorted}, (6, 50, 8)) for padding in (False, True)
      for is_sorted in (False, True)),
    *(("rotary", {"pairs": pairs, "inverse": True, "positions": True, "table": table}, (5, 4, k_heads, 16, 2, 6, 9))
      for pairs in ("halves", "neighbours") for table in ("fp32", "same") for k_heads in (0, 1)),
    *(("scan", {"op": op, "exclusive": exclusive, "reverse": True, "mask": mask}, (6, 8)) for op in ("sum", "prod") for exclusive in (False, True)
      for mask in (False, True)),
    *((name, {"size": size}, (24,)) for name in ("quantise_groups", "dequantise_groups") for size in (32, 64, 128)),
    *(("quantise_tensor", {"to": to}, (n,)) for to in ("int8", "e4m3", "e5m2") for n in (1, 240)),
    *(("top_k", {"largest": largest, "index": "int64"}, (6, 600, k)) for largest in (True, False) for k in (1, 50, 512)),
    *(("slice", {"into": into}, (6, 40, 5, 3, first, step)) for into in (False, True) for first, step in ((0, 1), (3, 1), (3, 4))),
    *(("concat", {}, (6, *sizes, 3)) for sizes in ((4, 5, 0, 0), (4, 5, 6, 0), (4, 5, 6, 7))),
    *((name, {"function": function, "reduction": reduction, "out": "same", "sums": True}, (6, 8200)) for name in ("row_loss", "row_loss_backward")
      for function in ("cosine_embedding", "triplet_margin", "triplet_margin_swap") for reduction in ("none", "mean", "sum")),
    *((name, {"function": function, "reduction": reduction, "out": "same"}, (6, 40)) for name in ("row_loss", "row_loss_backward")
      for function in ("cosine_embedding", "triplet_margin", "triplet_margin_swap") for reduction in ("none", "mean", "sum")),
    *(("normalise", {"order": order, "norms": norms}, dims) for order in ("l2", "l1", "max") for norms in (False, True)
      for dims in ((6, 40, 1), (2, 3, 20), (1, 8193, 3), (1, 3_000_000_000, 1))),
    *(("normalise_backward", {"order": order}, dims) for order in ("l2", "l1", "max") for dims in ((6, 40, 1), (2, 3, 20), (1, 3_000_000_000, 1))),
    *(("row_norm_quantise", {"norm": norm, "to": to, "weight": True, "bias": True, "residual": True}, (6, 40)) for norm in ("rms", "layer")
      for to in ("int8", "e4m3")),
    *(("adam", {"rule": rule, "master": True, "state": state, "grads": grads}, (40,)) for rule in ("adamw", "adam", "sgd", "nesterov")
      for state in ("fp32", "same") for grads in ("same", "fp32")),
    *(("adam_list", {"rule": rule, "master": True, "state": state, "grads": grads, "misaligned": misaligned}, ((40, 3),))
      for rule in ("adamw", "adam", "sgd", "nesterov") for state in ("fp32", "same") for grads in ("same", "fp32") for misaligned in (False, True))]


if __name__ == "__main__":
    unittest.main()
