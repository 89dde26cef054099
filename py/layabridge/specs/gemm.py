"""gemm: cases, tolerance and inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from layabridge import reference
from layabridge.kernels.gemm import gemm_kernel
from layabridge.spec import Case, KernelSpec, TensorSpec


def _case(M: int, N: int, K: int, act: str, bias: bool, values: str = "normal", **more: Any) -> Case:
    name = f"{M}x{N}x{K}-{act}{'-bias' if bias else ''}{'' if values == 'normal' else '-' + values}"
    return Case(name, {"M": M, "N": N, "K": K}, {"bias": bias, "act": act}, values, **more)


# M is dynamic: the cases of one (N, K, act, bias) share a compiled kernel.
CASES = (
    *(_case(M, 70, 24, "gelu", True) for M in (1, 17, 65)),
    _case(33, 70, 24, "gelu", True, "wide", note="arguments of gelu from its zero tail to its linear part"),
    *(_case(M, 104, 40, "relu", True) for M in (1, 17, 65)),
    _case(17, 104, 40, "relu", True, "nan", expects_nan=True, note="relu of NaN is NaN, as in torch"),
    *(_case(M, 129, 56, "none", True) for M in (1, 17, 65)),
    _case(17, 104, 24, "gelu", False),
    _case(65, 70, 56, "relu", False),
    *(_case(M, 129, 40, "none", False) for M in (0, 1, 65)),
    _case(65, 129, 40, "none", False, "integers", tolerances={"C": 0.0}, note="every product and sum is exact"),
    _case(17, 70, 0, "gelu", True, note="no products: act(bias)"),
    *(_case(M, 768, 768, "none", False) for M in (16, 128)),
    _case(131, 771, 515, "gelu", True),
    _case(512, 2304, 768, "gelu", True),
)


def _arguments(case: Case) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (case.sizes["N"], case.sizes["K"]), dict(case.options)


def _inputs(case: Case, generator: torch.Generator) -> dict[str, torch.Tensor]:
    """Normal values, W scaled so that outputs are of size 1.

    "wide" makes them of size 3; "integers" are small whole numbers, so that every output is exact in 16 bits too; "nan"
    puts a NaN into every other row of A. A bias that is switched off is NaN throughout: it must not be read.
    """
    M, N, K = (case.sizes[letter] for letter in "MNK")
    if case.values == "integers":
        A, W = (torch.randint(-2, 3, (rows, K), generator=generator).float() for rows in (M, N))
    else:
        A = torch.randn(M, K, generator=generator) * (3.0 if case.values == "wide" else 1.0)
        W = torch.randn(N, K, generator=generator) * max(K, 1) ** -0.5
    if case.values == "nan":
        A[::2, K // 2] = torch.nan
    bias = torch.randn(N, generator=generator) if case.options["bias"] else torch.full((N,), torch.nan)
    return {"A": A, "W": W, "bias": bias}


def _reference(case: Case, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    bias = tensors["bias"] if case.options.get("bias") else None
    return {"C": reference.gemm(tensors["A"], tensors["W"], bias, case.options.get("act", "none"))}


SPEC = KernelSpec(
    name="gemm",
    factory=gemm_kernel,
    reference=_reference,
    tensors=(
        TensorSpec("A", "in", "act", ("M", "K")),
        TensorSpec("W", "in", "act", ("N", "K")),
        TensorSpec("bias", "in", "float32", ("N",)),
        TensorSpec("C", "out", "act", ("M", "N")),
    ),
    arguments=_arguments,
    inputs=_inputs,
    cases=CASES,
    tolerances={"C": 2e-5},
    probe=Case("probe", {"M": 128, "N": 128, "K": 64}, {"bias": False, "act": "none"}),
    upstream_max_abs_diff=2.38e-7,
    cuda_tolerances={"C": 0.05},
    upstream_cuda_max_abs_diff=0.00771,
    bench=(
        _case(16, 768, 768, "none", False),
        _case(128, 768, 768, "none", False),
        _case(512, 2304, 768, "gelu", True),
    ),
)
