"""C = gelu(A·W[:F]ᵀ) * (A·W[F:]ᵀ)."""

from typing import Any

from layabridge.kernels.factory import check_dtype, check_sizes, factory


@factory(bm=128, bn=96, bk=128)
def gemm_geglu_kernel(
    F: int,
    K: int,
    bm: int = 64,
    bn: int = 64,
    bk: int = 64,
    stages: int = 2,
    threads: int = 128,
    dtype: str = "bfloat16",
    *,
    cpu: bool = False,
) -> Any:
    """C[M, F] = gelu(A[M, K] · W[:F, K]ᵀ) * (A · W[F:, K]ᵀ), M dynamic; call order A, W[2F, K], C.

    A, W, C are of `dtype`; both products are accumulated in fp32 and combined before they are rounded. gelu is the
    exact form, x·Φ(x). Blocks of bm by bn outputs go through K in steps of bk, `stages` deep on a GPU.
    """
    check_sizes(F=F, bm=bm, bn=bn, bk=bk, stages=stages, threads=threads)
    check_sizes(minimum=0, K=K)
    check_dtype(dtype, cpu)
    import tilelang.language as T

    from layabridge.kernels import scalar
    from layabridge.kernels.matmul import Matmul

    on = Matmul(bm, bn, bk, F, K, dtype, cpu)
    M = T.dynamic("M")

    @T.prim_func
    def geglu(A: T.Tensor((M, K), dtype), W: T.Tensor((2 * F, K), dtype), C: T.Tensor((M, F), dtype)):
        with T.Kernel(T.ceildiv(F, bn), T.ceildiv(M, bm), threads=on.threads(threads)) as (bx, by):
            A_s = on.left()
            Wi_s = on.right()
            Wg_s = on.right()
            Ci = on.accumulator()
            Cg = on.accumulator()
            on.clear(Ci, M - by * bm)
            on.clear(Cg, M - by * bm)
            for k in on.pipelined(T.ceildiv(K, on.bk), stages):
                on.load_left(A, by * bm, k * on.bk, A_s)
                on.load_right(W, bx * bn, k * on.bk, Wi_s)
                on.load_right(W, F + bx * bn, k * on.bk, Wg_s)
                on.gemm(A_s, Wi_s, Ci, M - by * bm)
                on.gemm(A_s, Wg_s, Cg, M - by * bm)
            on.apply(lambda j, x, gate: scalar.gelu(x, cpu) * gate, M - by * bm, Ci, Cg)
            on.store(Ci, C, by * bm, bx * bn)

    return geglu
