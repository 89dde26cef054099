"""C = act(A·Wᵀ + bias)."""

from typing import Any

from layabridge.kernels.factory import check_choice, check_dtype, check_sizes, factory

ACTIVATIONS = ("none", "gelu", "relu")


@factory(bm=128, bn=192, bk=128)
def gemm_kernel(
    N: int,
    K: int,
    bias: bool = False,
    act: str = "none",
    bm: int = 64,
    bn: int = 128,
    bk: int = 64,
    stages: int = 3,
    threads: int = 128,
    dtype: str = "bfloat16",
    *,
    cpu: bool = False,
) -> Any:
    """C[M, N] = act(A[M, K] · W[N, K]ᵀ + bias[N]), M dynamic; call order A, W, bias, C.

    A, W, C are of `dtype`, bias is fp32 and not read unless `bias`; products are accumulated in fp32, and bias and
    activation are applied to the fp32 sum before it is rounded. act: "none", "gelu" (the exact form, x·Φ(x)), or "relu"
    (NaN stays NaN). K = 0 gives act(bias). Blocks of bm by bn outputs go through K in steps of bk, `stages` deep on a
    GPU.
    """
    check_sizes(N=N, bm=bm, bn=bn, bk=bk, stages=stages, threads=threads)
    check_sizes(minimum=0, K=K)
    check_choice("act", act, ACTIVATIONS)
    check_dtype(dtype, cpu)
    import tilelang.language as T

    from layabridge.kernels import scalar
    from layabridge.kernels.matmul import Matmul

    on = Matmul(bm, bn, bk, N, K, dtype, cpu)
    activation = scalar.activation(act, cpu)
    biased = bias
    M = T.dynamic("M")

    @T.prim_func
    def gemm(
        A: T.Tensor((M, K), dtype),
        W: T.Tensor((N, K), dtype),
        bias: T.Tensor((N,), "float32"),
        C: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=on.threads(threads)) as (bx, by):
            A_s = on.left()
            W_s = on.right()
            C_l = on.accumulator()
            on.clear(C_l, M - by * bm)
            for k in on.pipelined(T.ceildiv(K, on.bk), stages):
                on.load_left(A, by * bm, k * on.bk, A_s)
                on.load_right(W, bx * bn, k * on.bk, W_s)
                on.gemm(A_s, W_s, C_l, M - by * bm)
            if biased:
                on.apply(lambda j, c: activation(c + bias[T.min(bx * bn + j, N - 1)]), M - by * bm, C_l)
            else:
                on.apply(lambda j, c: activation(c), M - by * bm, C_l)
            on.store(C_l, C, by * bm, bx * bn)

    return gemm
