"""Describes the product of two tensors in gemm's terms: sizes, layout, gaps between rows, batch. Uses only shapes
and strides."""
import functools
import math
from typing import NamedTuple, Tuple

from ..errors import BadInput

LARGEST = 1048576  # size or gap of gemm (its spec.json)
_MOST_PRODUCTS = 65536  # of a batch


class Product(NamedTuple):
    rows: Tuple[int, ...]  # shape of the result without its last dim
    dims: Tuple[int, ...]  # m, n, k, batch, a_pad, b_pad, c_pad; the result has no gaps
    layout: str            # "nn", "nt", "tn" or "tt"
    shared: str            # the operand that all products of the batch share, or "none"
    counts: Tuple[int, int]  # number of elements from the first to the last one: in a, in b


def result_shape(a, b, transposed):
    """Returns the shape of a @ b as (shape without the last dim, last dim). a, b: shapes. transposed: b is (..., n,
    k)."""
    if len(a) < 1 or len(b) < 2 or (len(a) < 2 < len(b)):
        raise BadInput(f"a product of {tuple(a)} and {tuple(b)}: both must be matrices, or batches of matrices")
    depth, columns = (b[-1], b[-2]) if transposed else (b[-2], b[-1])
    if a[-1] != depth:
        raise BadInput(f"a product of {tuple(a)} and {tuple(b)}{' transposed' if transposed else ''}: "
                       "both must have the same size in the dim that is summed over")
    if len(b) == 2:
        return tuple(a[:-1]), columns
    return (*_broadcast(a[:-2], b[:-2]), a[-2]), columns


def _broadcast(a, b):
    length = max(len(a), len(b))
    shape = []
    for x, y in zip((1,) * (length - len(a)) + tuple(a), (1,) * (length - len(b)) + tuple(b)):
        if x != y and x != 1 and y != 1:
            raise BadInput(f"the batches {tuple(a)} and {tuple(b)} cannot be broadcast together")
        shape.append(y if x == 1 else x)
    return shape


def _merged(dims):
    """Merges (size, stride) pairs into one pair that visits the same elements. Returns None if no single stride visits
    them all. The stride of a single element is None."""
    size, stride = 1, None
    for inner_size, inner_stride in reversed(dims):
        if inner_size == 1:
            continue
        if stride is None:
            stride = inner_stride
        elif inner_stride != stride * size:
            return None
        size *= inner_size
    return size, stride


class _Place(NamedTuple):
    letter: str  # "n": rows follow each other in memory; "t": columns follow each other
    height: int
    width: int
    lead: int

    @property
    def pad(self):
        return self.lead - self.width

    def count(self, matrices):
        return matrices * self.height * self.lead - self.pad


def _place(rows, columns, step):
    """Returns the layout of a matrix with these (size, stride) pairs, or None if gemm cannot read it. step: the
    distance between the matrices of a batch; None: there is no batch. A single column is treated as a row of its
    transpose, because longer rows are read faster."""
    ways = [("n", rows, columns), ("t", columns, rows)]
    for letter, (height, over), (width, along) in ways if columns[0] > 1 else reversed(ways):
        if width > 1 and along != 1:
            continue
        lead = over if height > 1 else width if step is None else step  # a single row has no stride
        if 0 <= lead - width <= LARGEST and (step is None or step == height * lead):
            return _Place(letter, height, width, lead)
    return None


def _refuse(name, shape, strides):
    return BadInput(f"{name} has the shape {tuple(shape)} and the strides {tuple(strides)}, which gemm cannot read: its rows or columns must be dense and evenly spaced, and this spacing must continue from each matrix of a batch to the next. Gaps may have at most {LARGEST} elements. Copy it with .contiguous()")


def _step(name, shape, strides, batch):
    """Returns the distance from each matrix of the batch to the next; None if all products share one matrix, and
    False if the distances differ."""
    count = math.prod(shape)
    if count == 1:
        return None
    if count != batch:
        raise BadInput(f"{name} has the batch {tuple(shape)}, of which only some dims are broadcast; gemm can broadcast only a whole batch. Expand {name} to the whole batch, and copy it with .contiguous()")
    merged = _merged(list(zip(shape, strides)))
    return False if merged is None else merged[1] or None


@functools.lru_cache(maxsize=4096)
def describe(a, a_strides, b, b_strides, transposed):
    """Returns the Product of two tensors with these shapes and strides. Raises BadInput if gemm cannot read them."""
    rows, n = result_shape(a, b, transposed)
    batch, m, k = math.prod(rows[:-1]), rows[-1] if rows else 1, a[-1]
    if 0 in (batch, m, n, k):
        return Product(rows, (m, n, k, batch, 0, 0, 0), "nn", "none", (0, 0))
    if max(m, n, k) > LARGEST:
        raise BadInput(f"a product of {tuple(a)} and {tuple(b)}{' transposed' if transposed else ''}: gemm takes matrices of at most "
                       f"{LARGEST} rows or columns; split the operands, for example with .split()")
    a_rows, a_columns = (m, a_strides[-2] if len(a) > 1 else 1), (k, a_strides[-1])
    b_rows, b_columns = (k, b_strides[-2]), (n, b_strides[-1])
    if transposed:
        b_rows, b_columns = (k, b_strides[-1]), (n, b_strides[-2])
    a_step = _step("the first operand", a[:-2], a_strides[:-2], batch)
    b_step = _step("the second operand", b[:-2], b_strides[:-2], batch)
    if batch > 1 and b_step is None:  # one product with all rows, where one stride steps through them
        all_rows = _merged([*zip(a[:-2], a_strides[:-2]), a_rows])
        if all_rows is not None and all_rows[0] == batch * m <= LARGEST:
            a_place, b_place = _place(all_rows, a_columns, None), _place(b_rows, b_columns, None)
            if a_place is not None and b_place is not None:
                return _product(rows, (batch * m, n, k, 1), a_place, b_place, "none")
    if batch > _MOST_PRODUCTS:
        raise BadInput(f"a product of {tuple(a)} and {tuple(b)}{' transposed' if transposed else ''} is a batch of {batch} products, but gemm "
                       f"takes at most {_MOST_PRODUCTS}. Split the batch, for example with .split(). A contiguous batch with up to {LARGEST} "
                       "rows in all, times one matrix, is a single product")
    a_place = None if a_step is False else _place(a_rows, a_columns, a_step)
    b_place = None if b_step is False else _place(b_rows, b_columns, b_step)
    if a_place is None:
        raise _refuse("the first operand", a, a_strides)
    if b_place is None or (batch > 1 and a_step is None and b_step is None):
        raise _refuse("the second operand", b, b_strides)
    shared = "none" if batch == 1 else "a" if a_step is None else "b" if b_step is None else "none"
    return _product(rows, (m, n, k, batch), a_place, b_place, shared)


def _product(rows, sizes, a, b, shared):
    batch = sizes[3]
    counts = a.count(1 if shared == "a" else batch), b.count(1 if shared == "b" else batch)
    return Product(rows, (*sizes, a.pad, b.pad, 0), a.letter + b.letter, shared, counts)
