"""attn: cases, tolerance and inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F

from layabridge import reference
from layabridge.kernels.attn import attn_kernel
from layabridge.spec import Case, KernelSpec, TensorSpec


def _case(
    L: int,
    lens: tuple[int, ...],
    H: int,
    Dh: int,
    window: int = 0,
    values: str = "normal",
    static: str = "",
    note: str = "",
) -> Case:
    sizes = {"B": len(lens), "L": L, "H": H, "Dh": Dh}
    options = {"window": window, "lens": lens}
    parts = [f"{len(lens)}x{L}x{H}x{Dh}", *([f"w{window}"] if window else []), *([f"static{static}"] if static else [])]
    if any(n != L for n in lens):
        parts.append("lens" + "_".join(map(str, lens)))
    name = "-".join([*parts, *([values] if values != "normal" else [])])
    return Case(name, sizes, options, values, tuple(static), note=note)


# Dynamic B and L: the cases of one (H, Dh, window) share a compiled kernel.
CASES = (
    *(_case(L, (L,), 2, 16) for L in (1, 17, 65)),
    _case(100, (100, 33), 2, 16),
    _case(17, (0, 17, 5), 2, 16, note="an empty sequence gives 0"),
    _case(65, (64, 65, 1), 2, 16, note="lengths at the edge of a tile"),
    _case(8, (), 2, 16, note="no sequence at all"),
    _case(
        33, (33, 20), 2, 16, values="low", note="real logits far below any finite mask value still win over masked keys"
    ),
    *(_case(L, (L,), 2, 16, 3) for L in (3, 4, 5, 65)),
    _case(100, (100, 40), 2, 16, 3, note="windows that lie in the padding give 0"),
    _case(17, (0, 9), 2, 16, 3),
    _case(70, (70, 31), 2, 16, 64, note="a window at most two tiles wide"),
    _case(40, (40, 1), 3, 10, 1),
    _case(65, (65, 30), 2, 16, static="BL"),
    _case(65, (65, 30), 2, 16, 3, static="L"),
    *(_case(128, (128, 77), 12, 64, window) for window in (0, 64)),
)


def _arguments(case: Case) -> tuple[tuple[Any, ...], dict[str, Any]]:
    B, L = (case.sizes[letter] if letter in case.static else None for letter in "BL")
    return (B, L, case.sizes["H"], case.sizes["Dh"]), {"window": case.options["window"]}


def _inputs(case: Case, generator: torch.Generator) -> dict[str, torch.Tensor]:
    """Normal values; "low" makes every visible logit about -2e4 / √Dh and gives masked keys the logit 0 and a large
    value."""
    B, L, H, Dh = (case.sizes[letter] for letter in ("B", "L", "H", "Dh"))
    QKV = torch.randn(B, L, 3, H, Dh, generator=generator)
    lens = torch.tensor(case.options["lens"], dtype=torch.int32)
    if case.values == "low":
        masked = torch.arange(L) >= lens[:, None]
        QKV[:, :, 0], QKV[:, :, 1] = 0.0, 0.0
        QKV[:, :, 0, :, 0] = -2e4
        QKV[:, :, 1, :, 0] = (~masked).float()[:, :, None]
        QKV[:, :, 2][masked] = 100.0
    return {"QKV": QKV, "lens": lens}


def _reference(case: Case, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {"O": reference.attn(tensors["QKV"], tensors["lens"], case.options["window"])}


def _torch(case: Case, tensors: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """Scaled dot product attention, without a mask where none is needed."""
    QKV, lens, window = tensors["QKV"], tensors["lens"], case.options["window"]
    L = QKV.shape[1]
    q, k, v = QKV.permute(2, 0, 3, 1, 4)
    position = torch.arange(L)
    mask = None
    if window or bool((lens < L).any()):
        mask = (position < lens[:, None])[:, None, None, :].expand(-1, 1, L, -1)
    if window:
        mask = mask & ((position[:, None] - position).abs() <= window)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


SPEC = KernelSpec(
    name="attn",
    factory=attn_kernel,
    reference=_reference,
    tensors=(
        TensorSpec("QKV", "in", "act", ("B", "L", 3, "H", "Dh")),
        TensorSpec("lens", "in", "int32", ("B",)),
        TensorSpec("O", "out", "act", ("B", "L", "H*Dh")),
    ),
    arguments=_arguments,
    inputs=_inputs,
    cases=CASES,
    tolerances={"O": 2e-5},
    probe=Case("probe", {"B": 1, "L": 64, "H": 2, "Dh": 64}, {"window": 0, "lens": (64,)}, static=("B", "L")),
    upstream_max_abs_diff=5.96e-7,
    cuda_tolerances={"O": 0.02},
    upstream_cuda_max_abs_diff=0.00378,
    torch=_torch,
    bench=tuple(_case(128, (128, 128), 12, 64, window) for window in (0, 64)),
)
