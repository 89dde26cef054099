"""What the kernels compute, in plain PyTorch and fp32: one function a kernel, inputs left as they are."""

from __future__ import annotations

import torch
import torch.nn.functional as F

_ACTIVATIONS = {"none": lambda x: x, "gelu": F.gelu, "relu": F.relu}


def gemm(A: torch.Tensor, W: torch.Tensor, bias: torch.Tensor | None = None, act: str = "none") -> torch.Tensor:
    """act(A[M, K] · W[N, K]ᵀ + bias[N]) as [M, N]; act is "none", "gelu" (exact) or "relu"."""
    return _ACTIVATIONS[act](F.linear(A, W, bias))


def geglu(A: torch.Tensor, W: torch.Tensor) -> torch.Tensor:
    """gelu(A[M, K] · W[:F]ᵀ) * (A · W[F:]ᵀ) as [M, F], W being [2F, K]; gelu is the exact form."""
    gate, up = F.linear(A, W).chunk(2, dim=-1)
    return F.gelu(gate) * up
