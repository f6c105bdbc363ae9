"""matmul and linear of warptune.torch: the operator, flags, dims and arguments of each call, in order. Without torch
(fake_torch.py); the GPU tests check results."""
import unittest

import fake_torch
from glue import GlueCase, torch, wt

import warptune
from warptune.torch import gemm

PLAIN = {"layout": "nn", "shared": "none", "activation": "none", "bias": False, "residual": False}


class ProductCase(GlueCase):
    def half(self, *shape, **options):
        return self.tensor(*shape, dtype=torch.bfloat16, **options)

    def check(self, flags, dims, *args):
        """Checks one launch of gemm with the flags that differ from PLAIN; `args` are the expected arguments."""
        name, found, found_dims, *given = self.launched()
        self.assertEqual((name, found, found_dims), ("gemm", {**PLAIN, **flags}, dims))
        self.assertIs(type(found_dims), tuple)
        self.assertEqual(len(given), len(args))
        for x, expected in zip(given, args):
            self.assertIs(x, expected)


class MatmulTest(ProductCase):
    def test_matrices(self):
        a, b = self.half(4, 6), self.half(6, 8)
        c = wt.matmul(a, b)
        self.check({}, (4, 8, 6, 1, 0, 0, 0), a, b, c)
        self.assertEqual((c.shape, c.dtype, c.strides), ((4, 8), torch.bfloat16, (8, 1)))

    def test_packs_of_before_c_pad_are_launched_without_it(self):
        self.kernels.dims.remove("c_pad")
        a, b = self.half(4, 6), self.half(6, 8)
        for _ in range(2):
            self.check({}, (4, 8, 6, 1, 0, 0), a, b, wt.matmul(a, b))

    def test_float32_has_what_the_others_have(self):
        a, weight, bias = self.tensor(4, 6), self.tensor(8, 6), self.tensor(8)
        c = wt.linear(a, weight, bias, activation="relu")
        self.check({"layout": "nt", "activation": "relu", "bias": True}, (4, 8, 6, 1, 0, 0, 0), a, weight, c, bias)
        self.assertEqual(c.dtype, torch.float32)
        a, b = self.tensor(2, 4, 6), self.tensor(2, 6, 8)
        c = wt.matmul(a, b)
        self.check({}, (4, 8, 6, 2, 0, 0, 0), a, b, c)

    def test_views_are_read_where_they_lie(self):
        a, b = self.half(6, 4).t(), self.half(8, 6).as_strided((6, 8), (1, 9))
        wt.matmul(a, b)
        _, flags, dims, flat_a, flat_b, _ = self.launched()
        self.assertEqual((flags["layout"], dims), ("tt", (4, 8, 6, 1, 0, 3, 0)))
        self.assertEqual((flat_a.shape, flat_a.strides, flat_b.shape), ((24,), (1,), (8 * 9 - 3,)))
        with self.assertRaisesRegex(warptune.BadInput, "cannot read"):
            wt.matmul(self.half(4, 6).as_strided((4, 6), (12, 2)), b)

    def test_batches(self):
        a, b = self.half(2, 3, 4, 6), self.half(2, 3, 6, 8)
        c = wt.matmul(a, b)
        self.assertEqual(c.shape, (2, 3, 4, 8))
        self.check({}, (4, 8, 6, 6, 0, 0, 0), a, b, c)
        a = self.half(4, 6)
        c = wt.matmul(a, b)
        self.check({"shared": "a"}, (4, 8, 6, 6, 0, 0, 0), a, b, c)
        a, b = self.half(5, 4, 6), self.half(6, 8)
        c = wt.matmul(a, b)
        self.check({}, (20, 8, 6, 1, 0, 0, 0), a, b, c)  # one product for all rows
        self.assertEqual(c.shape, (5, 4, 8))

    def test_vectors(self):
        matrix, batch = self.half(4, 6), self.half(3, 6, 8)
        vector = self.half(6)
        for a, b, shape in ((vector, self.half(6, 8), (8,)), (matrix, vector, (4,)), (vector, self.half(6), ()),
                            (vector, batch, (3, 8)), (batch.mT, vector, (3, 8))):
            self.assertEqual(wt.matmul(a, b).shape, shape)
            self.assertEqual(self.launched()[0], "gemm")

    def test_nothing_to_do(self):
        self.assertEqual(wt.matmul(self.half(0, 6), self.half(6, 8)).shape, (0, 8))
        self.assertEqual(wt.matmul(self.half(4, 0), self.half(0, 8)).shape, (4, 8))
        self.assertEqual(wt.linear(self.half(4, 0), self.half(8, 0), self.half(8), activation="swiglu").shape, (4, 4))
        self.assertEqual(self.kernels.launches, [])


class LinearTest(ProductCase):
    def test_each_part_is_an_argument_where_it_exists(self):
        x, weight, bias, residual = self.half(2, 3, 6), self.half(8, 6), self.half(8), self.half(2, 3, 8)
        dims = (6, 8, 6, 1, 0, 0, 0)
        y = wt.linear(x, weight)
        self.check({"layout": "nt"}, dims, x, weight, y)
        y = wt.linear(x, weight, bias)
        self.check({"layout": "nt", "bias": True}, dims, x, weight, y, bias)
        y = wt.linear(x, weight, residual=residual)
        self.check({"layout": "nt", "residual": True}, dims, x, weight, y, residual)
        y = wt.linear(x, weight, bias, activation="gelu_tanh", residual=residual)
        self.check({"layout": "nt", "activation": "gelu_tanh", "bias": True, "residual": True}, dims, x, weight, y, bias,
                   residual)
        self.assertEqual(y.shape, (2, 3, 8))
        self.assertEqual(fake_torch.seen, [])

    def test_arguments_have_the_names_of_torch(self):
        x, weight, bias = self.half(4, 6), self.half(8, 6), self.half(8)
        y = wt.linear(input=x, weight=weight, bias=bias)
        self.check({"layout": "nt", "bias": True}, (4, 8, 6, 1, 0, 0, 0), x, weight, y, bias)
        other = self.half(6, 8)
        y = wt.matmul(input=x, other=other)
        self.check({}, (4, 8, 6, 1, 0, 0, 0), x, other, y)
        with self.assertRaises(TypeError):
            wt.linear(x, weight, bias, "relu")  # not an argument of torch

    def test_memory_that_begins_anywhere(self):
        parts = self.half(4, 6), self.half(8, 6), self.half(8), self.half(4, 8)
        for x in parts:
            x.address += 8
        wt.linear(*parts[:3], residual=parts[3])
        _, _, _, x, weight, _, bias, residual = self.launched()
        for given, copied in zip(parts, (x, weight, bias, residual)):
            self.assertEqual((given.shape, copied.address % 16), (copied.shape, 0))

    def test_gates_halve_the_columns(self):
        x, weight, residual = self.half(4, 6), self.half(8, 6), self.half(4, 4)
        for activation in ("swiglu", "geglu"):
            y = wt.linear(x, weight, activation=activation, residual=residual)
            flags = {"layout": "nt", "activation": activation, "residual": True}
            self.check(flags, (4, 8, 6, 1, 0, 0, 0), x, weight, y, residual)
            self.assertEqual(y.shape, (4, 4))
        with self.assertRaisesRegex(warptune.BadInput, "halves the columns"):
            wt.linear(x, self.half(7, 6), activation="swiglu")

    def test_what_does_not_fit_is_refused(self):
        x, weight = self.half(4, 6), self.half(8, 6)
        double = self.tensor(4, 6, dtype=torch.float64)
        for words, call in (("no activation 'tanh'", lambda: wt.linear(x, weight, activation="tanh")),
                            ("no activation 'none'", lambda: wt.linear(x, weight, activation="none")),
                            (r"^linear: the bias has the shape \(4,\)", lambda: wt.linear(x, weight, self.half(4))),
                            (r"bias has the shape \(1, 8\)", lambda: wt.linear(x, weight, self.half(1, 8))),
                            (r"residual has the shape \(8, 4\)", lambda: wt.linear(x, weight, residual=self.half(8, 4))),
                            ("weight has 3 dims", lambda: wt.linear(x, self.half(2, 8, 6))),
                            ("summed over", lambda: wt.linear(x, self.half(6, 8))),
                            ("no kernel for torch.float64", lambda: wt.linear(double, weight))):
            with self.assertRaisesRegex(warptune.BadInput, words):
                call()
        self.assertEqual(self.kernels.launches, [])

    def test_torch_applies_the_activation_where_a_gradient_is_asked_for(self):
        x, weight, residual = self.half(4, 6), self.half(8, 6, requires_grad=True), self.half(4, 8)
        for activation, theirs in (("relu", ["relu"]), ("gelu", ["gelu none"]), ("gelu_tanh", ["gelu tanh"]),
                                   ("silu", ["silu"]), ("swiglu", ["silu", "mul"]), ("geglu", ["gelu none", "mul"])):
            fake_torch.seen.clear()
            wt.linear(x, weight, activation=activation)
            self.assertEqual(self.launched()[1], {**PLAIN, "layout": "nt"})
            self.assertEqual(fake_torch.seen, ["gemm", *theirs])
        fake_torch.seen.clear()
        wt.linear(x, weight, activation="relu", residual=residual)
        self.assertFalse(self.launched()[1]["residual"])
        self.assertEqual(fake_torch.seen, ["gemm", "relu", "add"])
        wt.linear(x, weight, residual=residual)  # the sum is differentiable, so one launch does it
        self.assertTrue(self.launched()[1]["residual"])

    def test_who_goes_through_the_dispatcher(self):
        x, weight, bias = self.half(4, 6), self.half(8, 6), self.half(8)
        wt.linear(x, weight, bias, activation="relu")
        self.assertEqual(fake_torch.seen, [])
        wt.linear(x, weight, self.half(8, requires_grad=True))
        wt.linear(x, weight, bias, residual=self.half(4, 8, requires_grad=True))
        self.assertEqual(fake_torch.seen, ["gemm", "gemm"])
        self.kernels.launches.clear()
        autograd = fake_torch.registered[0].autograd["gemm"]
        autograd("keys", x, weight, bias, None, "relu", True)
        self.assertEqual(self.launched()[1]["activation"], "relu")
        autograd("keys", x, weight, self.half(8, requires_grad=True), None, "none", True)
        self.assertEqual(self.kernels.launches, [])


class GradientTest(ProductCase):
    def backward(self, a, b, transposed, bias=None, residual=None, needs=(True,) * 4):
        """(flags, dims) of each launch, and the gradients."""
        c = gemm.gemm(a, b, bias, residual, "none", transposed)
        self.kernels.launches.clear()
        context = type("Context", (), {"needs_input_grad": (*needs, False, False)})()
        context.save_for_backward = lambda *saved: setattr(context, "saved_tensors", saved)
        setup, backward = fake_torch.gradients["warptune::gemm"]
        setup(ctx=context, inputs=(a, b, bias, residual, "none", transposed), output=c)
        self.saved = context.saved_tensors
        found = backward(context, self.half(*c.shape))
        self.assertEqual((len(found), *found[4:]), (6, None, None))
        return [(launch[1]["layout"], launch[2][:4]) for launch in self.kernels.launches], found[:4]

    def test_of_a_linear_layer_nothing_is_transposed(self):
        x, weight = self.half(2, 3, 6), self.half(8, 6)
        launches, (grad_x, grad_weight, grad_bias, grad_residual) = self.backward(x, weight, True, self.half(8),
                                                                                 self.half(2, 3, 8))
        self.assertEqual(launches, [("nn", (6, 6, 8, 1)), ("tn", (8, 6, 6, 1))])
        self.assertEqual((grad_x.shape, grad_weight.shape, grad_weight.strides), (x.shape, (8, 6), (6, 1)))
        self.assertEqual((grad_bias.shape, grad_residual.shape), ((8,), (2, 3, 8)))

    def test_of_products(self):
        cases = [((4, 6), (6, 8), [("nt", (4, 6, 8, 1)), ("tn", (6, 8, 4, 1))]),
                 ((3, 4, 6), (3, 6, 8), [("nt", (4, 6, 8, 3)), ("tn", (6, 8, 4, 3))]),
                 ((4, 6), (3, 6, 8), [("nt", (4, 6, 8, 3)), ("tn", (6, 8, 4, 3))]),  # grad_a: summed over the batch
                 ((3, 4, 6), (1, 6, 8), [("nt", (12, 6, 8, 1)), ("tn", (6, 8, 4, 3))]),
                 ((6,), (6, 8), [("nt", (1, 6, 8, 1)), ("nn", (6, 8, 1, 1))])]
        for a, b, expected in cases:
            with self.subTest(a=a, b=b):
                launches, found = self.backward(self.half(*a), self.half(*b), False, needs=(True, True, False, False))
                self.assertEqual([dims for _, dims in launches], [dims for _, dims in expected])
                self.assertEqual([layout for layout, _ in launches][0], expected[0][0])
                self.assertEqual((found[0].shape, found[1].shape, found[2:]), (a, b, (None, None)))

    def test_only_what_is_needed_is_computed_and_saved(self):
        x, weight = self.half(4, 6), self.half(8, 6)
        launches, found = self.backward(x, weight, True, needs=(False, True, False, False))
        self.assertEqual((launches, found[0]), ([("tn", (8, 6, 4, 1))], None))
        self.assertTrue(self.saved[0] is x and self.saved[1] is None)
        launches, found = self.backward(x, weight, True, needs=(True, False, False, False))
        self.assertEqual((launches, found[1]), ([("nn", (4, 6, 8, 1))], None))
        self.assertTrue(self.saved[0] is None and self.saved[1] is weight)
        self.backward(x, weight, True, bias=self.half(8), needs=(False, False, True, False))
        self.assertEqual(self.saved, (None, None))

    def test_more_rows_than_gemm_sums_over(self):
        most = 1 << 20
        for transposed, shape in ((True, (8, 6)), (False, (6, 8))):
            launches, found = self.backward(self.half(3, most // 2 + 4, 6), self.half(*shape), transposed)
            self.assertEqual(launches[1:], [("tn", (*shape, most, 1)), ("tn", (*shape, most // 2 + 12, 1))])
            self.assertEqual(found[1].shape, shape)
            first, second = self.kernels.launches[1:]
            self.assertTrue(second[1]["residual"] and second[6] is first[5] and second[5] is found[1])
            self.assertEqual([part.numel() for part in first[3:5]], [most * size for size in shape])
            self.assertEqual([one.address - other.address for one, other in zip(second[3:5], first[3:5])], [2 * most * size for size in shape])

    def test_the_operator_with_an_activation_has_none(self):
        setup, _ = fake_torch.gradients["warptune::gemm"]
        with self.assertRaisesRegex(warptune.BadInput, "has no gradient with an activation"):
            setup(ctx=None, inputs=(self.half(4, 6), self.half(6, 8), None, None, "relu", False), output=None)

    def test_shape_rules_agree_with_the_kernel(self):
        cuda, fake = fake_torch.registered[0].cuda["gemm"], fake_torch.fakes["warptune::gemm"]
        for args in ((self.half(4, 6), self.half(6, 8), None, None, "none", False),
                     (self.half(2, 4, 6), self.half(8, 6), self.half(8), self.half(2, 4, 4), "swiglu", True),
                     (self.half(4, 6), self.half(3, 6, 8), None, None, "relu", False),
                     (self.half(6), self.half(6, 8), None, None, "none", False)):
            made, shaped = cuda(*args), fake(*args)
            self.assertEqual((made.shape, made.strides, made.dtype), (shaped.shape, shaped.strides, shaped.dtype))


if __name__ == "__main__":
    unittest.main()
