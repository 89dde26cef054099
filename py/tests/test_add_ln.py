"""add_ln on the CPU: exact residual stream, LayerNorm within tolerance, bad tensors refused before any is touched."""

import pytest
import torch
import torch.nn.functional as F

from layabridge import kernels as K
from layabridge.errors import InvalidArgument, InvalidTensor

M, D = 17, 96


@pytest.fixture(scope="module")
def kernel():
    return K.compile_cpu(K.add_ln_kernel, D, residual=True, bias=True)


def tensors(rows=M, columns=D):
    generator = torch.Generator().manual_seed(1234)
    make = lambda *shape: torch.randn(*shape, generator=generator)  # noqa: E731
    return (
        make(rows, columns),
        make(rows, columns),
        make(columns),
        make(columns),
        torch.full((rows, columns), torch.nan),
    )


def test_residual_stream_of_3e4_is_exact(kernel):
    X, R, w, b, Y = tensors()
    X *= 3e4
    expected = X + R
    kernel(X, R, w, b, Y)
    assert torch.equal(X, expected)
    torch.testing.assert_close(Y, F.layer_norm(expected, (D,), w, b), rtol=0, atol=2e-5)


def test_inputs_stay_as_they_are(kernel):
    X, R, w, b, Y = tensors()
    before = [t.clone() for t in (R, w, b)]
    kernel(X, R, w, b, Y)
    assert all(torch.equal(t, old) for t, old in zip((R, w, b), before, strict=True))


def test_nan_in_a_row_stays_in_that_row(kernel):
    X, R, w, b, Y = tensors()
    X[3, 5] = torch.nan
    kernel(X, R, w, b, Y)
    assert Y[3].isnan().all()
    assert not torch.cat((Y[:3], Y[4:])).isnan().any()


@pytest.mark.parametrize(("index", "name"), [(1, "R"), (4, "Y")])
def test_rows_that_disagree_are_refused_untouched(kernel, index, name):
    given = list(tensors())
    given[index] = given[index][:5].clone()
    before = given[0].clone()
    with pytest.raises(InvalidTensor, match=f"tensor {name} has M = 5, but tensor X has M = {M}"):
        kernel(*given)
    assert torch.equal(given[0], before)


def test_overlapping_tensors_are_refused(kernel):
    X, R, w, b, Y = tensors()
    with pytest.raises(InvalidTensor, match="tensor X is written and shares memory with tensor R"):
        kernel(X, X, w, b, Y)
    with pytest.raises(InvalidTensor, match="shares memory"):
        kernel(X, R, w, b, X)
    long = torch.zeros(2 * M, D)
    with pytest.raises(InvalidTensor, match="shares memory"):
        kernel(long[:M], R, w, b, long[1 : M + 1])


def test_an_in_place_operand_is_never_copied(kernel):
    X, R, w, b, Y = tensors(M, 2 * D)
    with pytest.raises(InvalidTensor, match="tensor X must be contiguous"):
        kernel(X[:, ::2], R[:, :D].contiguous(), w[:D].contiguous(), b[:D].contiguous(), Y[:, :D].contiguous())


def test_no_rows_is_fine(kernel):
    kernel(*tensors(rows=0))


def test_bad_options():
    for options, text in [
        ({"D": 0}, "D must be"),
        ({"D": 8, "eps": -1.0}, "eps"),
        ({"D": 8, "dtype": "float32"}, "dtype"),
    ]:
        with pytest.raises((InvalidArgument, ValueError), match=text):
            K.add_ln_kernel.get_tir(**options)
