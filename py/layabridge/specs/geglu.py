"""geglu: cases, tolerance and inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from layabridge import reference
from layabridge.kernels.geglu import gemm_geglu_kernel
from layabridge.spec import Case, KernelSpec, TensorSpec


def _case(M: int, F: int, K: int, values: str = "normal", **more: Any) -> Case:
    name = f"{M}x{F}x{K}{'' if values == 'normal' else '-' + values}"
    return Case(name, {"M": M, "F": F, "K": K}, {}, values, **more)


# M is dynamic: the cases of one (F, K) share a compiled kernel.
CASES = (
    *(_case(M, 70, 24) for M in (1, 17, 65)),
    _case(33, 70, 24, "wide", note="arguments of gelu from its zero tail to its linear part"),
    _case(17, 104, 40),
    *(_case(M, 129, 56) for M in (0, 1, 17, 65)),
    *(_case(M, 1152, 768) for M in (128, 131)),
)


def _arguments(case: Case) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (case.sizes["F"], case.sizes["K"]), dict(case.options)


def _inputs(case: Case, generator: torch.Generator) -> dict[str, torch.Tensor]:
    """Normal values, W scaled so that both products are of size 1; "wide": the gate's of size 6, the other of 1/4."""
    M, F, K = (case.sizes[letter] for letter in "MFK")
    A = torch.randn(M, K, generator=generator)
    W = torch.randn(2 * F, K, generator=generator) * max(K, 1) ** -0.5
    if case.values == "wide":
        W[:F] *= 6.0
        W[F:] *= 0.25
    return {"A": A, "W": W}


def _reference(case: Case, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {"C": reference.geglu(tensors["A"], tensors["W"])}


SPEC = KernelSpec(
    name="geglu",
    factory=gemm_geglu_kernel,
    reference=_reference,
    tensors=(
        TensorSpec("A", "in", "act", ("M", "K")),
        TensorSpec("W", "in", "act", ("2*F", "K")),
        TensorSpec("C", "out", "act", ("M", "F")),
    ),
    arguments=_arguments,
    inputs=_inputs,
    cases=CASES,
    tolerances={"C": 2e-5},
    probe=Case("probe", {"M": 64, "F": 64, "K": 64}),
    upstream_max_abs_diff=2.98e-8,
    cuda_tolerances={"C": 0.05},
    upstream_cuda_max_abs_diff=0.000208,
    bench=(_case(128, 1152, 768),),
)
