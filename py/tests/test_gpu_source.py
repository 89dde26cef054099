"""Kernels as CUDA source and as cubins, on a host without a GPU."""

import functools
import importlib

import pytest

from layabridge import cubin
from layabridge.compile import ARCHITECTURES
from layabridge.errors import CompileFailed, InvalidArgument, UnknownOp, UnsupportedHere
from layabridge.kernels import DTYPES, gemm_kernel
from layabridge.ops import inspection
from layabridge.specs import KERNELS

LOG = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'gemm_kernel' for 'sm_90a'
ptxas info    : Function properties for gemm_kernel
    16 bytes stack frame, 8 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem
"""


@functools.cache
def missing():
    """Why there is no nvcc; empty when there is one."""
    try:
        cubin.nvcc()
    except UnsupportedHere as error:
        return str(error)
    return ""


@pytest.fixture
def nvcc():
    if missing():
        pytest.skip(missing())


@pytest.mark.parametrize(
    ("kernel", "dtype", "arch"),
    [(name, "bfloat16", "sm_90a") for name in KERNELS] + [("attn", "float16", "sm_80"), ("gemm", "float16", "sm_89")],
)
def test_kernels_become_cubins_that_spill_nothing_and_fit(nvcc, kernel, dtype, arch, tmp_path):
    file = tmp_path / "kernel.cubin"
    made = inspection.build(kernel=kernel, case="", arch=arch, dtype=dtype, keep=str(file))
    assert file.read_bytes()[:4] == b"\x7fELF"
    assert made["cubin_bytes"] == file.stat().st_size
    assert 0 < made["registers"] <= 255
    assert made["spill_store_bytes"] == made["spill_load_bytes"] == 0
    assert made["reason"] == ""
    assert made["threads"] % 32 == 0


def test_the_whole_table_is_named():
    assert set(cubin.SHARED_LIMIT_BYTES) == set(ARCHITECTURES)
    assert DTYPES == ("bfloat16", "float16")


def test_tiles_that_no_block_can_hold_are_named(nvcc):
    made = cubin.build(gemm_kernel, 128, 256, bm=128, bn=128, bk=64, stages=4, arch="sm_89")
    assert made.too_big == f"needs {128 << 10} bytes of shared memory, sm_89 has {99 << 10}"


def test_what_nvcc_refuses_is_said(nvcc):
    with pytest.raises(CompileFailed, match=r'nvcc ended with status \d+: .*identifier "nonsense" is undefined'):
        cubin._compile(cubin.nvcc(), 'extern "C" __global__ void f(int* x) { *x = nonsense; }', "sm_80")


def test_the_log_of_ptxas_is_read():
    assert cubin.usage(LOG) == cubin.Usage(168, 16, 8, 24, 1024)
    assert cubin.usage(LOG.replace(", 1024 bytes smem", "")).shared_bytes == 0
    with pytest.raises(InvalidArgument, match="expected registers and spills"):
        cubin.usage("nothing")


def test_without_nvcc_it_says_what_works(monkeypatch, tmp_path):
    monkeypatch.setattr(importlib.import_module("tilelang.env"), "CUDA_HOME", str(tmp_path))
    with pytest.raises(UnsupportedHere, match="install the extra cuda-build of layabridge, or set CUDA_HOME"):
        cubin.build(gemm_kernel, 128, 64)


def test_unknown_kernels_and_architectures_are_refused(nvcc):
    with pytest.raises(UnknownOp, match="no kernel 'nope'"):
        inspection.build(kernel="nope", case="", arch="sm_90a", dtype="bfloat16")
    with pytest.raises(InvalidArgument, match="arch must be one of sm_80, sm_89, sm_90a, got 'sm_75'"):
        inspection.build(kernel="rope", case="", arch="sm_75", dtype="bfloat16")
