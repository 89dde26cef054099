"""rope on the CPU: pairs, signs and positions, and V left alone."""

import pytest
import torch

from layabridge import kernels as K
from layabridge.errors import InvalidArgument, InvalidTensor

H, Dh = 2, 6


@pytest.fixture(scope="module")
def kernel():
    return K.compile_cpu(K.rope_kernel, H, Dh)


def table(L):
    angle = torch.arange(1, L + 1)[:, None] * torch.tensor([1.0, 0.3, 0.05])
    return angle.cos(), angle.sin()


def test_every_value_by_hand(kernel):
    L, M = 3, 7  # positions wrap twice
    cos, sin = table(L)
    QKV = torch.arange(M * 3 * H * Dh, dtype=torch.float32).view(M, -1) / 64
    before = QKV.clone()
    kernel(QKV, cos, sin)
    for row in range(M):
        for head in range(2 * H):
            for d in range(Dh // 2):
                a, b = (before[row, head * Dh + d + half * Dh // 2].item() for half in (0, 1))
                c, s = cos[row % L, d].item(), sin[row % L, d].item()
                assert QKV[row, head * Dh + d].item() == pytest.approx(a * c - b * s, abs=2e-6)
                assert QKV[row, head * Dh + d + Dh // 2].item() == pytest.approx(b * c + a * s, abs=2e-6)


def test_v_is_bit_identical(kernel):
    QKV = torch.randn(7, 3 * H * Dh)
    QKV[2, -1] = torch.nan
    bits = QKV[:, 2 * H * Dh :].clone().view(torch.int32)
    kernel(QKV, *table(3))
    assert torch.equal(QKV[:, 2 * H * Dh :].contiguous().view(torch.int32), bits)


def test_tables_that_disagree_are_refused(kernel):
    cos, sin = table(5)
    with pytest.raises(InvalidTensor, match="tensor sin has L = 4, but tensor cos has L = 5"):
        kernel(torch.zeros(7, 3 * H * Dh), cos, sin[:4].clone())


def test_no_rows_is_fine(kernel):
    kernel(torch.zeros(0, 3 * H * Dh), *table(5))


def test_odd_head_width_is_refused():
    with pytest.raises(InvalidArgument, match="Dh must be even, got 7"):
        K.compile_cpu(K.rope_kernel, 2, 7)
