"""The GPU specialisations of gemm and geglu become CUDA source on a host without a GPU, and the CPU ones C."""

import pytest
import torch

from layabridge.compile import ARCHITECTURES, lower_c, lower_cuda
from layabridge.errors import CompileFailed, InvalidArgument, UnsupportedHere
from layabridge.kernels import DTYPES, gemm_geglu_kernel, gemm_kernel

TENSOR_CORE = {"sm_80": "mma_sync", "sm_89": "mma_sync", "sm_90a": "wgmma"}


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("factory", "args", "options"),
    [(gemm_kernel, (129, 56), {"bias": True, "act": "gelu"}), (gemm_geglu_kernel, (70, 40), {})],
    ids=["gemm", "geglu"],
)
def test_lowers_to_cuda_with_tensor_cores(factory, args, options, dtype, arch):
    source = lower_cuda(factory, *args, **options, dtype=dtype, arch=arch)
    assert "__global__" in source
    assert TENSOR_CORE[arch] in source
    assert {"bfloat16": "bfloat16_t", "float16": "half_t"}[dtype] in source
    assert "erff(" in source


def test_no_products_leave_the_epilogue():
    source = lower_cuda(gemm_kernel, 70, 0, bias=True, act="relu", arch="sm_80")
    assert "bias" in source


def test_unknown_architecture_is_refused():
    with pytest.raises(InvalidArgument, match="arch must be one of sm_80, sm_89, sm_90a, got 'sm_75'"):
        lower_cuda(gemm_kernel, 64, 64, arch="sm_75")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8"])
def test_dtypes_that_are_not_for_the_gpu_are_value_errors(dtype):
    with pytest.raises(ValueError, match=f"dtype must be one of 'bfloat16', 'float16', got '{dtype}'"):
        gemm_kernel(64, 64, dtype=dtype)
    with pytest.raises(ValueError, match="dtype must be one of"):
        lower_cuda(gemm_geglu_kernel, 64, 64, dtype=dtype)


def test_sixteen_bit_cpu_kernels_are_what_the_target_can_do():
    A, W, C = torch.randn(5, 24).half(), torch.randn(10, 24).half(), torch.empty(5, 10).half()
    gemm_kernel(10, 24, cpu=True, dtype="float16")(A, W, torch.empty(10), C)
    torch.testing.assert_close(C.float(), A.float() @ W.float().T, rtol=0, atol=2e-2)
    with pytest.raises(CompileFailed, match="Cannot convert type bfloat16 to C type"):
        gemm_kernel(10, 24, cpu=True)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_the_default_says_so():
    with pytest.raises(UnsupportedHere, match="gemm_kernel compiles for a CUDA GPU, and there is none"):
        gemm_kernel(64, 64)


def test_lowers_to_c():
    assert "float* A, float* C, float* W, float* bias, int32_t M" in lower_c(gemm_kernel, 8, 8, bias=True)
