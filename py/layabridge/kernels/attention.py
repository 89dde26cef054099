"""Tiles of attention in both dialects: queries, keys and values are loaded, scored, and summed with online softmax.

The GPU keeps tiles in TileLang's own layouts: scores [bm, bn], output [bm, Dh]. On the CPU vector lanes run along the
queries: queries lie as [Dh, bm], scores as [bn, bm], the output as [Dh, bm], so that every step of the softmax works on
whole vectors, and keys and values are broadcast as they lie.

Import this module inside a factory's body only: it imports TileLang.
"""

from collections.abc import Callable
from typing import Any

import tilelang.language as T

from layabridge.kernels.scalar import exp2_of_parts
from layabridge.kernels.tile import Dialect

LEAST = -80.0  # weights below 2**LEAST are 0; smaller ones would make denormal numbers, which are four times slower
TENSOR_CORE = 16  # columns come to a GPU's matrix units in groups of 16
BLOCK = 8  # keys or head columns of a register block; with 32 queries that is 16 accumulators of 16 lanes


class Attention(Dialect):
    """The dialect for blocks of bm queries and bn keys of one head of Dh columns.

    Each method stands as a statement of its own in a kernel: what it returns is the operation, for TileLang to emit.
    """

    def __init__(self, bm: int, bn: int, Dh: int, dtype: str, cpu: bool) -> None:
        super().__init__(cpu)
        self.bm, self.bn, self.Dh, self.dtype = bm, bn, Dh, dtype
        self.keys_padded = -(-bn // BLOCK) * BLOCK
        unit = BLOCK if cpu else TENSOR_CORE
        self.columns = -(-Dh // unit) * unit
        self.never = T.float32(float("-inf"))  # the score of a key out of sight

    def queries(self) -> Any:
        """The tile of Q."""
        return self.shared((self.Dh, self.bm) if self.cpu else (self.bm, self.columns), self.dtype)

    def keys(self) -> Any:
        """A tile of K or V."""
        return self.shared((self.keys_padded, self.columns) if self.cpu else (self.bn, self.columns), self.dtype)

    def scores(self) -> Any:
        """One number for each query and key."""
        return self.fragment((self.keys_padded, self.bm) if self.cpu else (self.bm, self.bn))

    def weights(self) -> Any:
        """The scores as the second product takes them; the CPU multiplies the scores themselves."""
        return self.fragment((1,) if self.cpu else (self.bm, self.bn), self.dtype)

    def output(self) -> Any:
        """The sum of weighted values."""
        return self.fragment((self.columns, self.bm) if self.cpu else (self.bm, self.columns))

    def column(self) -> Any:
        """One fp32 number for each query."""
        return self.fragment((self.bm,))

    def load_queries(self, QKV: Any, batch: Any, row: Any, head: Any, tile: Any) -> Any:
        """Copy bm queries of one head; rows behind L read as 0."""
        if self.cpu:
            return _load_queries(QKV, batch, row, head, tile, self)
        return self._load(QKV, batch, row, self.bm, 0, head, tile)

    def load_keys(self, QKV: Any, batch: Any, row: Any, which: int, head: Any, tile: Any) -> Any:
        """Copy bn keys (which=1) or values (which=2) of one head; rows behind L read as 0."""
        if self.cpu:
            return _load_keys(QKV, batch, row, which, head, tile, self)
        return self._load(QKV, batch, row, self.bn, which, head, tile)

    def _load(self, QKV: Any, batch: Any, row: Any, rows: int, which: int, head: Any, tile: Any) -> Any:
        if self.columns == self.Dh:
            return T.copy(QKV[batch, row : row + rows, which, head, 0 : self.Dh], tile)
        return _load_padded(QKV, batch, row, rows, which, head, tile, self)

    def score(self, queries: Any, keys: Any, scores: Any) -> Any:
        """scores = queries · keysᵀ."""
        if self.cpu:
            return _score(queries, keys, scores, self)
        return T.gemm(queries, keys, scores, transpose_B=True, clear_accum=True, policy=T.GemmWarpPolicy.FullRow)

    def mask(self, visible: Callable[[Any, Any], Any], scale: float, scores: Any) -> Any:
        """scores[i, j] *= scale where visible(i, j), -inf elsewhere."""
        return (_mask_lanes if self.cpu else _mask)(visible, scale, scores, self)

    def softmax(self, scores: Any, out: Any, state: Any, scratch: Any) -> Any:
        """One step of online softmax: scores become weights, the sums so far are rescaled to the new maximum."""
        return (_softmax_lanes if self.cpu else _softmax)(scores, out, state, scratch, self)

    def accumulate(self, scores: Any, weights: Any, values: Any, out: Any) -> Any:
        """out += weights · values."""
        return (_accumulate_lanes if self.cpu else _accumulate)(scores, weights, values, out, self)

    def store(self, out: Any, total: Any, O: Any, batch: Any, row: Any, column: Any) -> Any:
        """O = out / total, 0 where no key was visible; rows behind L are dropped."""
        return (_store_lanes if self.cpu else _store)(out, total, O, batch, row, column, self)


@T.macro
def _load_padded(QKV, batch, row, rows: int, which: int, head, tile, on):
    for i, d in T.Parallel(rows, on.columns):
        tile[i, d] = T.if_then_else(
            row + i < QKV.shape[1] and d < on.Dh, QKV[batch, row + i, which, head, d], T.cast(0, on.dtype)
        )


@T.macro
def _mask(visible, scale, scores, on):
    for i, j in T.Parallel(on.bm, on.bn):
        scores[i, j] = T.if_then_else(visible(i, j), scores[i, j] * scale, on.never)


@T.macro
def _softmax(scores, out, state, scratch, on):
    highest, total = state
    pivot, correction, added = scratch
    T.copy(highest, correction)
    T.reduce_max(scores, highest, dim=1, clear=False)
    for i in T.Parallel(on.bm):
        # A row that has seen no key yet has the maximum -inf, and -inf - -inf is NaN.
        pivot[i] = T.if_then_else(highest[i] == on.never, 0.0, highest[i])
        correction[i] = T.exp2(correction[i] - pivot[i])
    for i, j in T.Parallel(on.bm, on.bn):
        scores[i, j] = T.exp2(scores[i, j] - pivot[i])
    T.reduce_sum(scores, added, dim=1)
    for i in T.Parallel(on.bm):
        total[i] = total[i] * correction[i] + added[i]
    for i, d in T.Parallel(on.bm, on.columns):
        out[i, d] = out[i, d] * correction[i]


@T.macro
def _accumulate(scores, weights, values, out, on):
    T.copy(scores, weights)
    T.gemm(weights, values, out, policy=T.GemmWarpPolicy.FullRow)


@T.macro
def _store(out, total, O, batch, row, column, on):
    for i, d in T.Parallel(on.bm, on.columns):
        out[i, d] = T.if_then_else(total[i] == 0.0, 0.0, out[i, d] / total[i])
    if on.columns == on.Dh:
        T.copy(out, O[batch, row : row + on.bm, column : column + on.Dh])
    else:
        for i, d in T.Parallel(on.bm, on.columns):
            if row + i < O.shape[1] and d < on.Dh:
                O[batch, row + i, column + d] = T.cast(out[i, d], on.dtype)


@T.macro
def _load_queries(QKV, batch, row, head, tile, on):
    for i, d in T.grid(on.bm, on.Dh):
        tile[d, i] = T.if_then_else(row + i < QKV.shape[1], QKV[batch, row + i, 0, head, d], T.cast(0, on.dtype))


@T.macro
def _load_keys(QKV, batch, row, which: int, head, tile, on):
    for j in T.serial(on.keys_padded):
        for d in T.serial(on.columns):
            tile[j, d] = T.if_then_else(
                j < on.bn and row + j < QKV.shape[1] and d < on.Dh,
                QKV[batch, row + j, which, head, d],
                T.cast(0, on.dtype),
            )


@T.macro
def _score(queries, keys, scores, on):
    acc = T.alloc_local((BLOCK, on.bm), "float32")
    for block in T.serial(on.keys_padded // BLOCK):
        for j, i in T.grid(BLOCK, on.bm):
            acc[j, i] = 0.0
        for d in T.serial(on.Dh):
            for j, i in T.grid(BLOCK, on.bm):
                acc[j, i] += keys[block * BLOCK + j, d] * queries[d, i]
        for j, i in T.grid(BLOCK, on.bm):
            scores[block * BLOCK + j, i] = acc[j, i]


@T.macro
def _mask_lanes(visible, scale, scores, on):
    for j, i in T.grid(on.keys_padded, on.bm):
        scores[j, i] = T.if_then_else(visible(i, j) and j < on.bn, scores[j, i] * scale, on.never)


@T.macro
def _softmax_lanes(scores, out, state, scratch, on):
    highest, total = state
    pivot, correction, _ = scratch
    for i in T.serial(on.bm):
        correction[i] = highest[i]
    for j, i in T.grid(on.keys_padded, on.bm):
        highest[i] = T.max(highest[i], scores[j, i])
    for i in T.serial(on.bm):
        pivot[i] = T.if_then_else(highest[i] == on.never, 0.0, highest[i])
    for i in T.serial(on.bm):
        x = correction[i] - pivot[i]
        whole = T.floor(x + 0.5)
        r = x - whole
        correction[i] = T.if_then_else(x < LEAST, 0.0, exp2_of_parts(whole, r))
    for j, i in T.grid(on.keys_padded, on.bm):
        x = scores[j, i] - pivot[i]
        whole = T.floor(x + 0.5)
        r = x - whole
        scores[j, i] = T.if_then_else(x < LEAST, 0.0, exp2_of_parts(whole, r))
    for i in T.serial(on.bm):
        total[i] = total[i] * correction[i]
    for j, i in T.grid(on.keys_padded, on.bm):
        total[i] += scores[j, i]
    for d, i in T.grid(on.columns, on.bm):
        out[d, i] = out[d, i] * correction[i]


@T.macro
def _accumulate_lanes(scores, weights, values, out, on):
    acc = T.alloc_local((BLOCK, on.bm), "float32")
    for block in T.serial(on.columns // BLOCK):
        for d, i in T.grid(BLOCK, on.bm):
            acc[d, i] = out[block * BLOCK + d, i]
        for j in T.serial(on.keys_padded):
            for d, i in T.grid(BLOCK, on.bm):
                acc[d, i] += values[j, block * BLOCK + d] * scores[j, i]
        for d, i in T.grid(BLOCK, on.bm):
            out[block * BLOCK + d, i] = acc[d, i]


@T.macro
def _store_lanes(out, total, O, batch, row, column, on):
    for i in T.serial(on.bm):
        if row + i < O.shape[1]:
            for d in T.serial(on.Dh):
                O[batch, row + i, column + d] = T.cast(
                    T.if_then_else(total[i] == 0.0, 0.0, out[d, i] / total[i]), on.dtype
                )
