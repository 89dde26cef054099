"""Rotary position embedding of Q and K, in place."""

from typing import Any

from layabridge.errors import InvalidArgument
from layabridge.kernels.factory import check_dtype, check_sizes, factory


@factory(bm=1)
def rope_kernel(
    H: int, Dh: int, bm: int = 32, threads: int = 128, dtype: str = "bfloat16", *, cpu: bool = False
) -> Any:
    """Rotates the Q and K columns of QKV[M, 3*H*Dh] in place; M and L dynamic. Call order QKV, cos, sin.

    QKV is of `dtype`, cos[L, Dh/2] and sin[L, Dh/2] are fp32; row r stands at position r % L. A head (a, b), split in
    halves, becomes (a*cos - b*sin, b*cos + a*sin), in fp32: the rotate-half form of RoFormer (Su et al., arXiv
    2104.09864). The V columns are neither read nor written. Blocks of bm rows of one head.
    """
    check_sizes(H=H, Dh=Dh, bm=bm, threads=threads)
    check_dtype(dtype, cpu)
    if Dh % 2:
        raise InvalidArgument(f"Dh must be even, got {Dh}")
    import tilelang.language as T

    from layabridge.kernels.tile import Dialect

    on = Dialect(cpu)
    half = Dh // 2
    heads = 2 * H
    M = T.dynamic("M")
    L = T.dynamic("L")

    @T.macro
    def rotate_block(QKV, cos, sin, row, column):
        for i, d in T.Parallel(bm, half):
            if row + i < M:
                a = T.cast(QKV[row + i, column + d], "float32")
                b = T.cast(QKV[row + i, column + half + d], "float32")
                c = cos[(row + i) % L, d]
                s = sin[(row + i) % L, d]
                QKV[row + i, column + d] = T.cast(a * c - b * s, dtype)
                QKV[row + i, column + half + d] = T.cast(b * c + a * s, dtype)

    @T.macro
    def rotate_row(QKV, cos, sin, row, column):
        # Copies first: the compiler must see that what is written does not alias what is still to be read.
        a = T.alloc_local((half,), "float32")
        b = T.alloc_local((half,), "float32")
        for d in T.serial(half):
            a[d] = T.cast(QKV[row, column + d], "float32")
        for d in T.serial(half):
            b[d] = T.cast(QKV[row, column + half + d], "float32")
        for d in T.serial(half):
            QKV[row, column + d] = T.cast(a[d] * cos[row % L, d] - b[d] * sin[row % L, d], dtype)
        for d in T.serial(half):
            QKV[row, column + half + d] = T.cast(b[d] * cos[row % L, d] + a[d] * sin[row % L, d], dtype)

    @T.prim_func
    def rope(
        QKV: T.Tensor((M, 3 * H * Dh), dtype), cos: T.Tensor((L, half), "float32"), sin: T.Tensor((L, half), "float32")
    ):
        with T.Kernel(heads, T.ceildiv(M, bm), threads=on.threads(threads)) as (head, by):
            if cpu:
                for i in T.serial(bm):
                    if by * bm + i < M:
                        rotate_row(QKV, cos, sin, by * bm + i, head * Dh)
            else:
                rotate_block(QKV, cos, sin, by * bm, head * Dh)

    return rope
