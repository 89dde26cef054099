"""X += R, then Y = LayerNorm(X)."""

from typing import Any

from layabridge.errors import InvalidArgument
from layabridge.kernels.factory import check_dtype, check_sizes, factory


@factory(bm=1)
def add_ln_kernel(
    D: int,
    residual: bool = True,
    bias: bool = False,
    eps: float = 1e-5,
    bm: int = 4,
    threads: int = 32,
    dtype: str = "bfloat16",
    *,
    cpu: bool = False,
) -> Any:
    """X[M, D] += R[M, D] in place, if `residual`; Y[M, D] = LayerNorm(X) * w[D] (+ b[D], if `bias`); M dynamic.

    Call order X, R, w, b, Y. X, w and b are fp32, R and Y of `dtype`; R and b are not read where their option is off.
    The sum is exact to the last bit of fp32, so a residual stream of 3e4 loses nothing. Mean and biased variance are
    taken in two passes in fp32, which does not cancel where the mean is large; eps is added to the variance. Blocks of
    bm rows.
    """
    check_sizes(D=D, bm=bm, threads=threads)
    check_dtype(dtype, cpu)
    if not eps >= 0:
        raise InvalidArgument(f"eps must be a number of at least 0, got {eps!r}")
    import tilelang.language as T

    from layabridge.kernels.rows import Rows

    on = Rows(bm, D, cpu)
    M = T.dynamic("M")

    @T.prim_func
    def add_ln(
        X: T.Tensor((M, D), "float32"),
        R: T.Tensor((M, D), dtype),
        w: T.Tensor((D,), "float32"),
        b: T.Tensor((D,), "float32"),
        Y: T.Tensor((M, D), dtype),
    ):
        with T.Kernel(T.ceildiv(M, bm), threads=on.threads(threads)) as bx:
            x = on.tile()
            square = on.tile()
            mean = on.column()
            rstd = on.column()
            for i, j in on.parallel(bm, on.width):
                if residual:
                    x[i, j] = T.if_then_else(
                        bx * bm + i < M and on.inside(j), X[bx * bm + i, j] + T.cast(R[bx * bm + i, j], "float32"), 0.0
                    )
                else:
                    x[i, j] = T.if_then_else(bx * bm + i < M and on.inside(j), X[bx * bm + i, j], 0.0)
            if residual:
                for i, j in on.parallel(bm, on.width):
                    if bx * bm + i < M and on.inside(j):
                        X[bx * bm + i, j] = x[i, j]
            on.sum(x, mean)
            for i in on.parallel(bm):
                mean[i] = mean[i] * (1.0 / D)
            for i, j in on.parallel(bm, on.width):
                square[i, j] = T.if_then_else(on.inside(j), (x[i, j] - mean[i]) * (x[i, j] - mean[i]), 0.0)
            on.sum(square, rstd)
            for i in on.parallel(bm):
                rstd[i] = 1.0 / T.sqrt(rstd[i] * (1.0 / D) + eps)
            for i, j in on.parallel(bm, on.width):
                if bx * bm + i < M and on.inside(j):
                    if bias:
                        Y[bx * bm + i, j] = T.cast((x[i, j] - mean[i]) * rstd[i] * w[j] + b[j], dtype)
                    else:
                        Y[bx * bm + i, j] = T.cast((x[i, j] - mean[i]) * rstd[i] * w[j], dtype)

    return add_ln
