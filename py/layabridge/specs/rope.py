"""rope: cases, tolerance and inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from layabridge import reference
from layabridge.kernels.rope import rope_kernel
from layabridge.spec import Case, KernelSpec, TensorSpec


def _case(M: int, L: int, H: int, Dh: int, values: str = "normal", **more: Any) -> Case:
    name = f"{M}x{H}x{Dh}-L{L}{'' if values == 'normal' else '-' + values}"
    return Case(name, {"M": M, "L": L, "H": H, "Dh": Dh}, {}, values, **more)


# M and L are dynamic: the cases of one (H, Dh) share a compiled kernel.
CASES = (
    *(_case(M, L, 2, 64) for M, L in ((0, 4), (1, 1), (17, 17), (65, 64), (65, 13))),
    _case(34, 17, 2, 64, "distinct", note="every value is its own column's number: a wrong pair or sign shows"),
    _case(7, 3, 3, 6, note="positions wrap twice, and a half head is no whole vector"),
    _case(5, 8, 3, 6, "distinct", note="fewer rows than positions"),
    _case(4, 2, 1, 2),
    _case(256, 128, 12, 64),
)


def _arguments(case: Case) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (case.sizes["H"], case.sizes["Dh"]), dict(case.options)


def _inputs(case: Case, generator: torch.Generator) -> dict[str, torch.Tensor]:
    """Normal values, or the column's number mod 97 minus 48 for "distinct"; angles position / 10000^(2d/Dh)."""
    M, L, H, Dh = (case.sizes[letter] for letter in ("M", "L", "H", "Dh"))
    columns = 3 * H * Dh
    if case.values == "distinct":
        QKV = (torch.arange(columns) % 97 - 48).float().expand(M, columns) / 32
    else:
        QKV = torch.randn(M, columns, generator=generator)
    frequency = 10_000.0 ** (-2 * torch.arange(Dh // 2) / Dh)
    angle = (torch.arange(L)[:, None] + 1) * frequency  # from 1 on: position 0 would rotate by nothing
    return {"QKV": QKV, "cos": angle.cos(), "sin": angle.sin()}


def _reference(case: Case, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {"QKV": reference.rope(tensors["QKV"], tensors["cos"], tensors["sin"], case.sizes["H"], case.sizes["Dh"])}


SPEC = KernelSpec(
    name="rope",
    factory=rope_kernel,
    reference=_reference,
    tensors=(
        TensorSpec("QKV", "inout", "act", ("M", "3*H*Dh")),
        TensorSpec("cos", "in", "float32", ("L", "Dh/2")),
        TensorSpec("sin", "in", "float32", ("L", "Dh/2")),
    ),
    arguments=_arguments,
    inputs=_inputs,
    cases=CASES,
    tolerances={"QKV": 2e-6},
    probe=Case("probe", {"M": 32, "L": 32, "H": 2, "Dh": 64}),
    upstream_max_abs_diff=0.0,
    cuda_tolerances={"QKV": 0.05},
    upstream_cuda_max_abs_diff=0.0130,
    bench=(_case(256, 128, 12, 64),),
)
