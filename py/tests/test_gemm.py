"""gemm and geglu on the CPU: what happens at the edges, and which tensors and options are refused."""

import math
import threading

import pytest
import torch
import torch.nn.functional as F

from layabridge import kernels as K
from layabridge.compile import compile_kernel
from layabridge.errors import InvalidArgument, InvalidTensor

N, DEPTH = 70, 24


@pytest.fixture(scope="module")
def gelu():
    return K.compile_cpu(K.gemm_kernel, N, DEPTH, bias=True, act="gelu")


@pytest.fixture(scope="module")
def relu():
    return K.compile_cpu(K.gemm_kernel, 104, 40, bias=True, act="relu")


@pytest.fixture(scope="module")
def geglu():
    return K.compile_cpu(K.gemm_geglu_kernel, N, DEPTH)


def tensors(M=7):
    generator = torch.Generator().manual_seed(1234)
    make = lambda *shape: torch.randn(*shape, generator=generator)  # noqa: E731
    return make(M, DEPTH), make(N, DEPTH), make(N), torch.full((M, N), torch.nan)


def test_rows_that_disagree_are_refused_untouched(gelu):
    A, W, bias, _ = tensors(7)
    memory = torch.full((9, N), 5.0)
    with pytest.raises(InvalidTensor, match="tensor C has M = 5, but tensor A has M = 7"):
        gelu(A, W, bias, memory[:5])
    assert (memory == 5.0).all()


def test_one_kernel_serves_every_number_of_rows(gelu):
    for M in (0, 1, 15, 16, 17, 32, 33, 127, 128, 129, 300):
        A, W, bias, C = tensors(M)
        gelu(A, W, bias, C)
        torch.testing.assert_close(C, F.gelu(F.linear(A, W, bias)), rtol=0, atol=2e-5)


def test_nothing_is_written_past_the_output(gelu):
    A, W, bias, _ = tensors(17)
    memory = torch.full((19, N), 5.0)
    gelu(A, W, bias, memory[1:18])
    assert (memory[0] == 5.0).all()
    assert (memory[18] == 5.0).all()


def test_no_rows_is_an_empty_result(gelu, geglu):
    A, W, bias, C = tensors(0)
    gelu(A, W, bias, C)
    geglu(A, torch.randn(2 * N, DEPTH), C)
    assert C.shape == (0, N)


def test_a_size_of_zero_with_outputs_to_compute_is_refused():
    kernel = K.compile_cpu(K.rope_kernel, 2, 8)
    with pytest.raises(InvalidTensor, match="tensor cos has L = 0, but there are outputs to compute"):
        kernel(torch.randn(3, 48), torch.empty(0, 4), torch.empty(0, 4))


def test_size_one_dimensions_may_have_any_stride(gelu):
    A, W, bias, C = tensors(1)
    gelu(torch.as_strided(A, (1, DEPTH), (999, 1)), W, bias, C)
    torch.testing.assert_close(C, F.gelu(F.linear(A, W, bias)), rtol=0, atol=2e-5)


def test_no_products_give_the_epilogue():
    kernel = K.compile_cpu(K.gemm_kernel, N, 0, bias=True, act="gelu")
    _, _, bias, C = tensors(17)
    kernel(torch.empty(17, 0), torch.empty(N, 0), bias, C)
    torch.testing.assert_close(C, F.gelu(bias).expand(17, N), rtol=0, atol=1e-6)


@pytest.mark.parametrize("index", range(4))
def test_non_contiguous_tensors_are_refused_by_name(gelu, index):
    given = list(tensors())
    given[index] = torch.repeat_interleave(given[index], 2, dim=-1)[..., ::2]
    with pytest.raises(InvalidTensor, match=f"tensor {('A', 'W', 'bias', 'C')[index]} must be contiguous"):
        gelu(*given)


def test_output_that_shares_memory_is_refused():
    kernel = K.compile_cpu(K.gemm_kernel, 16, 16)
    memory = torch.randn(40, 16)
    A, W, bias, C = memory[:16], torch.randn(16, 16), torch.zeros(16), torch.empty(16, 16)
    for other in (A, memory[15:31]):
        with pytest.raises(InvalidTensor, match="tensor C is written and shares memory with tensor A"):
            kernel(A, W, bias, other)
    with pytest.raises(InvalidTensor, match="tensor C is written and shares memory with tensor W"):
        kernel(A, C, bias, C)
    kernel(A, A, bias, memory[16:32])  # inputs may be the same, and neighbours do not overlap


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda t: t[:3], "takes 4 tensors \\(A, W, bias, C\\), got 3"),
        (lambda t: [t[0].double(), *t[1:]], "tensor A must be float32, got float64"),
        (lambda t: [t[0], t[1].bfloat16(), *t[2:]], "tensor W must be float32, got bfloat16"),
        (lambda t: [t[0].to("meta"), *t[1:]], "tensor A must be on cpu, got meta"),
        (lambda t: [t[0][0], *t[1:]], r"tensor A must have shape \[M, 24\], got \[24\]"),
        (lambda t: [t[0], t[1][:5], *t[2:]], r"tensor W must have shape \[70, 24\], got \[5, 24\]"),
        (lambda t: [t[0].numpy(), *t[1:]], "tensor A must be a torch.Tensor, got ndarray"),
        (lambda t: [t[0].to_sparse(), *t[1:]], "tensor A must be a dense tensor"),
    ],
    ids=["count", "dtype", "dtype16", "device", "rank", "static", "type", "layout"],
)
def test_wrong_tensors_are_refused_before_and_after_right_ones(gelu, change, text):
    for _ in range(2):
        with pytest.raises((InvalidArgument, InvalidTensor), match=text):
            gelu(*change(list(tensors())))
        gelu(*tensors())


def test_relu_keeps_nan_and_infinity(relu):
    A, W, bias, C = torch.zeros(4, 40), torch.zeros(104, 40), torch.zeros(104), torch.full((4, 104), 7.0)
    bias[:5] = torch.tensor([math.nan, math.inf, -math.inf, -0.0, -1.0])
    relu(A, W, bias, C)
    assert torch.equal(C.nan_to_num(nan=-1.0), F.relu(bias).nan_to_num(nan=-1.0).expand(4, 104))
    assert C[:, 0].isnan().all()


def test_gelu_over_its_whole_range(geglu):
    kernel = K.compile_cpu(K.gemm_kernel, 1, 1, act="gelu")
    x = torch.cat([torch.linspace(-20, 20, 200_001), torch.tensor([math.inf, math.nan, 1e30, -1e30, 0.0])])
    C = torch.empty(len(x), 1)
    kernel(x[:, None].contiguous(), torch.ones(1, 1), torch.empty(1), C)
    exact = F.gelu(x.double()).nan_to_num(nan=0.0, posinf=1e30, neginf=-1e30)
    found = C[:, 0].double().nan_to_num(nan=0.0, posinf=1e30, neginf=-1e30)
    assert ((found - exact).abs() / exact.abs().clamp(min=1.0)).max() < 4e-7
    assert C[-4].isnan()


def test_user_tiles_compute_the_same(gelu):
    A, W, bias, C = tensors(37)
    for tiles in ({"bm": 20, "bn": 30, "bk": 10}, {"bm": 64, "bn": 128, "bk": 64}):
        K.compile_cpu(K.gemm_kernel, N, DEPTH, bias=True, act="gelu", **tiles)(A, W, bias, C.fill_(math.nan))
        torch.testing.assert_close(C, F.gelu(F.linear(A, W, bias)), rtol=0, atol=2e-5)


def test_tiles_too_big_for_the_stack_are_refused():
    with pytest.raises(InvalidArgument, match=r"bytes of the stack, the most is \d+: choose smaller tiles"):
        K.compile_cpu(K.gemm_kernel, 2048, 64, bm=1024, bn=2048)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"act": "tanh"}, "act must be one of 'none', 'gelu', 'relu', got 'tanh'"),
        ({"N": 0}, "N must be an integer of at least 1, got 0"),
        ({"K": -1}, "K must be an integer of at least 0, got -1"),
        ({"bm": 0}, "bm must be an integer of at least 1, got 0"),
        ({"N": 8.0}, "N must be an integer of at least 1, got 8.0"),
        ({"colour": 1}, "unexpected keyword argument 'colour'"),
        ({"dtype": "bfloat16"}, "CPU kernels are float32 only, got dtype='bfloat16'"),
        ({"cpu": False}, "a CPU kernel needs cpu=True"),
    ],
    ids=["act", "N", "K", "tile", "type", "unknown", "dtype", "cpu"],
)
def test_bad_options_are_one_sentence(options, text):
    with pytest.raises(InvalidArgument, match=text) as caught:
        K.compile_cpu(K.gemm_kernel, **{"N": 8, "K": 8, **options})
    assert "\n" not in str(caught.value)


def test_calling_the_factory_for_the_cpu_gives_the_same_kernel():
    kernel = K.gemm_kernel(16, 16, cpu=True, dtype="float32")
    assert kernel is K.gemm_kernel(16, 16, dtype="float32", cpu=True)
    A, W, C = torch.randn(5, 16), torch.randn(16, 16), torch.empty(5, 16)
    kernel(A, W, torch.empty(16), C)
    torch.testing.assert_close(C, A @ W.T, rtol=0, atol=2e-5)


def test_without_flags_it_computes_the_same(geglu):
    plain = compile_kernel(K.gemm_geglu_kernel, (N, DEPTH), flags=())
    assert plain.flags == ()
    assert "-O3" in geglu.flags
    A, _, _, C = tensors()
    W, D = torch.randn(2 * N, DEPTH) * DEPTH**-0.5, torch.empty_like(C)
    plain(A, W, C)
    geglu(A, W, D)
    torch.testing.assert_close(C, D, rtol=0, atol=2e-5)


def test_many_threads_share_one_kernel(gelu):
    A, W, bias, _ = tensors(129)
    expected = F.gelu(F.linear(A, W, bias))
    outputs = [torch.full((129, N), torch.nan) for _ in range(8)]
    threads = [threading.Thread(target=gelu, args=(A, W, bias, C)) for C in outputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for C in outputs:
        torch.testing.assert_close(C, expected, rtol=0, atol=2e-5)


def test_prepared_call_keeps_its_tensors(gelu):
    A, W, bias, C = tensors()
    run = gelu.prepare(A.clone(), W.clone(), bias.clone(), C)
    run()
    run()
    torch.testing.assert_close(C, F.gelu(F.linear(A, W, bias)), rtol=0, atol=2e-5)
