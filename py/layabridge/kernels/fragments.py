"""One tile operation on a fragment: what a target says of it, without a matrix product around it."""

from typing import Any

from layabridge.kernels.factory import check_choice, factory

OPERATIONS = ("fill", "reduce_sum", "reduce_max")


@factory()
def fragment_kernel(operation: str, rows: int = 64, threads: int = 128) -> Any:
    """Y[rows] = the sum or the maximum of each row of X[rows, rows], or 0 for "fill"; fp32, call order X, Y."""
    check_choice("operation", operation, OPERATIONS)
    import tilelang.language as T

    reduces = operation != "fill"
    reduce = T.reduce_max if operation == "reduce_max" else T.reduce_sum

    @T.prim_func
    def fragment(X: T.Tensor((rows, rows), "float32"), Y: T.Tensor((rows,), "float32")):
        with T.Kernel(1, threads=threads):
            x = T.alloc_fragment((rows, rows), "float32")
            y = T.alloc_fragment((rows,), "float32")
            if reduces:
                for i, j in T.Parallel(rows, rows):
                    x[i, j] = X[i, j]
                reduce(x, y, dim=1)
            else:
                T.fill(y, 0.0)
            for i in T.Parallel(rows):
                Y[i] = y[i]

    return fragment
