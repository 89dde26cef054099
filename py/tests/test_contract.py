"""The public names and signatures of the kernels, on which callers rely; TileLang is blocked."""

import subprocess
import sys
import textwrap

SIGNATURES = {
    "gemm_kernel": "(N, K, bias=False, act='none', bm=64, bn=128, bk=64, stages=3, threads=128, dtype='bfloat16', "
    "*, cpu=False)",
    "gemm_geglu_kernel": "(F, K, bm=64, bn=64, bk=64, stages=2, threads=128, dtype='bfloat16', *, cpu=False)",
    "add_ln_kernel": "(D, residual=True, bias=False, eps=1e-05, bm=4, threads=32, dtype='bfloat16', *, cpu=False)",
    "rope_kernel": "(H, Dh, bm=32, threads=128, dtype='bfloat16', *, cpu=False)",
    "attn_kernel": "(B, L, H, Dh, window=0, bm=64, bn=64, stages=1, threads=128, dtype='bfloat16', *, cpu=False)",
    "compile_cpu": "(factory, *args, **kwargs)",
}

SCRIPT = textwrap.dedent(
    """
    import inspect, sys
    sys.modules["tilelang"] = sys.modules["tvm"] = None  # importing either raises ImportError
    from layabridge import kernels
    from layabridge.errors import UnsupportedHere
    from layabridge.specs import KERNELS
    for name in sys.argv[1:]:
        signature = inspect.signature(getattr(kernels, name))
        bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
        print(name, inspect.Signature(bare), sep="|")
        if name != "compile_cpu":
            assert callable(getattr(kernels, name).get_tir)
    assert kernels.DTYPES == ("bfloat16", "float16"), kernels.DTYPES
    assert kernels.FAST == {"tl.enable_fast_math": True}, kernels.FAST
    assert [spec.name for spec in KERNELS.values()] == list(KERNELS)
    try:
        kernels.compile_cpu(kernels.gemm_kernel, 8, 8)
    except UnsupportedHere as error:
        assert "TileLang" in str(error)
    else:
        raise AssertionError("a kernel was compiled without TileLang")
    """
)


def test_public_signatures_without_tilelang():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *SIGNATURES], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert dict(line.split("|") for line in done.stdout.splitlines()) == SIGNATURES
