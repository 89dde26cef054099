"""Rows of a matrix in both dialects: each row of a block lies in registers, padded to whole vectors, and is summed.

Import this module inside a factory's body only: it imports TileLang.
"""

from typing import Any

import tilelang.language as T

from layabridge.kernels.tile import Dialect

LANES = 32  # partial sums a row is added up in on the CPU: two vectors of 16 hide the latency of an addition
GPU_UNIT = 32  # columns of a GPU tile come in whole warps


class Rows(Dialect):
    """The dialect with tiles of `rows` rows of D columns. `width` is D rounded up; what lies behind D holds 0."""

    def __init__(self, rows: int, D: int, cpu: bool) -> None:
        super().__init__(cpu)
        self.rows, self.D = rows, D
        unit = LANES if cpu else GPU_UNIT
        self.width = -(-D // unit) * unit

    def inside(self, column: Any) -> Any:
        """Whether a column is one of the D; a constant where all are."""
        return True if self.width == self.D else column < self.D

    def tile(self) -> Any:
        """A block's rows, fp32."""
        return self.fragment((self.rows, self.width))

    def column(self) -> Any:
        """One fp32 number a row."""
        return self.fragment((self.rows,))

    def sum(self, tile: Any, out: Any) -> Any:
        """out[i] = the sum of row i."""
        return _sum(tile, out, self) if self.cpu else T.reduce_sum(tile, out, dim=1)


@T.macro
def _sum(tile, out, on):
    part = T.alloc_local((LANES,), "float32")
    for i in T.serial(on.rows):
        for v in T.serial(LANES):
            part[v] = 0.0
        for c in T.serial(on.width // LANES):
            for v in T.serial(LANES):
                part[v] += tile[i, c * LANES + v]
        out[i] = 0.0
        for v in T.serial(LANES):
            out[i] += part[v]
