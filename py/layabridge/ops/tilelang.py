"""The ops of the tilelang plugin: kernels described by specs are listed, compiled, filled, run, timed, and printed.

Besides these, every kernel is an op under its own name, which takes the factory's options as parameters and the
kernel's tensors in call order: `gemm` with {"N": 70, "K": 67, "bias": true, "act": "gelu"}.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

import torch

from layabridge import compile as compiling
from layabridge.catalog import CPU_DTYPE, Catalog, assign, by_name, check_writable, describe, on_gpu, options
from layabridge.errors import InvalidArgument, InvalidTensor
from layabridge.ops import Context, NamedTensor, Op, collect, inspection, make_op, op
from layabridge.spec import Case, KernelSpec
from layabridge.specs import KERNELS as BUILT_IN

catalog = Catalog(BUILT_IN)


def extra_ops() -> Iterator[Op]:
    """The ops that look at kernels, and one op per built-in kernel."""
    yield from collect(inspection).values()
    for spec in BUILT_IN.values():
        launch = functools.partial(_launch, spec)
        launch.__doc__ = inspect.getdoc(spec.factory)
        launch.__name__ = spec.name  # type: ignore[attr-defined]
        yield make_op(launch, spec.name)


@op
def load(*, path: str) -> list[str]:
    """Adds the kernel specs of a Python file, whose KERNELS is a list of KernelSpec. Returns their names."""
    return catalog.load(path)


@op
def kernels() -> list[dict[str, Any]]:
    """Every kernel with its tensors, tolerances and cases; the dtype "act" is float32 on the CPU, 16-bit on a GPU."""
    return [describe(spec) for spec in catalog]


@op
def fill(*tensors: NamedTensor, kernel: str, case: str, seed: int, dtype: str = CPU_DTYPE) -> dict[str, Any]:
    """Writes a case's inputs, in float32, into its "in" and "inout" tensors. The same seed gives the same bytes.

    Activations are rounded to dtype first, so that a 16-bit kernel can be given the same values.
    """
    spec = catalog[kernel]
    chosen = spec.case(case)
    # Each case has a generator of its own, so that choosing some of the cases does not change their inputs.
    generator = torch.Generator().manual_seed(_seed(seed, kernel, case))
    inputs = spec.inputs(chosen, generator)
    wanted = [t for t in spec.tensors if t.role != "out"]
    names = [t.name for t in wanted]
    if sorted(inputs) != sorted(names):
        raise InvalidTensor(f"inputs of {kernel}: expected {', '.join(names)}, got {', '.join(inputs)}")
    given = by_name(spec, chosen, CPU_DTYPE, tensors, names, writable=names)
    for declared in wanted:
        value = inputs[declared.name]
        if declared.dtype == "act":
            value = value.to(getattr(torch, dtype)).to(value.dtype)
        assign(f"input {declared.name} of {kernel}", given[declared.name], value)
    return {}


@op
def compile(*, jobs: list, context: Context, dtype: str = CPU_DTYPE) -> list[dict[str, Any]]:
    """Compiles the kernels of the given [kernel, case] pairs, each once, several at a time: for the CPU in float32, for
    the GPU in a 16-bit dtype.

    Returns {"kernel", "case", "error"} for each pair that failed; a failure leaves the others alone.
    """
    wanted: dict[Any, tuple[KernelSpec, Case]] = {}
    for kernel, case in jobs:
        spec = catalog[kernel]
        chosen = spec.case(case)
        wanted.setdefault(catalog.key(spec, chosen, dtype), (spec, chosen))
    failed = []

    def one(number: int, spec: KernelSpec, case: Case) -> None:
        context.progress(f"compile {spec.name} {options(spec, case)}, {dtype}", number / len(wanted))
        catalog.compiled(spec, case, dtype)

    with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        running = {pool.submit(one, n, spec, case): (spec, case) for n, (spec, case) in enumerate(wanted.values())}
        try:
            for future in as_completed(running):
                spec, case = running[future]
                error = future.exception()
                if error is not None:
                    failed.append({"kernel": spec.name, "case": case.name, "error": str(error)})
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return failed


@op
def run(*tensors: NamedTensor, kernel: str, case: str, implementation: str, dtype: str = CPU_DTYPE) -> dict[str, Any]:
    """Runs a case into its "inout" and "out" tensors: its kernel ("kernel"), on the GPU where dtype is 16-bit, or its
    definition ("reference"), which computes in dtype float32 or float64 on float32 tensors."""
    spec = catalog[kernel]
    chosen = spec.case(case)
    names = [t.name for t in spec.tensors]
    outputs = [t.name for t in spec.tensors if t.role != "in"]
    activations = dtype if implementation == "kernel" else CPU_DTYPE
    given = by_name(spec, chosen, activations, tensors, names, writable=outputs)
    if implementation == "kernel" and dtype == CPU_DTYPE:
        catalog.compiled(spec, chosen, dtype)(*(given[name] for name in names))
    elif implementation == "kernel":
        on_gpu(catalog.compiled(spec, chosen, dtype), [given[n] for n in names], [n in outputs for n in names])
    elif implementation == "reference":
        _define(spec, chosen, given, outputs, getattr(torch, dtype))
    else:
        raise InvalidArgument(f'implementation: expected "kernel" or "reference", got {implementation!r}')
    return {}


@op
def source(*, kernel: str, target: str, case: str = "", dtype: str = "bfloat16") -> str:
    """A kernel's generated source: target "c", or CUDA for "sm_80", "sm_89" or "sm_90a" in a 16-bit dtype."""
    spec = catalog[kernel]
    args, kwargs = spec.arguments(spec.case(case) if case else spec.probe)
    if target == "c":
        return compiling.lower_c(spec.factory, *args, **kwargs)
    return compiling.lower_cuda(spec.factory, *args, arch=target, dtype=dtype, **kwargs)


@op
def bench(*, kernel: str, baselines: list, context: Context, rounds: int = 5) -> list[dict[str, Any]]:
    """Times a kernel at the sizes that its spec names, in turns with its baselines: see layabridge.bench.kernel."""
    from layabridge import bench as timing

    spec = catalog[kernel]
    rows = []
    for case in spec.bench_cases():
        context.progress(f"bench {kernel} {case.name}")
        rows.append(timing.kernel(spec, case, baselines=tuple(baselines), rounds=rounds))
    return rows


def _launch(spec: KernelSpec, *tensors: NamedTensor, **given: Any) -> dict[str, Any]:
    try:
        inspect.signature(spec.factory).bind(**given)
    except TypeError as error:
        raise InvalidArgument(f"op {spec.name}: {error}; options: {inspect.signature(spec.factory)}") from error
    kernel = catalog.launched(spec, given)
    check_writable(spec, [t for declared, t in zip(spec.tensors, tensors, strict=False) if declared.role != "in"])
    kernel(*(t.tensor for t in tensors))
    return {}


def _define(
    spec: KernelSpec, case: Case, given: dict[str, torch.Tensor], outputs: list[str], dtype: torch.dtype
) -> None:
    """The reference's results in its outputs. float64 inputs make the reference compute in float64."""
    inputs = {t.name: given[t.name] for t in spec.tensors if t.role != "out"}
    if dtype != torch.float32:
        inputs = {name: t.to(dtype) if t.dtype == torch.float32 else t for name, t in inputs.items()}
    results = spec.reference(case, inputs)
    if sorted(results) != sorted(outputs):
        raise InvalidTensor(f"reference of {spec.name}: expected {', '.join(outputs)}, got {', '.join(results)}")
    for name in outputs:
        value = results[name]
        if dtype != torch.float32 and value.dtype == dtype:
            value = value.to(given[name].dtype)
        assign(f"output {name} of the reference of {spec.name}", given[name], value)


def _seed(seed: int, kernel: str, case: str) -> int:
    mixed = seed
    for byte in f"{kernel}/{case}".encode():
        mixed = (mixed * 1_000_003 ^ byte) & 0x7FFF_FFFF_FFFF_FFFF
    return mixed
