"""batch_norm, group_norm and instance_norm of warptune.torch: launches, running statistics, gradients, and refusals.
Without torch (fake_torch.py)."""
import unittest

import fake_torch
from glue import Context, OperatorCase, torch, wt


class ImageNormCase(OperatorCase):
    def checked(self, name, flags, dims, layout, *args):
        """Like check, but a tuple marks the images among the arguments."""
        found, found_flags, found_dims, *given = self.launched()
        self.assertEqual((found, found_flags, found_dims, len(given)), (name, flags, dims, len(args)))
        for x, expected in zip(given, args):
            if isinstance(expected, tuple):
                self.view(x, expected[0], layout)
            elif expected is not None:
                self.assertTrue(x is expected or x == expected, (x, expected))
        return [x for x, expected in zip(given, args) if expected is None]

    def images(self):
        yield self.half(2, 6, 4, 5), "nchw", (2, 6, 20), self.half
        yield self.channels_last(2, 6, 4, 5), "nhwc", (2, 6, 20), self.channels_last
        yield self.half(7, 6), "nhwc", (7, 6, 1), self.half


class BatchNormTest(ImageNormCase):
    def test_inference(self):
        weight, bias, mean, variance = (self.tensor(6) for _ in range(4))
        for x, layout, dims, like in self.images():
            flags, residual = {"mode": "inference", "layout": layout, "relu": False, "residual": False}, like(*x.shape)
            y = wt.batch_norm(x, mean, variance, weight, bias, eps=1e-3)
            self.checked("batch_norm", flags, dims, layout, (x,), weight, bias, mean, variance, (y,), 1e-3)
            self.assertEqual((y.shape, y.strides, y.dtype), (x.shape, x.strides, x.dtype))
            y = wt.batch_norm(x, mean, variance, weight, bias, residual=residual, relu=True)
            self.checked("batch_norm", {**flags, "relu": True, "residual": True}, dims, layout, (x,), (residual,), weight, bias, mean,
                         variance, (y,), 1e-5)
        y = wt.batch_norm(x, mean, variance)
        weight, bias = self.checked("batch_norm", flags, dims, layout, (x,), None, None, mean, variance, (y,), 1e-5)
        self.assertEqual((weight.shape, weight.dtype, bias.shape, bias.dtype), ((6,), torch.float32) * 2)
        wt.batch_norm(self.half(0, 6, 3, 3), mean, variance)
        self.assertEqual(self.kernels.launches, [])

    def test_training_updates_the_running_statistics(self):
        weight, bias, mean, variance = (self.tensor(6) for _ in range(4))
        copied = []
        mean.copy_ = lambda x: copied.append(("mean", x))
        variance.copy_ = lambda x: copied.append(("variance", x))
        for x, layout, dims, like in self.images():
            copied.clear()
            fake_torch.seen.clear()
            flags = {"mode": "training", "layout": layout, "relu": False, "residual": False}
            y = wt.batch_norm(x, mean, variance, weight, bias, True, 0.2, 1e-3)
            made = self.checked("batch_norm", flags, dims, layout, (x,), weight, bias, None, None, (y,), None, None, 1e-3, 0.2)
            self.assertEqual([(one.shape, one.dtype) for one in made], [((6,), torch.float32)] * 4)
            self.assertEqual(copied, [("mean", made[0]), ("variance", made[1])])
            self.assertEqual(fake_torch.seen, ["copy", "copy"], "the kernel adds to copies of the statistics")
            fake_torch.seen.clear()
            residual = like(*x.shape)
            wt.batch_norm(x, None, None, weight, bias, True, residual=residual, relu=True)
            self.checked("batch_norm", {**flags, "relu": True, "residual": True}, dims, layout, (x,), (residual,), weight, bias, None, None,
                         None, None, None, 1e-5, 0.1)
            self.assertEqual(fake_torch.seen, ["zero", "zero"])

    def test_gradients(self):
        weight, bias, mean, rstd = (self.tensor(6) for _ in range(4))
        for x, layout, dims, like in self.images():
            y, dy, residual, running = like(*x.shape), like(*x.shape), like(*x.shape), [self.tensor(6), self.tensor(6)]
            output = (y, mean, rstd, *running)
            for relu, given, after, extra in ((False, None, "nothing", ()), (True, None, "relu", (bias,)), (False, residual, "nothing", ()),
                                              (True, residual, "add_relu", ())):
                found = self.gradient("batch_norm_training", (x, weight, bias, None, None, given, relu, 0.1, 1e-5), output, dy, *[None] * 4)
                adds = after == "add_relu"
                made = self.checked("batch_norm_backward", {"after": after, "layout": layout}, dims, layout, None, (x,),
                                    *([(y,)] if adds else []), weight, *extra, mean, rstd, None, *([None] if adds else []), None, None)
                self.assertTrue(made[0].is_contiguous() and found[1] is made[-2] and found[2] is made[-1])
                self.view(made[1], found[0], layout)
                self.assertEqual((found[0].strides, found[3:5], found[6:]), (x.strides, (None, None), (None,) * 3))
                if given is None:
                    self.assertIsNone(found[5])
                elif adds:
                    self.view(made[2], found[5], layout)
                else:
                    self.assertIs(found[5], dy)
                self.assertEqual(self.context.fixed, (mean, rstd, *running))
        self.once_only("batch_norm_backward")

    def backward_of_inference(self, x, relu, residual, needs):
        """Returns the gradients of the tensors named in `needs`: x, weight, bias, residual. Checks that the others have none."""
        names = ("x", "weight", "bias", "mean", "variance", "residual", "relu", "eps")
        self.rows = [self.tensor(6) for _ in range(4)]
        self.y, self.dy = (fake_torch.Tensor(x.shape, x.dtype, x.strides) for _ in range(2))
        setup, backward = fake_torch.gradients["warptune::batch_norm_inference"]
        self.context = Context(*(name in needs for name in names))
        setup(self.context, (x, *self.rows, residual, relu, 1e-3), self.y)
        found = backward(self.context, self.dy)
        self.assertEqual([name for name, one in zip(names, found) if one is not None], list(needs))
        return [one for one in found if one is not None]

    def scaled(self, x, dx, layout, dims):
        """Checks the launch that computes dx, and returns the gradient that it scales."""
        weight, _, _, variance = self.rows
        g, mean, bias, made = self.checked("batch_norm", {"mode": "inference", "layout": layout, "relu": False, "residual": False}, dims,
                                           layout, None, weight, None, None, variance, None, 1e-3)
        self.view(made, dx, layout)
        self.assertEqual((dx.strides, dx.dtype, mean.shape, mean.dtype, mean is bias), (x.strides, x.dtype, (6,), torch.float32, True))
        return g

    def test_gradients_of_inference(self):
        for x, layout, dims, like in self.images():
            residual = like(*x.shape)
            for relu, given in ((False, None), (False, residual), (True, None), (True, residual)):
                fake_torch.seen.clear()
                dx, dweight, dbias, *dresidual = self.backward_of_inference(
                    x, relu, given, ("x", "weight", "bias") + (("residual",) if given is not None else ()))
                weight, _, mean, variance = self.rows
                self.assertEqual(self.context.saved_tensors, (x, self.y if relu else None, weight, mean, variance))
                sums, launch = self.kernels.launches
                self.kernels.launches[:] = [launch]
                g = self.scaled(x, dx, layout, dims)
                self.kernels.launches[:] = [sums]
                flags = {"after": "add_relu" if relu else "nothing", "layout": layout}
                of_y, rstd, _, *cut, own_dweight, own_dbias = self.checked(
                    "batch_norm_backward", flags, dims, layout, None, (x,), *([(self.y,)] if relu else []), weight, mean, None, None,
                    *([None] if relu else []), None, None)
                self.assertTrue(dweight is own_dweight and dbias is own_dbias)
                self.assertEqual((rstd.shape, g.shape, of_y.shape), ((6,), of_y.shape, g.shape))
                self.assertEqual((of_y.address, g.address), (self.dy.address, (cut[0] if relu else self.dy).address))
                self.assertEqual([one for one in fake_torch.seen if isinstance(one, str)][:2], ["add", "rsqrt"])
                if dresidual and relu:
                    self.view(cut[0], dresidual[0], layout)
                elif dresidual:
                    self.assertEqual((dresidual[0].shape, dresidual[0].strides), (x.shape, x.strides))
        self.once_only("batch_norm_inference_backward")

    def test_only_what_is_needed_is_computed_and_saved(self):
        for x, layout, dims, like in self.images():
            dx, = self.backward_of_inference(x, False, None, ("x",))
            weight, _, _, variance = self.rows
            self.assertEqual(self.context.saved_tensors, (None, None, weight, None, variance))
            self.scaled(x, dx, layout, dims)
            self.backward_of_inference(x, False, None, ("bias",))
            self.assertEqual(self.launched()[0], "batch_norm_backward")
            self.backward_of_inference(x, False, like(*x.shape), ("residual",))
            self.assertEqual((self.context.saved_tensors, self.kernels.launches), ((None,) * 5, []))
            dresidual, = self.backward_of_inference(x, True, like(*x.shape), ("residual",))
            self.assertEqual(self.context.saved_tensors, (None, self.y, None, None, None))
            name, flags, _, dy, y, made = self.launched()
            self.assertEqual((name, flags["function"], dy.address), ("elementwise_backward", "relu", self.dy.address))
            self.view(y, self.y, layout)
            self.view(made, dresidual, layout)
            self.assertEqual(dresidual.strides, x.strides)

    def test_inputs_of_inference_that_training_refuses(self):
        for x in (self.half(1, 6), self.half(1, 6, 1, 1), self.channels_last(1, 6, 1, 1)):
            for relu in (False, True):
                _, dweight, dbias = self.backward_of_inference(x, relu, None, ("x", "weight", "bias"))
                self.assertEqual([launch[0] for launch in self.kernels.launches], ["elementwise_backward"] * relu + ["batch_norm"])
                self.assertEqual((dweight.shape, dweight.dtype, dbias.shape, dbias.dtype), ((6,), torch.float32) * 2)
                self.kernels.launches.clear()
        fake_torch.seen.clear()
        self.backward_of_inference(self.half(0, 6, 4, 5), True, None, ("x", "weight", "bias"))
        self.assertEqual((fake_torch.seen, self.kernels.launches), (["add", "rsqrt", "zero", "zero"], []))

    def test_shape_rules_agree_with_the_kernels(self):
        row = self.tensor(6)
        for x, _, _, _ in self.images():
            self.shapes_agree("batch_norm_training", x, row, row, None, None, None, False, 0.1, 1e-5)
            self.shapes_agree("batch_norm_inference", x, row, row, row, row, x, True, 1e-5)
            for after in ("nothing", "relu", "add_relu"):
                self.shapes_agree("batch_norm_backward", x, x, x, row, row, row, row, after)
            self.shapes_agree("batch_norm_inference_backward", x, row, row, 1e-5)

    def test_what_does_not_fit_is_refused(self):
        x, row, wrong = self.half(2, 6, 4, 5), self.tensor(6), self.tensor(5)
        self.refused(("give both running_mean and running_var", lambda: wt.batch_norm(x)),
                     ("give both running_mean and running_var", lambda: wt.batch_norm(x, row, None, training=True)),
                     ("running_var has the shape \\(5,\\)", lambda: wt.batch_norm(x, row, wrong)),
                     ("weight has the shape \\(5,\\)", lambda: wt.batch_norm(x, row, row, wrong)),
                     ("bias has the shape \\(5,\\)", lambda: wt.batch_norm(x, row, row, row, wrong)),
                     ("running_mean is torch.bfloat16", lambda: wt.batch_norm(x, self.half(6), row, training=True)),
                     ("more than one value per channel", lambda: wt.batch_norm(self.half(1, 6), row, row, training=True)),
                     ("the input has 1 dims", lambda: wt.batch_norm(self.half(6), row, row)),
                     ("the residual has the shape", lambda: wt.batch_norm(x, row, row, residual=self.channels_last(2, 6, 4, 5))),
                     ("the residual has the shape \\(2, 6, 4, 4\\)", lambda: wt.batch_norm(x, row, row, residual=self.half(2, 6, 4, 4))),
                     ("channels_last", lambda: wt.batch_norm(x.mT, row, row)))


class GroupNormTest(ImageNormCase):
    def test_groups_and_instances(self):
        weight, bias = self.half(6), self.half(6)
        for x, layout, dims, _ in self.images():
            y = wt.group_norm(x, 3, weight, bias, 1e-3)
            mean, rstd = self.checked("group_norm", {"layout": layout}, (*dims, 3), layout, (x,), weight, bias, (y,), None, None, 1e-3)
            self.assertEqual((mean.shape, mean.dtype, rstd.shape, rstd.dtype), ((x.shape[0], 3), torch.float32) * 2)
            self.assertEqual((y.shape, y.strides, y.dtype), (x.shape, x.strides, x.dtype))
            y = wt.instance_norm(x)
            given = self.checked("group_norm", {"layout": layout}, (*dims, 6), layout, (x,), None, None, (y,), None, None, 1e-5)
            self.assertEqual([(one.shape, one.dtype) for one in given[:2]], [((6,), torch.bfloat16)] * 2)
        wt.group_norm(self.half(0, 6, 4), 2)
        self.assertEqual(self.kernels.launches, [])

    def test_gradients(self):
        weight, bias = self.half(6), self.half(6)
        for x, layout, dims, like in self.images():
            y, dy, mean, rstd = like(*x.shape), like(*x.shape), self.tensor(2, 3), self.tensor(2, 3)
            found = self.gradient("group_norm", (x, weight, bias, 3, 1e-5), (y, mean, rstd), dy, None, None)
            of_y, dx, dweight, dbias = self.checked("group_norm_backward", {"layout": layout}, (*dims, 3), layout, None, (x,), weight, mean, rstd,
                                                    None, None, None)
            self.assertTrue(of_y.is_contiguous() and found[1] is dweight and found[2] is dbias)
            self.view(dx, found[0], layout)
            self.assertEqual((found[0].strides, dweight.dtype, found[3:], self.context.fixed), (x.strides, torch.bfloat16, (None, None), (mean, rstd)))
        fake_torch.seen.clear()
        self.gradient("group_norm", (self.half(0, 6, 4), weight, bias, 3, 1e-5), (y, mean, rstd), self.half(0, 6, 4), None, None)
        self.assertEqual(fake_torch.seen, ["zero", "zero"])
        self.once_only("group_norm_backward")

    def test_shape_rules_agree_with_the_kernels(self):
        row = self.half(6)
        for x, _, _, _ in self.images():
            self.shapes_agree("group_norm", x, row, row, 3, 1e-5)
            self.shapes_agree("group_norm_backward", x, x, row, self.tensor(2, 3), self.tensor(2, 3), 3)

    def test_what_does_not_fit_is_refused(self):
        x, row = self.half(2, 6, 4, 5), self.tensor(6)
        self.refused(("num_groups is 4", lambda: wt.group_norm(x, 4)), ("num_groups is 0", lambda: wt.group_norm(x, 0)),
                     ("weight has the shape \\(5,\\)", lambda: wt.group_norm(x, 3, self.half(5))),
                     ("bias has the shape \\(2,\\)", lambda: wt.instance_norm(x, bias=self.half(2))),
                     ("use_input_stats True", lambda: wt.instance_norm(x, use_input_stats=False)),
                     ("running_mean and running_var must be None", lambda: wt.instance_norm(x, row, row)),
                     ("the input has 1 dims", lambda: wt.instance_norm(self.half(6))), ("channels_last", lambda: wt.group_norm(x.mT, 3)))


if __name__ == "__main__":
    unittest.main()
