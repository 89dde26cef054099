"""Ops that look at kernels instead of running them. `layabridge.ops.tilelang` offers them beside its own."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from layabridge.ops import Context, op


@op
def probe(*, kernels: list, record: bool = False, table: str = "", context: Context) -> dict[str, Any]:
    """Compiles the GPU form of the named kernels (none: all) for C and compares what is said with a table."""
    from layabridge import probes

    return probes.run(kernels, table or probes.TABLE, record, context.progress)


@op
def capture(*, directory: str, kernels: list, seed: int, context: Context) -> dict[str, Any]:
    """Fills an empty folder with the CUDA source of the named kernels (none: all) and, on a GPU host, outputs."""
    from layabridge import preserve

    return preserve.capture(directory, kernels, seed, context.progress)


@op
def build(*, kernel: str, case: str, arch: str, dtype: str, keep: str = "") -> dict[str, Any]:
    """Compiles a kernel's GPU form with nvcc, at its probe size or a case's; keep: a file for the cubin."""
    from layabridge import cubin
    from layabridge.specs import KERNELS

    spec = KERNELS[kernel]
    args, kwargs = spec.arguments(spec.case(case) if case else spec.probe)
    made = cubin.build(spec.factory, *args, arch=arch, dtype=dtype, **kwargs)
    if keep:
        Path(keep).write_bytes(made.cubin)
    return {
        "kernel": kernel,
        "case": case,
        "arch": arch,
        "dtype": dtype,
        **dataclasses.asdict(made.usage),
        "dynamic_shared_bytes": made.dynamic_shared_bytes,
        "shared_limit_bytes": cubin.SHARED_LIMIT_BYTES[arch],
        "threads": made.threads,
        "cubin_bytes": len(made.cubin),
        "seconds": made.seconds,
        "reason": made.too_big,
    }
