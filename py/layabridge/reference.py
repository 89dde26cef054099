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


def add_ln(
    X: torch.Tensor,
    R: torch.Tensor | None,
    w: torch.Tensor,
    b: torch.Tensor | None = None,
    eps: float = 1e-5,
) -> tuple[torch.Tensor, torch.Tensor]:
    """(S, Y): S[M, D] = X + R (X where R is None) and Y[M, D] = LayerNorm(S) * w[D] (+ b[D]), biased variance + eps."""
    S = X.clone() if R is None else X + R
    return S, F.layer_norm(S, (S.shape[1],), w, b, eps)


def rope(QKV: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, H: int, Dh: int) -> torch.Tensor:
    """QKV[M, 3*H*Dh] with each Q and K head (a, b) as (a*cos - b*sin, b*cos + a*sin); row r stands at r % L, cos being
    [L, Dh/2]."""
    M, L = QKV.shape[0], cos.shape[0]
    heads = QKV.view(M, 3, H, Dh)
    position = torch.arange(M) % L
    c, s = cos[position][:, None, None, :], sin[position][:, None, None, :]
    a, b = heads[:, :2].chunk(2, dim=-1)
    out = heads.clone()
    out[:, :2] = torch.cat((a * c - b * s, b * c + a * s), dim=-1)
    return out.view(M, 3 * H * Dh)


def attn(QKV: torch.Tensor, lens: torch.Tensor, window: int = 0) -> torch.Tensor:
    """softmax(Q·Kᵀ/√Dh)·V of QKV[B, L, 3, H, Dh] as [B, L, H*Dh], over keys j < lens[b] and, with window > 0, |i - j|
    <= window.

    Every query is computed, padded ones too; one that sees no key gives 0.
    """
    B, L, _, H, Dh = QKV.shape
    q, k, v = QKV.permute(2, 0, 3, 1, 4)
    position = torch.arange(L)
    visible = (position < lens[:, None])[:, None, None, :].expand(B, 1, L, L)
    if window > 0:
        visible = visible & ((position[:, None] - position).abs() <= window)
    scores = (q @ k.transpose(-1, -2) / Dh**0.5).masked_fill(~visible, -torch.inf)
    weights = torch.softmax(scores, dim=-1).masked_fill(~visible.any(dim=-1, keepdim=True), 0.0)
    return (weights @ v).transpose(1, 2).reshape(B, L, H * Dh)
