"""batch_norm, group_norm and instance_norm on a real device: results, running statistics and gradients against float64, both
memory formats, registrations, torch.compile."""
import unittest

from torch_support import FLOATS, RefusalCase, agrees, compiled_agrees, gradcheck, near, randn, torch, use_recorded

import warptune
import warptune.torch as wt

setUpModule = use_recorded
functional = torch.nn.functional


def images(dtype=torch.float32):
    x = randn(5, 6, 7, 9, dtype=dtype) * 2 + 1
    return x, x.contiguous(memory_format=torch.channels_last), randn(37, 6, dtype=dtype), randn(5, 6, 41, dtype=dtype)


def rows():
    return randn(6) + 2, randn(6), randn(6), randn(6).abs() + 0.5  # weight, bias, mean, variance


class BatchNorm(unittest.TestCase):
    def test_training(self):
        for dtype in FLOATS:
            for x in images(dtype):
                weight, bias, mean, variance = rows()
                for w, b in ((weight, bias), (None, None)):
                    with self.subTest(dtype=dtype, shape=tuple(x.shape), strides=x.stride(), affine=w is not None):
                        ours, theirs = [mean.clone(), variance.clone()], [mean.double(), variance.double()]
                        agrees(lambda x, w, b: wt.batch_norm(x, *ours, w, b, True, 0.3, 1e-3),
                               lambda x, w, b: functional.batch_norm(x, *(s.clone() for s in theirs), w, b, True, 0.3, 1e-3),
                               x, w, b, factor=8)
                        functional.batch_norm(x.double(), *theirs, None, None, True, 0.3, 1e-3)
                        for found, expected in zip(ours, theirs):
                            near(found, expected)
                agrees(lambda x: wt.batch_norm(x, training=True), lambda x: functional.batch_norm(x, None, None, training=True), x,
                       factor=8)

    def test_residual_and_relu(self):
        for dtype in FLOATS:
            for x in images(dtype):
                weight, bias, _, _ = rows()
                residual = torch.randn_like(x)
                for relu in (False, True):
                    def theirs(x, w, b, r=0):
                        y = functional.batch_norm(x, None, None, w, b, True) + r
                        return y.relu() if relu else y

                    with self.subTest(dtype=dtype, shape=tuple(x.shape), relu=relu):
                        agrees(lambda x, w, b: wt.batch_norm(x, None, None, w, b, True, relu=relu), theirs, x, weight, bias,
                               factor=8)
                        agrees(lambda x, w, b, r: wt.batch_norm(x, None, None, w, b, True, residual=r, relu=relu), theirs, x,
                               weight, bias, residual, factor=8)

    def test_gradients_of_inference(self):
        """Also for inputs with one value per channel, which training refuses."""
        for dtype in FLOATS:
            for x in (*images(dtype), randn(1, 6, dtype=dtype), randn(1, 6, 1, 1, dtype=dtype)):
                weight, bias, mean, variance = rows()
                residual = torch.randn_like(x)
                for relu in (False, True):
                    def ours(x, w=None, b=None, r=None):
                        return wt.batch_norm(x, mean, variance, w, b, eps=1e-3, residual=r, relu=relu)

                    def theirs(x, w=None, b=None, r=0):
                        y = functional.batch_norm(x, mean.double(), variance.double(), w, b, eps=1e-3) + r
                        return y.relu() if relu else y

                    with self.subTest(dtype=dtype, shape=tuple(x.shape), strides=x.stride(), relu=relu):
                        agrees(ours, theirs, x, factor=8)
                        agrees(ours, theirs, x, weight, bias, factor=8)
                        agrees(ours, theirs, x, weight, bias, residual, factor=8)

    def test_only_some_tensors_need_a_gradient(self):
        weight, bias, mean, variance = rows()
        for x in images():
            dy, given = torch.randn_like(x), (x, weight, bias, torch.randn_like(x))
            leaves = [t.detach().clone().requires_grad_() for t in given]
            exact = [t.double().detach().requires_grad_() for t in given]
            y = functional.batch_norm(exact[0], mean.double(), variance.double(), *exact[1:3]) + exact[3]
            expected = torch.autograd.grad(y.relu(), exact, dy.double())
            for i, wanted in enumerate(expected):
                h, w, b, r = inputs = [leaf if i == j else t for j, (leaf, t) in enumerate(zip(leaves, given))]
                found, = torch.autograd.grad(wt.batch_norm(h, mean, variance, w, b, residual=r, relu=True), inputs[i], dy)
                near(found, wanted, factor=8)

    def test_inputs_that_no_gradient_of_inference_reads_may_change(self):
        weight, bias, mean, variance = rows()
        x, grown = images()[0], randn(5, 6, 7, 9, grad=True)
        h = grown * 1
        y = wt.batch_norm(h, mean, variance, weight, bias)
        h.add_(1)
        found, = torch.autograd.grad(y, grown, x)
        near(found, x.double() * (weight.double() * (variance.double() + 1e-5).rsqrt())[:, None, None], factor=4)

    def test_inference_has_no_second_derivative(self):
        weight, bias, mean, variance = (t.requires_grad_() if i < 2 else t for i, t in enumerate(rows()))
        x = images()[0].requires_grad_()
        for part in (x, weight):
            first, = torch.autograd.grad(wt.batch_norm(x, mean, variance, weight, bias).sum(), part, create_graph=True)
            with self.assertRaisesRegex(warptune.BadInput, "batch_norm has no second derivative"):
                first.sum().backward()

    def test_nothing_to_do(self):
        weight, bias, mean, variance = rows()
        for relu in (False, True):
            x, w, b = (t.detach().requires_grad_() for t in (randn(0, 6, 4), weight, bias))
            wt.batch_norm(x, mean, variance, w, b, relu=relu).sum().backward()
            self.assertEqual((x.grad.shape, w.grad.abs().sum().item(), b.grad.abs().sum().item()), (x.shape, 0, 0))

    @torch.no_grad()
    def test_inference(self):
        for dtype in FLOATS:
            for x in images(dtype):
                weight, bias, mean, variance = rows()
                found = wt.batch_norm(x, mean, variance, weight, bias, residual=x, relu=True)
                exact = functional.batch_norm(x.double(), *(s.double() for s in (mean, variance, weight, bias))) + x.double()
                near(found, exact.relu())
                self.assertEqual(found.stride(), x.stride())
                self.assertEqual(wt.batch_norm(x[:0], mean, variance).shape, (0, *x.shape[1:]))

    def test_the_result_may_be_changed_in_place(self):
        x = images()[1].requires_grad_()
        functional.relu_(wt.batch_norm(x, training=True)).sum().backward()
        self.assertEqual(x.grad.shape, x.shape)


class GroupNorm(unittest.TestCase):
    def test_groups_and_instances(self):
        for dtype in FLOATS:
            for x in images(dtype):
                weight, bias = randn(6, dtype=dtype) + 2, randn(6, dtype=dtype)
                with self.subTest(dtype=dtype, shape=tuple(x.shape), strides=x.stride()):
                    for groups in (1, 3):
                        agrees(lambda x, w, b: wt.group_norm(x, groups, w, b, 1e-3),
                               lambda x, w, b: functional.group_norm(x, groups, w, b, 1e-3), x, weight, bias, factor=8)
                    agrees(lambda x: wt.group_norm(x, 2), lambda x: functional.group_norm(x, 2), x, factor=8)
                    if x.dim() > 2:
                        agrees(lambda x, w, b: wt.instance_norm(x, weight=w, bias=b),
                               lambda x, w, b: functional.instance_norm(x, weight=w, bias=b), x, weight, bias, factor=8)

    def test_nothing_to_do(self):
        x, weight = randn(0, 6, 4, grad=True), randn(6, grad=True)
        wt.group_norm(x, 2, weight).sum().backward()
        self.assertEqual((x.grad.shape, weight.grad.abs().sum().item()), (x.shape, 0))


class Registrations(RefusalCase):
    def test_opcheck(self):
        ops, (weight, bias, mean, variance) = torch.ops.warptune, rows()
        for x in images():
            wants = [t.clone().requires_grad_() for t in (x, weight, bias)]
            for residual in (None, torch.randn_like(x)):
                for relu in (False, True):
                    torch.library.opcheck(ops.batch_norm_training.default, (*wants, mean, variance, residual, relu, 0.1, 1e-5))
            torch.library.opcheck(ops.batch_norm_inference.default, (x, weight, bias, mean, variance, None, True, 1e-5))
            for residual in (None, torch.randn_like(x).requires_grad_()):
                for relu in (False, True):
                    torch.library.opcheck(ops.batch_norm_inference.default, (*wants, mean, variance, residual, relu, 1e-5))
            torch.library.opcheck(ops.batch_norm_inference.default, (wants[0], weight, bias, mean, variance, None, True, 1e-5))
            torch.library.opcheck(ops.batch_norm_inference_backward.default, (x, weight, variance, 1e-5))
            torch.library.opcheck(ops.group_norm.default, (*wants, 3, 1e-5))
            torch.library.opcheck(ops.batch_norm_backward.default, (x, x.clone(), None, weight, bias, mean, variance, "relu"))
            statistics = randn(x.shape[0], 3), randn(x.shape[0], 3)
            torch.library.opcheck(ops.group_norm_backward.default, (x, x.clone(), weight, *statistics, 3))

    def test_gradcheck(self):
        x, weight, bias = randn(3, 4, 5), randn(4), randn(4)
        gradcheck(lambda x, w, b: wt.batch_norm(x, None, None, w, b, True), x, weight, bias)
        mean, variance = randn(4), randn(4).sigmoid()
        gradcheck(lambda x, w, b: wt.batch_norm(x, mean, variance, w, b), x, weight, bias)
        gradcheck(lambda x, w, b: wt.group_norm(x, 2, w, b), x, weight, bias)
        gradcheck(lambda x, w, b: wt.instance_norm(x, weight=w, bias=b), x, weight, bias)

    def test_gradcheck_with_relu_and_residual(self):
        """All sums before relu are far from 0."""
        sides = torch.tensor([1.0, -1.0], device="cuda").repeat(30).view(3, 4, 5)
        x, weight, bias = sides * (1 + torch.rand_like(sides) / 4), 1 + randn(4).sigmoid(), randn(4).sigmoid() / 4
        for layout in (x, x.view(3, 4, 5, 1).contiguous(memory_format=torch.channels_last)):
            residual = torch.where(randn(*layout.shape) > 0, 10.0, -10.0)
            residual = torch.empty_like(layout).copy_(residual)
            gradcheck(lambda x, w, b: wt.batch_norm(x, None, None, w, b, True, relu=True), layout, weight, bias)
            gradcheck(lambda x, w, b, r: wt.batch_norm(x, None, None, w, b, True, residual=r), layout, weight, bias, residual)
            gradcheck(lambda x, w, b, r: wt.batch_norm(x, None, None, w, b, True, residual=r, relu=True), layout, weight, bias, residual)
            mean, variance = torch.zeros_like(weight), torch.ones_like(weight)
            gradcheck(lambda x, w, b: wt.batch_norm(x, mean, variance, w, b, relu=True), layout, weight, bias)
            gradcheck(lambda x, w, b, r: wt.batch_norm(x, mean, variance, w, b, residual=r, relu=True), layout, weight, bias, residual)

    def test_compiled(self):
        weight, bias, mean, variance = rows()
        for x in images()[:3]:
            compiled_agrees(lambda x, w, b: wt.batch_norm(x + 1, None, None, w, b, True, relu=True), x, weight, bias)
            compiled_agrees(lambda x, w, b: wt.group_norm(x, 3, w, b) * 2, x, weight, bias, dynamic=True)
            compiled_agrees(lambda x, w, b: wt.batch_norm(x + 1, mean, variance, w, b), x, weight, bias, dynamic=True)
            compiled_agrees(lambda x, w, b, r: wt.batch_norm(x, mean, variance, w, b, residual=r, relu=True), x, weight, bias, torch.randn_like(x))
            compiled_agrees(lambda x: wt.batch_norm(x, mean, variance, weight, bias, relu=True) * 2, x)
        x = images()[3]
        compiled_agrees(lambda x, w, b: wt.instance_norm(x, weight=w, bias=b) * 2, x, weight, bias)
        compiled_agrees(lambda x, w, b, r: wt.batch_norm(x, None, None, w, b, True, residual=r, relu=True), x, weight, bias, randn(*x.shape))
        ours, theirs = ([mean.clone(), variance.clone()] for _ in range(2))
        torch._dynamo.reset()
        torch.compile(lambda x: wt.batch_norm(x, *ours, training=True), fullgraph=True)(x)
        wt.batch_norm(x, *theirs, training=True)
        for found, expected in zip(ours, theirs):
            near(found, expected)

    def test_what_is_refused(self):
        x, (weight, bias, mean, variance) = images()[0], rows()
        self.refused([("running_mean is torch.float16", lambda: wt.batch_norm(x, mean.half(), variance, training=True)),
                      ("'weight' is bf16", lambda: wt.batch_norm(x, mean, variance, weight.bfloat16(), bias)),
                      ("more than one value", lambda: wt.batch_norm(randn(1, 6), mean, variance, training=True)),
                      ("num_groups is 4", lambda: wt.group_norm(x, 4)), ("channels_last", lambda: wt.group_norm(x.mT, 3)),
                      ("use_input_stats True", lambda: wt.instance_norm(x, mean, variance))])


if __name__ == "__main__":
    unittest.main()
