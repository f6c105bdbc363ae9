"""Arguments of torch that warptune.torch supports or refuses. Without torch (fake_torch.py)."""
import unittest

import fake_torch
from glue import OperatorCase, torch, wt

ACTIVATIONS = ("relu", "leaky_relu", "elu", "selu", "gelu", "silu", "sigmoid", "hardsigmoid", "hardtanh", "tanh", "softplus", "softsign")
REDUCTIONS = ("sum", "mean", "prod", "amax", "amin", "argmax", "argmin", "norm", "var")
# Functions that torch has without the argument out, and functions that torch does not have.
WITHOUT_OUT = {"use", "library", "kernel", "transpose", "reduce_sum", "axpy", "axpy_", "layer_norm", "rms_norm", "masked_softmax", "cross_entropy",
               "permute", "quantise", "dequantise", "expression", "binary_cross_entropy_with_logits", "hinge_embedding_loss", "kl_div",
               "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
               "adaptive_max_pool3d", "avg_pool1d", "max_pool1d", "max_pool2d", "max_pool3d", "batch_norm", "group_norm", "instance_norm",
               "embedding", "rotary", "adam_", "adamw_", "sgd_", "cosine_embedding_loss", "triplet_margin_loss", "slice_scatter",
               "select_scatter", "slice_scatter_", "layer_norm_quantised", "rms_norm_quantised", "to"}


class SupportedTest(OperatorCase):
    def test_alpha(self):
        x, other = self.half(4, 6), self.half(4, 6)
        y = wt.add(x, other, alpha=2)  # axpy adds to a copy of x
        self.check("axpy", {}, (24,), other, y, 2)
        self.assertEqual((y.shape, y.dtype, y is x), (x.shape, x.dtype, False))
        y = wt.add(x, other, alpha=1)
        self.check("elementwise", {"function": "identity", "bias": "none", "other": "add"}, (4, 6, 1), x, other, y)
        self.refused(("add: alpha is an int that is too large", lambda: wt.add(x, other, alpha=10 ** 400)),
                     ("add: alpha is 2, but must be 1 if there is a bias", lambda: wt.add(x, other, alpha=2, bias=self.half(6))))

    def test_unbiased(self):
        x = self.half(4, 6)
        for given, correction in (({}, 1.0), ({"correction": 3}, 3.0), ({"correction": None}, 1.0), ({"unbiased": True}, 1.0),
                                  ({"unbiased": False}, 0.0)):
            self.check("reduce", {"op": "variance"}, (1, 24, 1), x, wt.var(x, **given), correction)
        self.refused(("var: give correction or unbiased", lambda: wt.var(x, correction=1, unbiased=True)))

    def test_defaults_of_torch(self):
        x = self.half(4, 6)
        for call in (lambda: wt.relu(x, inplace=False), lambda: wt.softmax(x, -1, dtype=None, _stacklevel=3),
                     lambda: wt.log_softmax(x, dtype=torch.bfloat16), lambda: wt.sum(x, dtype=torch.bfloat16), lambda: wt.cumsum(x, dtype=None),
                     lambda: wt.mse_loss(x, x, size_average=None, reduce=None), lambda: wt.cat([x, x], out=None)):
            call()
            self.launched()


class RefusedTest(OperatorCase):
    """One sentence, which names the public function."""

    def test_keywords(self):
        x, target, fp32 = self.half(4, 6), self.tensor(4, dtype=torch.int64), torch.float32
        for name in ACTIVATIONS:
            self.refused((f"^{name}: the argument 'inplace' is not supported", lambda name=name: getattr(wt, name)(x, inplace=True)))
        for name in ("softmax", "log_softmax", "sum", "mean", "prod", "norm", "cumsum", "cumprod"):
            self.refused((f"^{name}: dtype is torch.float32, but the result always has the dtype of the input, torch.bfloat16$",
                          lambda name=name: getattr(wt, name)(x, dtype=fp32)))
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "binary_cross_entropy_with_logits",
                     "hinge_embedding_loss"):
            for keyword in ("size_average", "reduce"):
                self.refused((f"^{name}: the argument '{keyword}' is not supported",
                              lambda name=name, keyword=keyword: getattr(wt, name)(x, x, **{keyword: True})))
        self.refused(("^cross_entropy: the argument 'size_average'", lambda: wt.cross_entropy(x, target, size_average=True)),
                     ("^cosine_embedding_loss: the argument 'reduce'", lambda: wt.cosine_embedding_loss(x, x, self.half(4), reduce=True)),
                     ("^triplet_margin_loss: the argument 'reduce'", lambda: wt.triplet_margin_loss(x, x, x, reduce=True)),
                     *((f"^{name}: the argument 'axis'", lambda name=name: getattr(wt, name)(x, axis=1))
                       for name in REDUCTIONS), ("^cat: the argument 'axis'", lambda: wt.cat([x, x], axis=1)),
                     ("^amax: dim is 4", lambda: wt.amax(x, 4)))

    def test_out(self):
        x, index, image, volume = self.half(4, 6), self.tensor(4, dtype=torch.int64), self.half(1, 2, 4, 4), self.half(1, 2, 4, 4, 4)
        whole = self.tensor(4, 6, dtype=torch.int64, strides=(1, 0))
        arguments = {
            "softmax": (x,), "log_softmax": (x,), "matmul": (x, self.half(6, 4)), "linear": (x, self.half(8, 6)), "add": (x, x), "mul": (x, x),
            "narrow_copy": (x, 1, 0, 2), "select_copy": (x, 1, 0), "slice_copy": (x, 1, 0, 2), "index_select": (x, 0, index),
            "index_add": (x, 0, index, x), "gather": (x, 0, whole), "scatter_add": (x, 0, whole, x), "topk": (x, 2), "cat": ([x, x],),
            "concat": ([x, x],), "avg_pool2d": (image, 2), "avg_pool3d": (volume, 2), "mse_loss": (x, x), "l1_loss": (x, x),
            "smooth_l1_loss": (x, x), "huber_loss": (x, x), **dict.fromkeys((*ACTIVATIONS, *REDUCTIONS, "cumsum", "cumprod", "normalize"), (x,))}
        self.assertEqual(set(wt.__all__) - set(arguments), WITHOUT_OUT, "torch has each function with or without out, or does not have it")
        for name, args in arguments.items():
            with self.subTest(name):
                getattr(wt, name)(*args, out=None)
                self.assertNotEqual(self.kernels.launches, [])
                self.kernels.launches.clear()
                public = "cat" if name == "concat" else name
                self.refused((f"^{public}: the argument 'out' is not supported", lambda name=name, args=args: getattr(wt, name)(*args, out=x)))
        self.refused(("^gather: the argument 'axis'", lambda: wt.gather(x, 0, whole, axis=1)),
                     ("^matmul: the argument 'other2'", lambda: wt.matmul(x, x, other2=x)))

    def test_numbers_and_empty_lists(self):
        x = self.half(4, 6)
        self.refused(("^add: other is None, but must be a tensor or a number", lambda: wt.add(x, None)),
                     ("^mul: other is 2j, but must be a tensor or a number", lambda: wt.mul(x, 2j)), ("^silu: mul is 2.0, but must be a tensor", lambda: wt.silu(x, mul=2.0)),
                     ("^mse_loss: target is 1.0, but must be a tensor", lambda: wt.mse_loss(x, 1.0)),
                     ("^gelu: bias is 1, but must be a tensor", lambda: wt.gelu(x, approximate="tanh", bias=1)),
                     ("^cat: the list of tensors is empty; give one to 4 tensors$", lambda: wt.cat([])),
                     ("^cat: the list of tensors is empty", lambda: wt.concat(())))


class AddressesTest(OperatorCase):
    def test_gradients_that_begin_at_any_element_are_copied(self):
        x, one, places, bits = self.half(4, 8), self.tensor(4), self.tensor(4, dtype=torch.int64), self.tensor(8, dtype=torch.uint8)
        image, per_channel, table = self.half(2, 4, 6, 8), self.half(4), self.tensor(4, 4)
        windows, groups = ([2, 2], [2, 2], [0, 0], False), self.tensor(2, 2)
        for name, dy, *rest in (
                ("masked_softmax_backward", x, x, "none", 1.0, False), ("row_norm_backward", x, x, None, one, one, None, "layer", 1, False),
                ("elementwise_backward", x, x, None, None, "gelu", []), ("elementwise_backward", x, x, None, x, "identity", []),
                ("masked_elementwise_backward", x, bits, "relu", []), ("broadcast_backward", x, x, self.half(8)),
                ("expression_backward", x, x, None, None, "x * x", "F(2) * x", 1.0, 1.0),
                ("loss_backward", x, x, x, "mse", "none", []), ("signed_loss_backward", x, bits, [4, 8], "l1", "none", []),
                ("row_loss_backward", one, x, x, None, per_channel, None, "cosine_embedding", "none", [0.0]),
                ("cross_entropy_backward", one, x, places, one, 0.0, -100), ("normalise_backward", x, x, one, [1], "l2", 1e-12),
                ("pool_backward", self.half(2, 4, 3, 4), None, [2, 4, 6, 8], *windows, "average", "nchw"),
                ("batch_norm_backward", image, image, None, one, None, one, one, "nothing"),
                ("batch_norm_inference_backward", image, one, one, 1e-5), ("cast", x, "fp32"),
                ("group_norm_backward", image, image, per_channel, groups, groups, 2), ("embedding_backward", x, places, 9, -1),
                ("index_sum", x, places, 9), ("index_select", x, places, 0), ("reduce", x, [1], False, "sum", 1.0),
                ("rotary", image, None, table, table, None, "halves", False), ("permute", x, [1, 0]), ("transpose", x),
                ("scan", x, None, "sum", False, False), ("slice", x, 0, 0, 4, 1), ("gemm", x, x.mT, None, None, "none", False)):
            for offset in (0, 4):
                with self.subTest(name=name, offset=offset):
                    dy = self.tensor(*dy.shape, dtype=dy.dtype)
                    dy.address += offset
                    fake_torch.registered[0].cuda[name](dy, *rest)
                    given = self.launched()
                    self.assertEqual(any(one is dy for one in given), offset == 0)
                    self.assertTrue(all(one.address % 16 == 0 for one in given if isinstance(one, fake_torch.Tensor)))

    def test_inputs_are_copied_where_the_gradient_needs_more_alignment(self):
        x, weight, one, image = self.half(4, 8), self.half(8), self.tensor(4), self.channels_last(2, 4, 6, 8)
        sums, per_channel = self.tensor(2, 2), self.half(4)
        for y in (x, weight, image):
            y.address += 8
        cuda = fake_torch.registered[0].cuda
        cuda["row_norm_backward"](self.half(4, 8), x, weight, one, one, None, "rms", 1, False)
        _, _, _, dy, given_x, given_weight, *_ = self.launched()
        self.assertTrue(all(one.address % 16 == 0 for one in (dy, given_x, given_weight)))
        self.assertEqual((given_x.shape, given_weight.shape), (x.shape, weight.shape))
        cuda["group_norm_backward"](self.channels_last(2, 4, 6, 8), image, per_channel, sums, sums, 2)
        _, _, _, dy, given_x, *_ = self.launched()
        self.assertTrue(dy.address % 16 == 0 and given_x.address % 16 == 0)
        self.assertEqual((given_x.shape, given_x.is_contiguous()), ((2, 6, 8, 4), True))

    def test_gaps_are_refused_at_any_address(self):
        x = self.tensor(4, 8, strides=(9, 1))
        wt.sum(x, 1)
        self.assertIs(self.launched()[3], x)  # the launch refuses it
        x.address += 4
        self.refused(("the strides \\(9, 1\\), but it must be contiguous", lambda: wt.sum(x, 1)))


if __name__ == "__main__":
    unittest.main()
