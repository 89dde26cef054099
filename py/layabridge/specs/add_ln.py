"""add_ln: cases, tolerances and inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F

from layabridge import reference
from layabridge.kernels.add_ln import add_ln_kernel
from layabridge.spec import Case, KernelSpec, TensorSpec


def _case(M: int, D: int, residual: bool, bias: bool, values: str = "normal", **more: Any) -> Case:
    parts = [f"{M}x{D}", *(["residual"] if residual else []), *(["bias"] if bias else [])]
    name = "-".join([*parts, *([values] if values != "normal" else [])])
    return Case(name, {"M": M, "D": D}, {"residual": residual, "bias": bias}, values, **more)


# M is dynamic: the cases of one (D, residual, bias) share a compiled kernel.
CASES = (
    *(_case(M, 96, True, True) for M in (0, 1, 17, 65)),
    _case(17, 96, True, True, "large", note="a residual stream of 3e4"),
    _case(17, 96, True, False),
    _case(17, 96, False, True),
    _case(17, 96, False, False),
    _case(17, 96, False, False, "large"),
    *(_case(M, 45, True, False) for M in (1, 33)),
    _case(33, 45, True, False, "large", note="a residual stream of 3e4, and D no multiple of a vector"),
    _case(5, 1, True, True, "offset", note="a row of one column has no spread: Y = b"),
    _case(64, 768, True, True),
    _case(64, 768, True, True, "large"),
    _case(16, 96, True, True, "tiny", note="a spread below eps, so that eps decides"),
)


def _arguments(case: Case) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return (case.sizes["D"],), dict(case.options)


def _inputs(case: Case, generator: torch.Generator) -> dict[str, torch.Tensor]:
    """Normal values; "large" scales X by 3e4, "tiny" X and R by 1e-3, "offset" puts b at 3. R and b are NaN where their
    option is off."""
    M, D = case.sizes["M"], case.sizes["D"]
    scale_x, scale_r = {"large": (3e4, 1.0), "tiny": (1e-3, 1e-3)}.get(case.values, (1.0, 1.0))
    X = torch.randn(M, D, generator=generator) * scale_x
    R = torch.randn(M, D, generator=generator) * scale_r
    w, b = (torch.randn(D, generator=generator) for _ in range(2))
    if case.values == "offset":
        b += 3.0
    return {
        "X": X,
        "R": R if case.options["residual"] else torch.full((M, D), torch.nan),
        "w": w,
        "b": b if case.options["bias"] else torch.full((D,), torch.nan),
    }


def _reference(case: Case, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    R = tensors["R"] if case.options.get("residual", True) else None
    b = tensors["b"] if case.options.get("bias", False) else None
    X, Y = reference.add_ln(tensors["X"], R, tensors["w"], b)
    return {"X": X, "Y": Y}


def _torch(case: Case, tensors: Mapping[str, torch.Tensor]) -> torch.Tensor:
    X = tensors["X"].add_(tensors["R"]) if case.options["residual"] else tensors["X"]
    return F.layer_norm(X, (case.sizes["D"],), tensors["w"], tensors["b"] if case.options["bias"] else None)


SPEC = KernelSpec(
    name="add_ln",
    factory=add_ln_kernel,
    reference=_reference,
    tensors=(
        TensorSpec("X", "inout", "float32", ("M", "D")),
        TensorSpec("R", "in", "act", ("M", "D")),
        TensorSpec("w", "in", "float32", ("D",)),
        TensorSpec("b", "in", "float32", ("D",)),
        TensorSpec("Y", "out", "act", ("M", "D")),
    ),
    arguments=_arguments,
    inputs=_inputs,
    cases=CASES,
    tolerances={"X": 0.0, "Y": 2e-5},
    probe=Case("probe", {"M": 4, "D": 128}, {"residual": True, "bias": False}),
    upstream_max_abs_diff=1.07e-6,
    cuda_tolerances={"X": 0.0, "Y": 0.05},
    upstream_cuda_max_abs_diff=0.0156,
    torch=_torch,
    bench=(_case(512, 768, True, True),),
)
