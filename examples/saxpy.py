"""A kernel of one's own, validated like the built-in ones:

layactl validate --ops examples/saxpy.py
"""

import torch

from layabridge.kernels.factory import check_dtype, check_sizes, factory
from layabridge.spec import Case, KernelSpec, TensorSpec


@factory()
def saxpy_kernel(N: int, alpha: float = 1.0, threads: int = 128, dtype: str = "bfloat16", *, cpu: bool = False):
    """Y[M, N] += alpha * X[M, N], in fp32; M dynamic. Call order X, Y."""
    check_sizes(N=N, threads=threads)
    check_dtype(dtype, cpu)
    import tilelang.language as T

    from layabridge.kernels.tile import Dialect

    on = Dialect(cpu)
    M = T.dynamic("M")

    @T.prim_func
    def saxpy(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=on.threads(threads)) as row:
            for j in on.parallel(N):
                Y[row, j] = T.cast(T.cast(Y[row, j], "float32") + alpha * T.cast(X[row, j], "float32"), dtype)

    return saxpy


KERNELS = [
    KernelSpec(
        name="saxpy",
        factory=saxpy_kernel,
        tensors=(TensorSpec("X", "in", "act", ("M", "N")), TensorSpec("Y", "inout", "act", ("M", "N"))),
        arguments=lambda case: ((case.sizes["N"],), dict(case.options)),
        inputs=lambda case, generator: {
            name: torch.randn(case.sizes["M"], case.sizes["N"], generator=generator) for name in "XY"
        },
        reference=lambda case, t: {"Y": t["Y"] + case.options["alpha"] * t["X"]},
        cases=tuple(Case(f"{M}x{N}", {"M": M, "N": N}, {"alpha": 0.5}) for M, N in ((1, 70), (17, 70), (0, 70))),
        tolerances={"Y": 1e-6},
        probe=Case("probe", {"M": 16, "N": 64}, {"alpha": 0.5}),
    )
]
