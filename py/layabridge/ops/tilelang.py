"""The ops of the tilelang plugin: kernels described by specs are listed, compiled, filled, run, and read as source.

Besides these, every kernel is an op under its own name, which takes the factory's options as parameters and the
kernel's tensors in call order: `gemm` with {"N": 70, "K": 67, "bias": true, "act": "gelu"}.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import torch

from layabridge import compile as compiling
from layabridge.errors import InvalidArgument, InvalidTensor, UnknownOp
from layabridge.ops import Context, NamedTensor, Op, make_op, op
from layabridge.spec import Case, KernelSpec
from layabridge.specs import KERNELS as BUILT_IN

_kernels: dict[str, KernelSpec] = dict(BUILT_IN)
_compiled: dict[tuple[str, str], Any] = {}


def extra_ops() -> Iterator[Op]:
    """One op per built-in kernel."""
    for spec in BUILT_IN.values():
        launch = functools.partial(_launch, spec)
        launch.__doc__ = inspect.getdoc(spec.factory)  # type: ignore[attr-defined]
        launch.__name__ = spec.name  # type: ignore[attr-defined]
        yield make_op(launch, spec.name)


@op
def load(*, path: str) -> list[str]:
    """Adds the kernel specs of a Python file, whose KERNELS is a list of KernelSpec. Returns their names."""
    file = Path(path)
    if not file.is_file():
        raise InvalidArgument(f"file of ops: expected a Python file, got {path}, which is not there")
    module_spec = importlib.util.spec_from_file_location(f"layactl_ops_{file.stem}", file)
    if module_spec is None or module_spec.loader is None:
        raise InvalidArgument(f"file of ops: expected a .py file, got {path}")
    module = importlib.util.module_from_spec(module_spec)
    module_spec.loader.exec_module(module)
    found = getattr(module, "KERNELS", None)
    if isinstance(found, dict):
        found = list(found.values())
    if not isinstance(found, (list, tuple)) or not found or not all(isinstance(k, KernelSpec) for k in found):
        raise InvalidArgument(f"file of ops: expected {path} to set KERNELS to a list of KernelSpec, got {found!r:.60}")
    taken = [k.name for k in found if k.name in _kernels]
    if taken:
        raise InvalidArgument(f"file of ops: {', '.join(taken)} is already the name of a kernel; choose another")
    _kernels.update({k.name: k for k in found})
    return [k.name for k in found]


@op
def kernels() -> list[dict[str, Any]]:
    """Every kernel with its tensors, tolerances and cases; shapes and dtypes are those of the CPU kernel."""
    return [_describe(spec) for spec in _kernels.values()]


@op
def fill(*tensors: NamedTensor, kernel: str, case: str, seed: int) -> dict[str, Any]:
    """Writes a case's inputs into its "in" and "inout" tensors. The same seed gives the same bytes."""
    spec = _kernel(kernel)
    chosen = spec.case(case)
    # Each case has a generator of its own, so that choosing some of the cases does not change their inputs.
    generator = torch.Generator().manual_seed(_seed(seed, kernel, case))
    inputs = spec.inputs(chosen, generator)
    wanted = [t.name for t in spec.tensors if t.role != "out"]
    if sorted(inputs) != sorted(wanted):
        raise InvalidTensor(f"inputs of {kernel}: expected {', '.join(wanted)}, got {', '.join(inputs)}")
    given = _by_name(spec, chosen, tensors, wanted, writable=wanted)
    for name, tensor in given.items():
        _assign(f"input {name} of {kernel}", tensor, inputs[name])
    return {}


@op
def compile(*, jobs: list, context: Context) -> list[dict[str, Any]]:
    """Compiles the kernels of the given [kernel, case] pairs, each once, two at a time.

    Returns {"kernel", "case", "error"} for each pair that failed; a failure leaves the others alone.
    """
    wanted: dict[tuple[str, str], tuple[KernelSpec, Case]] = {}
    for kernel, case in jobs:
        spec = _kernel(kernel)
        chosen = spec.case(case)
        wanted.setdefault(_key(spec, chosen), (spec, chosen))
    failed = []

    def one(number: int, spec: KernelSpec, case: Case) -> None:
        context.progress(f"compile {spec.name} {_options(spec, case)}", number / len(wanted))
        _compile(spec, case)

    with ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
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
def run(*tensors: NamedTensor, kernel: str, case: str, implementation: str) -> dict[str, Any]:
    """Runs a case's kernel ("kernel") or its definition ("reference") on the CPU, into the "inout" and "out" tensors."""
    spec = _kernel(kernel)
    chosen = spec.case(case)
    names = [t.name for t in spec.tensors]
    outputs = [t.name for t in spec.tensors if t.role != "in"]
    given = _by_name(spec, chosen, tensors, names, writable=outputs)
    if implementation == "kernel":
        _compile(spec, chosen)(*(given[name] for name in names))
    elif implementation == "reference":
        results = spec.reference(chosen, {n: t for n, t in given.items() if _role(spec, n) != "out"})
        if sorted(results) != sorted(outputs):
            raise InvalidTensor(f"reference of {kernel}: expected {', '.join(outputs)}, got {', '.join(results)}")
        for name in outputs:
            _assign(f"output {name} of the reference of {kernel}", given[name], results[name])
    else:
        raise InvalidArgument(f'implementation: expected "kernel" or "reference", got {implementation!r}')
    return {}


@op
def source(*, kernel: str, target: str, case: str = "", dtype: str = "bfloat16") -> str:
    """The source that a kernel is compiled from: target "c", or CUDA for "sm_80", "sm_89" or "sm_90a" with a 16-bit dtype."""
    spec = _kernel(kernel)
    args, kwargs = spec.arguments(spec.case(case) if case else spec.probe)
    if target == "c":
        return compiling.lower_c(spec.factory, *args, **kwargs)
    return compiling.lower_cuda(spec.factory, *args, arch=target, dtype=dtype, **kwargs)


@op
def bench(*, kernel: str, case: str, baselines: list, rounds: int = 5) -> dict[str, Any]:
    """Times a case's kernel against "unoptimised" (the same kernel without compiler flags) and "torch", interleaved."""
    from layabridge import bench as timing

    spec = _kernel(kernel)
    return timing.kernel(spec, spec.case(case), baselines=tuple(baselines), rounds=rounds)


def _launch(spec: KernelSpec, *tensors: NamedTensor, **options: Any) -> dict[str, Any]:
    signature = inspect.signature(spec.factory)
    try:
        signature.bind(**options)
    except TypeError as error:
        raise InvalidArgument(f"op {spec.name}: {error}; expected options of {signature}") from error
    key = (spec.name, repr(sorted(options.items())))
    if key not in _compiled:
        _compiled[key] = compiling.compile_cpu(spec.factory, **options)
    _check_writable(spec, tensors)
    _compiled[key](*(t.tensor for t in tensors))
    return {}


def _kernel(name: str) -> KernelSpec:
    if name not in _kernels:
        raise UnknownOp(f"no kernel {name!r}; kernels: {', '.join(_kernels)}")
    return _kernels[name]


def _role(spec: KernelSpec, tensor: str) -> str:
    return next(t.role for t in spec.tensors if t.name == tensor)


def _key(spec: KernelSpec, case: Case) -> tuple[str, str]:
    args, kwargs = spec.arguments(case)
    return spec.name, repr((args, sorted(kwargs.items())))


def _options(spec: KernelSpec, case: Case) -> str:
    args, kwargs = spec.arguments(case)
    return ", ".join([*map(str, args), *(f"{k}={v}" for k, v in kwargs.items())])


def _compile(spec: KernelSpec, case: Case) -> Any:
    key = _key(spec, case)
    if key not in _compiled:
        args, kwargs = spec.arguments(case)
        _compiled[key] = compiling.compile_cpu(spec.factory, *args, **kwargs)
    return _compiled[key]


def _seed(seed: int, kernel: str, case: str) -> int:
    mixed = seed
    for byte in f"{kernel}/{case}".encode():
        mixed = (mixed * 1_000_003 ^ byte) & 0x7FFF_FFFF_FFFF_FFFF
    return mixed


def _dtype(declared: str) -> str:
    return "float32" if declared == "act" else declared


def _describe(spec: KernelSpec) -> dict[str, Any]:
    cases = []
    for case in (*spec.cases, spec.probe):
        tensors = [
            {"name": t.name, "role": t.role, "dtype": _dtype(t.dtype), "shape": t.resolve(case.sizes)}
            for t in spec.tensors
        ]
        cases.append(
            {
                "name": case.name,
                "options": _options(spec, case),
                "note": case.note,
                "expects_nan": case.expects_nan,
                "tensors": tensors,
                "tolerances": {t.name: spec.tolerance(case, t.name) for t in spec.tensors if t.role != "in"},
            }
        )
    return {
        "name": spec.name,
        "cases": cases[:-1],
        "probe": cases[-1],
        "upstream_max_abs_diff": spec.upstream_max_abs_diff,
    }


def _by_name(
    spec: KernelSpec, case: Case, tensors: Iterable[NamedTensor], names: list[str], writable: Iterable[str]
) -> dict[str, torch.Tensor]:
    """The tensors in the order of names, with shape and dtype as the case says."""
    given = {t.name: t for t in tensors}
    if sorted(given) != sorted(names):
        raise InvalidTensor(f"kernel {spec.name}: expected the tensors {', '.join(names)}, got {', '.join(given)}")
    for declared in spec.tensors:
        if declared.name not in given:
            continue
        tensor = given[declared.name].tensor
        shape, dtype = declared.resolve(case.sizes), getattr(torch, _dtype(declared.dtype))
        if tuple(tensor.shape) != shape or tensor.dtype != dtype:
            raise InvalidTensor(
                f"kernel {spec.name}, tensor {declared.name}: expected {dtype} {list(shape)}, "
                f"got {tensor.dtype} {list(tensor.shape)}"
            )
    for name in writable:
        if not given[name].writable:
            raise InvalidTensor(f"kernel {spec.name}, tensor {name}: is written, so it must be passed as writable")
    return {name: given[name].tensor for name in names}


def _check_writable(spec: KernelSpec, tensors: tuple[NamedTensor, ...]) -> None:
    for declared, given in zip(spec.tensors, tensors):
        if declared.role != "in" and not given.writable:
            raise InvalidTensor(f"op {spec.name}, tensor {declared.name}: is written, so it must be passed as writable")


def _assign(what: str, target: torch.Tensor, value: torch.Tensor) -> None:
    """Copies with equal shape and dtype only: copy_ alone would broadcast and convert."""
    if value.shape != target.shape or value.dtype != target.dtype:
        raise InvalidTensor(
            f"{what}: expected {target.dtype} {list(target.shape)}, got {value.dtype} {list(value.shape)}"
        )
    target.copy_(value)
