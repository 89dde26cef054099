"""Times of a kernel against its baselines, in turns in one run: on a shared machine only their ratios mean much."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from layabridge.compile import compile_kernel
from layabridge.errors import InvalidArgument
from layabridge.spec import Case, KernelSpec

BASELINES = ("unoptimised", "torch")
_BATCH_SECONDS = 0.02


def kernel(
    spec: KernelSpec, case: Case, baselines: Sequence[str] = BASELINES, rounds: int = 5, seed: int = 1234
) -> dict[str, Any]:
    """Time one case of a CPU kernel on one thread, `rounds` times in turn with each baseline.

    "unoptimised" is the same C source compiled without flags, "torch" the computation as a torch user would write it
    (spec.torch, or the reference), on one thread. Times are the calling thread's CPU time per call, so that other
    processes count as little as they can.

    Returns {"kernel", "case", "rounds", "threads", "times_us": {name: {"median", "min", "max"}}, "ratios": {baseline:
    the same}}; a ratio is the kernel's time divided by the baseline's of the same round. InvalidArgument for an unknown
    baseline.
    """
    unknown = [name for name in baselines if name not in BASELINES]
    if unknown:
        raise InvalidArgument(f"no baseline {unknown[0]!r}; baselines: {', '.join(BASELINES)}")
    if rounds < 1:
        raise InvalidArgument(f"rounds must be at least 1, got {rounds}")
    inputs = spec.inputs(case, torch.Generator().manual_seed(seed))
    _check(spec, case, inputs)
    runs = {"kernel": _compiled(spec, case, inputs, None)}
    if "unoptimised" in baselines:
        runs["unoptimised"] = _compiled(spec, case, inputs, ())
    if "torch" in baselines:
        written = {name: t.clone() for name, t in inputs.items()}  # what torch updates in place is its own
        runs["torch"] = lambda: (spec.torch or spec.reference)(case, written)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        batches = {name: _batch(run) for name, run in runs.items()}
        times = {name: [0.0] * rounds for name in runs}
        for index in range(rounds):
            for name, run in runs.items():
                times[name][index] = _seconds(run, batches[name]) * 1e6
    finally:
        torch.set_num_threads(threads)
    ratios = {
        name: [mine / other for mine, other in zip(times["kernel"], times[name], strict=True)]
        for name in runs
        if name != "kernel"
    }
    return {
        "kernel": spec.name,
        "case": case.name,
        "rounds": rounds,
        "threads": 1,
        "times_us": {name: _summary(values) for name, values in times.items()},
        "ratios": {name: _summary(values) for name, values in ratios.items()},
    }


def _check(spec: KernelSpec, case: Case, inputs: dict[str, torch.Tensor]) -> None:
    """A kernel that is wrong is not timed: RuntimeError names the tensor and the difference."""
    args, kwargs = spec.arguments(case)
    tensors = _tensors(spec, case, inputs)
    expected = spec.reference(case, inputs)
    compile_kernel(spec.factory, args, kwargs)(*tensors)
    for declared, tensor in zip(spec.tensors, tensors, strict=True):
        if declared.role == "in":
            continue
        worst = (tensor - expected[declared.name]).abs().max().item()
        tolerance = spec.tolerances_of(case)[declared.name]
        if not worst <= tolerance:
            raise RuntimeError(
                f"{spec.name}, case {case.name}: {declared.name} differs by {worst:.3g} from its definition, "
                f"the tolerance is {tolerance:.3g}: a wrong kernel is not timed"
            )


def _compiled(
    spec: KernelSpec, case: Case, inputs: dict[str, torch.Tensor], flags: tuple[str, ...] | None
) -> Callable[[], Any]:
    args, kwargs = spec.arguments(case)
    return compile_kernel(spec.factory, args, kwargs, flags).prepare(*_tensors(spec, case, inputs))


def _tensors(spec: KernelSpec, case: Case, inputs: dict[str, torch.Tensor]) -> list[torch.Tensor]:
    tensors = []
    for tensor in spec.tensors:
        dtype = torch.float32 if tensor.dtype == "act" else getattr(torch, tensor.dtype)
        given = inputs.get(tensor.name)
        if tensor.role == "in" and given is not None:
            tensors.append(given)
        else:
            tensors.append(torch.zeros(tensor.resolve(case.sizes), dtype=dtype) if given is None else given.clone())
    return tensors


def _batch(run: Callable[[], Any]) -> int:
    """How many calls make one measurement long enough; warms up on the way."""
    run()
    return max(1, math.ceil(_BATCH_SECONDS / max(_seconds(run, 1), 1e-7)))


def _seconds(run: Callable[[], Any], calls: int) -> float:
    start = time.thread_time()
    for _ in range(calls):
        run()
    return (time.thread_time() - start) / calls


def _summary(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}
