"""attn on the CPU: what a query sees, rows without a key, logits far below any finite mask, bad tensors."""

import pytest
import torch

from layabridge import kernels as K
from layabridge import reference
from layabridge.errors import InvalidTensor

H, Dh = 2, 16


@pytest.fixture(scope="module")
def full():
    return K.compile_cpu(K.attn_kernel, None, None, H, Dh)


@pytest.fixture(scope="module")
def window3():
    return K.compile_cpu(K.attn_kernel, None, None, H, Dh, window=3)


def attend(kernel, QKV, lens):
    B, L = QKV.shape[:2]
    O = torch.full((B, L, H * Dh), torch.nan)  # noqa: E741
    kernel(QKV, torch.tensor(lens, dtype=torch.int32), O)
    return O


def qkv(B, L):
    return torch.randn(B, L, 3, H, Dh, generator=torch.Generator().manual_seed(1234))


def test_an_empty_sequence_gives_zero(full):
    O = attend(full, qkv(3, 17), [0, 17, 5])  # noqa: E741
    assert torch.equal(O[0], torch.zeros_like(O[0]))
    assert O[1:].abs().amin(dim=-1).gt(0).all()


def test_a_window_in_the_padding_gives_zero(window3):
    O = attend(window3, qkv(1, 100), [40])  # noqa: E741
    assert torch.equal(O[0, 43:], torch.zeros_like(O[0, 43:]))
    assert O[0, 42].abs().max() > 0  # key 39 is at distance 3


@pytest.mark.parametrize(("distance", "counts"), [(3, True), (4, False)])
@pytest.mark.parametrize("side", [-1, 1])
def test_window_is_inclusive(window3, distance, counts, side):
    QKV, i = qkv(1, 65), 32
    before = attend(window3, QKV, [65])
    QKV[0, i + side * distance, 2] += 100.0
    changed = not torch.equal(attend(window3, QKV, [65])[0, i], before[0, i])
    assert changed == counts


def test_low_logits_win_over_masked_keys():
    kernel = K.compile_cpu(K.attn_kernel, 1, 2, 1, 2)
    QKV = torch.zeros(1, 2, 3, 1, 2)
    QKV[0, 0, 0, 0] = torch.tensor([-20000.0, 0.0])
    QKV[0, :, 1, 0, 0] = torch.tensor([1.0, 0.0])
    QKV[0, :, 2, 0] = torch.tensor([[1.0, 1.0], [100.0, 100.0]])
    O = torch.full((1, 2, 2), torch.nan)  # noqa: E741
    kernel(QKV, torch.tensor([1], dtype=torch.int32), O)
    assert torch.equal(O, torch.ones_like(O))


def test_masked_keys_change_nothing(full):
    QKV = qkv(1, 65)
    before = attend(full, QKV, [40])
    QKV[0, 40:, 1:] = 1e30
    assert torch.equal(attend(full, QKV, [40])[0, :40], before[0, :40])


def test_nan_reaches_every_query_that_sees_it(full):
    QKV = qkv(1, 17)
    QKV[0, 5, 1, 0, 0] = torch.nan
    O = attend(full, QKV, [17])[0].view(17, H, Dh)  # noqa: E741
    assert O[:, 0].isnan().all()
    assert not O[:, 1].isnan().any()


def test_lens_are_clamped(full):
    QKV = qkv(2, 17)
    assert torch.equal(attend(full, QKV, [-3, 99]), attend(full, QKV, [0, 17]))


def test_static_equals_dynamic(full):
    QKV, lens = qkv(2, 65), [65, 30]
    static = K.compile_cpu(K.attn_kernel, 2, 65, H, Dh)
    assert torch.equal(attend(static, QKV, lens), attend(full, QKV, lens))


def test_agrees_with_the_reference_past_one_tile(full):
    QKV, lens = qkv(2, 100), torch.tensor([100, 33], dtype=torch.int32)
    torch.testing.assert_close(attend(full, QKV, lens.tolist()), reference.attn(QKV, lens), rtol=0, atol=2e-5)


def test_lens_that_disagree_are_refused(full):
    with pytest.raises(InvalidTensor, match="tensor lens has B = 3, but tensor QKV has B = 2"):
        attend(full, qkv(2, 17), [1, 2, 3])


def test_no_batch_is_fine(full):
    assert attend(full, qkv(0, 17), []).shape == (0, 17, H * Dh)
