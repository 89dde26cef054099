"""Tile matrix product C = A·Wᵀ in both dialects: load two tiles with zero fill, multiply, map, store with a predicate.

The GPU keeps tiles in TileLang's own layouts. The CPU keeps A's tile and the accumulators with the row index last, so
that the vector lanes run along M, where no tensor needs packing beforehand: W's elements are broadcast as they lie.

Import this module inside a factory's body only: it imports TileLang.
"""

from collections.abc import Callable
from typing import Any

import tilelang.language as T

from layabridge.kernels.tile import Dialect

LANES = 32  # rows of C that one register block spans: two vectors of 16
FEATURES = 12  # columns of C in one register block


class Matmul(Dialect):
    """The dialect with tiles A_s [bm, bk], W_s [bn, bk] and accumulators C_l [bm, bn] (fp32).

    Each method stands as a statement of its own in a kernel: what it returns is the operation, for TileLang to emit.
    """

    def __init__(self, bm: int, bn: int, bk: int, dtype: str, cpu: bool) -> None:
        super().__init__(cpu)
        self.bm, self.bn, self.bk, self.dtype = bm, bn, bk, dtype

    def left(self) -> Any:
        """The tile of A."""
        return self.shared((self.bk, self.bm) if self.cpu else (self.bm, self.bk), self.dtype)

    def right(self) -> Any:
        """A tile of W."""
        return self.shared((self.bn, self.bk), self.dtype)

    def accumulator(self) -> Any:
        """A tile of C in fp32."""
        return self.fragment((self.bn, self.bm) if self.cpu else (self.bm, self.bn), "float32")

    def clear(self, tile: Any) -> Any:
        """Set a tile to zero."""
        return _clear(tile, *tile.shape) if self.cpu else T.clear(tile)

    def load(self, tensor: Any, row: Any, column: Any, tile: Any, left: bool = False) -> Any:
        """Copy the block of a tensor at (row, column) into a tile; what lies outside of the tensor reads as 0."""
        if not self.cpu:
            return T.copy(tensor[row, column], tile)
        if left:
            return _load_left(tensor, row, column, tile, self.bm, self.bk)
        return _load(tensor, row, column, tile, self.bn, self.bk)

    def gemm(self, left: Any, right: Any, out: Any) -> Any:
        """out += left · rightᵀ."""
        if self.cpu:
            return _gemm(left, right, out, self.bm, self.bn, self.bk)
        return T.gemm(left, right, out, transpose_B=True)

    def apply(self, function: Callable[..., Any], out: Any, *others: Any) -> Any:
        """out[i, j] = function(j, out[i, j], others[i, j]...) for every element of the tile."""
        if self.cpu:
            return _apply_lanes(function, out, others, self.bm, self.bn)
        return _apply(function, out, others, self.bm, self.bn)

    def store(self, tile: Any, tensor: Any, row: Any, column: Any) -> Any:
        """Copy a tile into a tensor at (row, column); what lies outside of the tensor is dropped."""
        if self.cpu:
            return _store(tile, tensor, row, column, self.bm, self.bn)
        return T.copy(tile, tensor[row, column])


@T.macro
def _apply(function, out, others, bm, bn):
    for i, j in T.Parallel(bm, bn):
        out[i, j] = function(j, out[i, j], *[other[i, j] for other in others])


@T.macro
def _apply_lanes(function, out, others, bm, bn):
    for j, i in T.grid(bn, bm):
        out[j, i] = function(j, out[j, i], *[other[j, i] for other in others])


@T.macro
def _clear(tile, rows, columns):
    for i, j in T.grid(rows, columns):
        tile[i, j] = 0.0


@T.macro
def _load_left(tensor, row, column, tile, bm, bk):
    for i, k in T.grid(bm, bk):
        tile[k, i] = T.if_then_else(
            row + i < tensor.shape[0] and column + k < tensor.shape[1], tensor[row + i, column + k], T.cast(0, tile.dtype)
        )


@T.macro
def _load(tensor, row, column, tile, bn, bk):
    for j, k in T.grid(bn, bk):
        tile[j, k] = T.if_then_else(
            row + j < tensor.shape[0] and column + k < tensor.shape[1], tensor[row + j, column + k], T.cast(0, tile.dtype)
        )


@T.macro
def _gemm(left, right, out, bm, bn, bk):
    acc = T.alloc_local((bn, bm), "float32")
    for j, i in T.grid(bn, bm):
        acc[j, i] = out[j, i]
    for k in T.serial(bk):
        for j, i in T.grid(bn, bm):
            acc[j, i] += right[j, k] * left[k, i]
    for j, i in T.grid(bn, bm):
        out[j, i] = acc[j, i]


@T.macro
def _store(tile, tensor, row, column, bm, bn):
    for i, j in T.grid(bm, bn):
        if row + i < tensor.shape[0] and column + j < tensor.shape[1]:
            tensor[row + i, column + j] = tile[j, i]
