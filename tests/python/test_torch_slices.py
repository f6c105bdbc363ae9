"""Slices and concatenation of warptune.torch: the copied elements, gradients, and refusals. Without torch
(fake_torch.py)."""
import itertools
import math
import unittest
from unittest import mock

import fake_torch
from glue import OperatorCase, torch, wt


def flat(shape, dim, taken):
    """The places in a contiguous tensor of all elements with one of these indices in a dim, in the order of a copy."""
    inner, n = math.prod(shape[dim + 1:]), shape[dim]
    return [(o * n + i) * inner + e for o in range(math.prod(shape[:dim])) for i in taken for e in range(inner)]


class SliceCase(OperatorCase):
    def copied(self, into, whole, part, dim, taken):
        """Checks one launch, which copies these elements of a contiguous `whole`, as spec.json defines the kernel's
        dims."""
        name, flags, (outer, n, count, inner, first, step), x, y = self.launched()
        self.assertEqual((name, flags), ("slice", {"into": into}))
        found, used = (x, y) if into else (y, x)
        self.assertIs(found, part)
        self.assertEqual(outer * count * inner, part.numel())
        self.assertLessEqual(first + (count - 1) * step, n - 1)
        places = [(o * n + first + j * step) * inner + e for o in range(outer) for j in range(count) for e in range(inner)]
        self.assertEqual((used.numel(), used.dtype), (places[-1] + 1, whole.dtype), "the kernel takes exactly these elements")
        self.assertEqual([used.offset - whole.offset + place for place in places], flat(whole.shape, dim, taken))
        bytes_before = taken[0] * inner * whole.element_size()
        self.assertEqual(first, taken[0] if bytes_before % 16 else 0, "the kernel begins at multiples of 16 bytes")


class SliceTest(SliceCase):
    def test_every_slice(self):
        for shape, dtype in (((3, 9, 4), torch.float32), ((2, 5, 8), torch.bfloat16), ((7,), torch.bfloat16)):
            for dim, start, step in itertools.product(range(len(shape)), range(5), range(1, 4)):
                for end in range(start + 1, shape[dim] + 1):
                    with self.subTest(shape=shape, dim=dim, start=start, end=end, step=step):
                        x, taken = self.tensor(*shape, dtype=dtype), range(shape[dim])[start:end:step]
                        y = wt.slice_copy(x, dim, start, end, step)
                        self.assertEqual((y.shape, y.dtype), ((*shape[:dim], len(taken), *shape[dim + 1:]), dtype))
                        self.copied(False, x, y, dim, taken)
                        x.offset = 24
                        self.assertIs(wt.slice_scatter_(x, y, dim, start, end, step), x)
                        self.copied(True, x, y, dim, taken)

    def test_bounds_are_pythons(self):
        x, n = self.half(4, 9, 3), 9
        for start, end, step in itertools.product((None, -12, -9, -4, 0, 3, 8, 9, 20), (None, -20, -2, 0, 5, 9, 2 ** 63 - 1), (1, 2, 20)):
            y, taken = wt.slice_copy(x, 1, start, end, step), range(n)[start:end:step]
            self.assertEqual(y.shape, (4, len(taken), 3), (start, end, step))
            if taken:
                self.copied(False, x, y, 1, taken)
        self.assertEqual(self.kernels.launches, [])
        self.copied(False, x, wt.slice_copy(x), 0, range(4))

    def test_torchs_other_names(self):
        x = self.half(4, 9, 3)
        for dim, start, length in ((1, 2, 4), (-2, -4, 4), (1, 8, 1), (0, 0, 4)):
            y = wt.narrow_copy(x, dim, start, length)
            self.copied(False, x, y, dim % 3, range(x.shape[dim])[start:][:length])
        for empty in (wt.narrow_copy(x, 1, 9, 0), wt.narrow_copy(x, 1, 2, 0), wt.narrow_copy(self.half(0, 9, 3), 1, 2, 5)):
            self.assertEqual(empty.numel(), 0)
        for dim, index in ((1, 3), (-1, -1), (0, 0)):
            kept = []
            with mock.patch.object(fake_torch.Tensor, "squeeze", lambda y, at: kept.append((y, at)) or y):
                wt.select_copy(x, dim, index)
            (y, at), = kept
            self.assertEqual(at, dim % 3)
            self.copied(False, x, y, dim % 3, [range(x.shape[dim])[index]])
        self.assertEqual(wt.select_copy(x, 1, 0).shape, (4, 3))

    def test_scatters(self):
        x, src = self.half(4, 9, 3), self.half(4, 3, 3)
        y = wt.slice_scatter(x, src, 1, 2, -1, 2)
        self.assertEqual((y.shape, y is x, fake_torch.seen), (x.shape, False, ["copy"]))
        self.copied(True, y, src, 1, (2, 4, 6))
        for dim, index, shape in ((-1, -3, (4, 9)), (0, 2, (9, 3))):
            row, views = self.half(*shape), []
            with mock.patch.object(fake_torch.Tensor, "unsqueeze", lambda x, at, plain=fake_torch.Tensor.unsqueeze: views.append(plain(x, at)) or views[0]):
                y = wt.select_scatter(x, row, dim, index)
            self.copied(True, y, views[0], dim % 3, [range(x.shape[dim])[index]])
        fake_torch.seen.clear()
        wt.slice_scatter(x, self.half(4, 0, 3), 1, 5, 5)
        self.assertEqual((fake_torch.seen, self.kernels.launches), (["copy"], []))

    def test_memory_that_begins_anywhere(self):
        views, plain = [], fake_torch.Tensor.clone
        for dim, start, count, step, strides in ((1, 2, 3, 2, (27, 6, 1)), (1, 0, 9, 1, (27, 3, 1)), (2, 1, 1, 1, (27, 3, 1))):
            x = self.tensor(4, 9, 3)
            x.address, x.offset = x.address + 4, 25
            with mock.patch.object(fake_torch.Tensor, "clone", lambda view: views.append(view) or plain(view)):
                y = wt.narrow_copy(x, dim, start, count) if step == 1 else wt.slice_copy(x, dim, start, start + count * step, step)
            view = views.pop()
            self.assertEqual((view.shape, view.strides, view.offset), (y.shape, strides, 25 + start * 3 ** (2 - dim)))
            _, _, dims, given, made = self.launched()
            self.assertTrue(made is y and given.address % 8 == 0 and given.numel() == y.numel())
            self.assertEqual(dims[0] * dims[1] * dims[3], y.numel())
        self.assertEqual(views, [])

    def test_in_place(self):
        x, src = self.half(4, 9, 3), self.half(4, 2, 3)
        wt.slice_scatter_(x, src, 1, 7)
        self.assertEqual((x.version, fake_torch.seen), (1, []))
        self.copied(True, x, src, 1, (7, 8))
        wanted = self.half(4, 2, 3, requires_grad=True)
        self.refused(("slice_scatter_ has no gradient", lambda: wt.slice_scatter_(x, wanted, 1, 7)),
                     ("slice_scatter_ has no gradient", lambda: wt.slice_scatter_(self.half(4, 9, 3, requires_grad=True), src, 1, 7)))
        with mock.patch.object(torch, "compiling", True):
            self.refused(("slice_scatter_ has no gradient", lambda: wt.slice_scatter_(x, wanted, 1, 7)))
        torch.modes = 1
        wt.slice_scatter_(x, src, 1, 1, 3)
        self.assertEqual((x.version, fake_torch.seen), (2, ["slice_scatter_"]))
        self.copied(True, x, src, 1, (1, 2))

    def test_memory_that_two_tensors_share(self):
        cache, rows = self.tensor(8, 16), self.tensor(4, 16)
        for start, allowed in ((0, True), (1, False), (3, False), (4, True)):
            rows.address = cache.address + start * 64
            if allowed:
                wt.slice_scatter_(cache, rows, 0, 0, 4)
                self.assertIs(self.launched()[3], rows)
            else:
                self.refused(("slice_scatter_: the tensor that is changed shares", lambda: wt.slice_scatter_(cache, rows, 0, 0, 4)))
        part = self.tensor(8, 2)
        part.address = cache.address
        self.refused(("copy the tensor that is read", lambda: wt.slice_scatter_(cache, part, 1, 0, 2)))

    def test_gradients(self):
        x, y, dy = self.half(4, 9, 3), self.half(4, 3, 3), self.half(4, 3, 3)
        found = self.gradient("slice", (x, 1, 2, 3, 2), y, dy)
        self.assertEqual((found[0].shape, found[0].dtype, found[1:]), (x.shape, torch.bfloat16, (None,) * 4))
        self.assertIn("zero", fake_torch.seen)
        self.copied(True, found[0], self.kernels.launches[0][3], 1, (2, 4, 6))
        fake_torch.seen.clear()
        found = self.gradient("slice", (x, 0, 0, 4, 1), x, x)
        self.assertNotIn("zero", fake_torch.seen)
        self.copied(True, found[0], self.kernels.launches[0][3], 0, range(4))
        ddx = self.half(4, 9, 3)
        with mock.patch.object(ddx, "contiguous", lambda: ddx):
            found = self.gradient("slice_backward", (dy, [4, 9, 3], 1, 2, 2), x, ddx)
        self.assertEqual((found[0].shape, found[1:]), (dy.shape, (None,) * 4))
        self.copied(False, ddx, found[0], 1, (2, 4, 6))

    def test_gradients_of_scatters(self):
        x, src, dy = self.half(4, 9, 3), self.half(4, 3, 3), self.half(4, 9, 3)
        setup, backward = fake_torch.gradients["warptune::slice_scatter"]
        for needs in ((True, True), (True, False), (False, True)):
            self.gradient("slice_scatter", (x, src, 1, 2, 2), x, dy)
            self.kernels.launches.clear()
            fake_torch.seen.clear()
            self.context.needs_input_grad = (*needs, False, False, False)
            with mock.patch.object(dy, "contiguous", lambda: dy):
                of_x, of_src, *others = backward(self.context, dy)
            self.assertEqual((of_x is not None, of_src is not None, others), (*needs, [None] * 3))
            if needs[1]:
                of_slice = self.kernels.launches.pop()
            if needs[0]:
                self.assertEqual([one for one in fake_torch.seen if one in ("new_zeros", "copy")], ["new_zeros", "copy"])
                self.copied(True, of_x, self.kernels.launches[0][3], 1, (2, 4, 6))
            if needs[1]:
                self.kernels.launches.append(of_slice)
                self.copied(False, dy, of_src, 1, (2, 4, 6))

    def test_shape_rules_agree_with_the_kernels(self):
        x, part = self.half(4, 9, 3), self.half(4, 3, 3)
        self.shapes_agree("slice", x, 1, 2, 3, 2)
        self.shapes_agree("slice_backward", part, [4, 9, 3], 1, 2, 2)
        self.shapes_agree("slice_scatter", x, part, 1, 2, 2)
        self.assertIsNone(fake_torch.fakes["warptune::slice_scatter_"](x, part, 1, 2, 2))

    def test_what_does_not_fit_is_refused(self):
        x, row, wide = self.half(4, 9, 3), self.half(4, 3), self.tensor(3, dtype=torch.float64)
        self.refused(("slice_copy: dim is 3, but the input has 3", lambda: wt.slice_copy(x, 3)), ("dim is -4", lambda: wt.narrow_copy(x, -4, 0, 1)),
                     ("select_copy: dim is 0, but the input has 0", lambda: wt.select_copy(self.half(), 0, 0)),
                     ("step is 0", lambda: wt.slice_copy(x, 1, 0, 5, 0)), ("step is -1", lambda: wt.slice_scatter(x, x, 1, 0, 5, -1)),
                     ("start is 7 and length 3, but dim 1", lambda: wt.narrow_copy(x, 1, 7, 3)), ("start is -10", lambda: wt.narrow_copy(x, 1, -10, 1)),
                     ("length -1", lambda: wt.narrow_copy(x, 1, 0, -1)), ("index is 9, but dim 1", lambda: wt.select_copy(x, 1, 9)),
                     ("index is -10", lambda: wt.select_scatter(x, row, 1, -10)),
                     ("slice_scatter: src has the shape \\(4, 3\\), but the slice of the input has \\(4, 9, 3\\)", lambda: wt.slice_scatter(x, row, 1)),
                     ("slice_scatter_: src has the shape", lambda: wt.slice_scatter_(x, x, 1, 1)),
                     ("select_scatter: src has 3 dims", lambda: wt.select_scatter(x, x, 1, 0)),
                     ("select_scatter: src has the shape", lambda: wt.select_scatter(x, self.half(4, 4), 1, 0)),
                     ("not contiguous", lambda: wt.slice_copy(x.mT, 1, 2)), ("not contiguous", lambda: wt.slice_scatter_(x.mT, self.half(4, 3, 9))),
                     ("float64", lambda: wt.slice_copy(wide)))


class ConcatTest(SliceCase):
    def test_two_to_four_tensors(self):
        parts = [self.half(2, size, 5) for size in (3, 1, 4, 2)]
        for call in (wt.cat, wt.concat):
            for count, sizes in ((2, (3, 1, 0, 0)), (3, (3, 1, 4, 0)), (4, (3, 1, 4, 2))):
                y = call(parts[:count], 1)
                self.check("concat", {}, (2, *sizes, 5), *parts[:count], y)
                self.assertEqual((y.shape, y.dtype), ((2, sum(sizes), 5), torch.bfloat16))
        rows = self.half(3, 8), self.half(2, 8)
        self.check("concat", {}, (1, 3, 2, 0, 0, 8), *rows, wt.cat(rows))
        self.check("concat", {}, (3, 8, 8, 0, 0, 1), rows[0], rows[0], wt.cat((rows[0], rows[0]), dim=-1))

    def test_what_is_empty_or_alone(self):
        x, none = self.half(2, 3, 5), self.half(2, 0, 5)
        y = wt.cat((none, x, none, x), 1)
        self.check("concat", {}, (2, 3, 3, 0, 0, 5), x, x, y)
        self.assertEqual(y.shape, (2, 6, 5))
        y = wt.cat((none, x), 1)
        self.copied(True, y, x, 1, range(3))
        y = wt.cat([x], 1)
        self.copied(False, x, y, 1, range(3))
        self.assertEqual((wt.cat((none, none), 1).shape, self.kernels.launches), ((2, 0, 5), []))

    def test_gradients(self):
        parts, dy = [self.half(2, size, 5) for size in (3, 1, 4, 2)], self.half(2, 10, 5)
        expected = (range(3), range(3, 4), range(4, 8), range(8, 10))
        with mock.patch.object(dy, "contiguous", lambda: dy):
            for given in (2, 3, 4):
                found = self.gradient("concat", (*parts[:given], *[None] * (4 - given), 1), dy, dy)
                launches = self.kernels.launches[:]
                for x, made, taken, launch in zip(parts, found, expected[:given], launches):
                    self.kernels.launches[:] = [launch]
                    self.assertEqual(made.shape, x.shape)
                    self.copied(False, dy, made, 1, taken)
                self.assertEqual((len(launches), found[given:]), (given, (None,) * (5 - given)))
            self.gradient("concat", (*parts, 1), dy, dy)
            self.kernels.launches.clear()
            self.context.needs_input_grad = (False, True, False, False, False)
            found = fake_torch.gradients["warptune::concat"][1](self.context, dy)
            self.assertEqual([x is None for x in found], [True, False, True, True, True])
            self.copied(False, dy, found[1], 1, (3,))

    def test_shape_rules_agree_with_the_kernels(self):
        x = self.half(2, 3, 5)
        self.shapes_agree("concat", x, self.half(2, 0, 5), None, None, 1)
        self.shapes_agree("concat", x, x, x, x, 2)

    def test_what_does_not_fit_is_refused(self):
        x = self.half(2, 3, 5)
        self.refused(("cat: there are 5 tensors; the kernel joins up to 4", lambda: wt.cat([x] * 5)), ("the list of tensors is empty", lambda: wt.cat([])),
                     ("cannot be joined along dim 0", lambda: wt.cat((x, self.half(2, 4, 5)))),
                     ("cannot be joined along dim 1", lambda: wt.concat((x, x, x, self.half(2, 3)), 1)),
                     ("cat: dim is 3", lambda: wt.cat((x, x), 3)), ("the input has 0 dims", lambda: wt.cat([self.half()] * 2)),
                     ("float64", lambda: wt.cat([self.tensor(3, dtype=torch.float64)] * 2)))


if __name__ == "__main__":
    unittest.main()
