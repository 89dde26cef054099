"""Ops that look at kernels instead of running them. `layabridge.ops.tilelang` offers them beside its own."""

from __future__ import annotations

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
