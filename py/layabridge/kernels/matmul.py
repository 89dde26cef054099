"""Tile matrix product C = A·Wᵀ in both dialects: load two tiles with zero fill, multiply, map, store with a predicate.

The GPU keeps tiles in TileLang's own layouts. On the CPU vector lanes run along the rows of A and C, so that W, by far
the larger operand, needs no packing: its elements are broadcast as they lie. A's tile is [panel, bk, LANES] and the
accumulators are [panel, bn, LANES], a panel being LANES rows; a register block is LANES rows of FEATURES columns, and
three quarters of the host's registers hold it.

Import this module inside a factory's body only: it imports TileLang.
"""

from collections.abc import Callable
from typing import Any

import tilelang.language as T

from layabridge.kernels.tile import Dialect
from layabridge.toolchain import vector_registers

VECTOR, _registers = vector_registers()
LANES = 2 * VECTOR
FEATURES = _registers * 3 // 8


class Matmul(Dialect):
    """The dialect with tiles A_s [bm, bk], W_s [bn, bk] and accumulators C_l [bm, bn] (fp32) of C, summed over K.

    Each method stands as a statement of its own in a kernel: what it returns is the operation, for TileLang to emit.
    """

    def __init__(self, bm: int, bn: int, bk: int, N: int, K: int, dtype: str, cpu: bool) -> None:
        super().__init__(cpu)
        self.bm, self.bn, self.dtype = bm, bn, dtype
        self.panels = -(-bm // LANES)
        self.columns = min(bn, N)
        self.features = -(-self.columns // FEATURES) * FEATURES
        self.bk = -(-min(bk, max(K, 1)) // VECTOR) * VECTOR if cpu else bk

    def left(self) -> Any:
        """The tile of A."""
        return self.shared((self.panels, self.bk, LANES) if self.cpu else (self.bm, self.bk), self.dtype)

    def right(self) -> Any:
        """A tile of W. The CPU's rows are one vector longer than needed: rows a power of two apart share cache sets."""
        return self.shared((self.features, self.bk + VECTOR) if self.cpu else (self.bn, self.bk), self.dtype)

    def accumulator(self) -> Any:
        """A tile of C."""
        return self.fragment((self.panels, self.features, LANES) if self.cpu else (self.bm, self.bn), "float32")

    def clear(self, tile: Any, rows: Any) -> Any:
        """Set accumulators to 0."""
        return _clear(tile, rows, self) if self.cpu else T.clear(tile)

    def load_left(self, tensor: Any, row: Any, column: Any, tile: Any) -> Any:
        """Copy the block of A at (row, column) into its tile; what lies outside of A reads as 0."""
        return _load_left(tensor, row, column, tile, self) if self.cpu else T.copy(tensor[row, column], tile)

    def load_right(self, tensor: Any, row: Any, column: Any, tile: Any) -> Any:
        """Copy the block of W at (row, column) into a tile; what lies outside of W reads as 0."""
        return _load_right(tensor, row, column, tile, self) if self.cpu else T.copy(tensor[row, column], tile)

    def gemm(self, left: Any, right: Any, out: Any, rows: Any) -> Any:
        """out += left · rightᵀ; the CPU leaves out what belongs to none of the block's `rows`."""
        return _gemm(left, right, out, rows, self) if self.cpu else T.gemm(left, right, out, transpose_B=True)

    def apply(self, function: Callable[..., Any], rows: Any, out: Any, *others: Any) -> Any:
        """out[i, j] = function(j, out[i, j], others[i, j]...) for every element that belongs to the block's `rows`."""
        return _apply_panels(function, rows, out, others, self) if self.cpu else _apply(function, out, others, self)

    def occupied(self, rows: Any) -> Any:
        """How many panels hold some of the block's `rows`."""
        return T.ceildiv(T.min(rows, self.bm), LANES)

    def store(self, tile: Any, tensor: Any, row: Any, column: Any) -> Any:
        """Copy a tile into C at (row, column); what lies outside of C is dropped."""
        return _store(tile, tensor, row, column, self) if self.cpu else T.copy(tile, tensor[row, column])


@T.macro
def _apply(function, out, others, on):
    for i, j in T.Parallel(on.bm, on.bn):
        out[i, j] = function(j, out[i, j], *[other[i, j] for other in others])


@T.macro
def _apply_panels(function, rows, out, others, on):
    for p, j, i in T.grid(on.occupied(rows), on.columns, LANES):
        out[p, j, i] = function(j, out[p, j, i], *[other[p, j, i] for other in others])


@T.macro
def _clear(tile, rows, on):
    for p, j, i in T.grid(on.occupied(rows), on.features, LANES):
        tile[p, j, i] = 0.0


@T.macro
def _load_left(tensor, row, column, tile, on):
    square = T.alloc_local((VECTOR * VECTOR,), on.dtype)
    mixed = T.alloc_local((VECTOR * VECTOR,), on.dtype)
    for p, i0, k0 in T.grid(on.occupied(tensor.shape[0] - row), LANES // VECTOR, on.bk // VECTOR):
        for i, k in T.grid(VECTOR, VECTOR):
            square[i * VECTOR + k] = T.if_then_else(
                row + p * LANES + i0 * VECTOR + i < tensor.shape[0] and column + k0 * VECTOR + k < tensor.shape[1],
                tensor[row + p * LANES + i0 * VECTOR + i, column + k0 * VECTOR + k],
                T.cast(0, on.dtype),
            )
        turned = _transpose(square, mixed)
        for k, i in T.grid(VECTOR, VECTOR):
            tile[p, k0 * VECTOR + k, i0 * VECTOR + i] = turned[k * VECTOR + i]


def _transpose(square: Any, mixed: Any) -> Any:
    """Transpose a square by perfect shuffles, and return which of the two buffers holds it then.

    A shuffle rotates the bits of the index (row, column) by one; after log2(VECTOR) of them the two changed places.
    Compilers make vector interleaves of a shuffle, where the strided stores of a plain transposition stay scalar.
    """
    for _ in range(VECTOR.bit_length() - 1):
        _shuffle(square, mixed)
        square, mixed = mixed, square
    return square


@T.macro
def _shuffle(source, target):
    half = VECTOR * VECTOR // 2
    for x in T.serial(half):
        target[2 * x] = source[x]
        target[2 * x + 1] = source[half + x]


@T.macro
def _load_right(tensor, row, column, tile, on):
    for j, k in T.grid(on.features, on.bk):
        tile[j, k] = T.if_then_else(
            row + j < tensor.shape[0] and column + k < tensor.shape[1],
            tensor[row + j, column + k],
            T.cast(0, on.dtype),
        )


@T.macro
def _gemm(left, right, out, rows, on):
    for p in T.serial(on.occupied(rows)):
        for block in T.serial(on.features // FEATURES):
            if rows - p * LANES > VECTOR:
                _multiply(left, right, out, p, block * FEATURES, LANES, on)
            else:
                _multiply(left, right, out, p, block * FEATURES, VECTOR, on)


@T.macro
def _multiply(left, right, out, p, feature, lanes: int, on):
    """One register block. Each tile's sum starts from 0: blocks of bk terms round less than one sum over all of K."""
    acc = T.alloc_local((FEATURES, lanes), "float32")
    for j, i in T.grid(FEATURES, lanes):
        acc[j, i] = 0.0
    for k in T.serial(on.bk):
        for j, i in T.grid(FEATURES, lanes):
            acc[j, i] += right[feature + j, k] * left[p, k, i]
    for j, i in T.grid(FEATURES, lanes):
        out[p, feature + j, i] += acc[j, i]


@T.macro
def _store(tile, tensor, row, column, on):
    for p, i, j in T.grid(on.occupied(tensor.shape[0] - row), LANES, on.columns):
        if p * LANES + i < on.bm and row + p * LANES + i < tensor.shape[0] and column + j < tensor.shape[1]:
            tensor[row + p * LANES + i, column + j] = tile[p, j, i]
