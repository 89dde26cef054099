"""The kernels that a plugin offers, each with what is compiled of it so far."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from layabridge.compile import compile_cpu, compile_jit
from layabridge.errors import InvalidArgument, InvalidTensor, UnknownOp
from layabridge.ops import NamedTensor
from layabridge.spec import Case, KernelSpec

CPU_DTYPE = "float32"


class Catalog:
    """Kernel specs by name. Compiled kernels are kept for as long as the plugin lives."""

    def __init__(self, specs: Mapping[str, KernelSpec]) -> None:
        self._specs = dict(specs)
        self._compiled: dict[Any, Any] = {}

    def __iter__(self) -> Iterator[KernelSpec]:
        return iter(self._specs.values())

    def __getitem__(self, name: str) -> KernelSpec:
        if name not in self._specs:
            raise UnknownOp(f"no kernel {name!r}; kernels: {', '.join(self._specs)}")
        return self._specs[name]

    def load(self, path: str) -> list[str]:
        """Adds the specs of a Python file, whose KERNELS is a list of KernelSpec. Returns their names."""
        what = "file of ops"
        file = Path(path)
        if not file.is_file():
            raise InvalidArgument(f"{what}: expected a Python file, got {path}, which is not there")
        module_spec = importlib.util.spec_from_file_location(f"layactl_ops_{file.stem}", file)
        if module_spec is None or module_spec.loader is None:
            raise InvalidArgument(f"{what}: expected a .py file, got {path}")
        module = importlib.util.module_from_spec(module_spec)
        module_spec.loader.exec_module(module)
        found = getattr(module, "KERNELS", None)
        if isinstance(found, Mapping):
            found = list(found.values())
        if not isinstance(found, (list, tuple)) or not found or not all(isinstance(k, KernelSpec) for k in found):
            raise InvalidArgument(f"{what}: expected {path} to set KERNELS to a list of KernelSpec, got {found!r:.60}")
        taken = [k.name for k in found if k.name in self._specs]
        if taken:
            raise InvalidArgument(f"{what}: {', '.join(taken)} is already the name of a kernel; choose another")
        self._specs.update({k.name: k for k in found})
        return [k.name for k in found]

    def compiled(self, spec: KernelSpec, case: Case, dtype: str) -> Any:
        """The kernel that a case needs: for the CPU where dtype is float32, else for the GPU."""
        key = self.key(spec, case, dtype)
        if key not in self._compiled:
            args, kwargs = spec.arguments(case)
            if dtype == CPU_DTYPE:
                self._compiled[key] = compile_cpu(spec.factory, *args, **kwargs)
            else:
                self._compiled[key] = compile_jit(spec.factory, args, {**kwargs, "dtype": dtype})
        return self._compiled[key]

    def launched(self, spec: KernelSpec, options: Mapping[str, Any]) -> Any:
        """The CPU kernel for the factory's options as a caller gives them."""
        key = spec.name, repr(sorted(options.items()))
        if key not in self._compiled:
            self._compiled[key] = compile_cpu(spec.factory, **options)
        return self._compiled[key]

    @staticmethod
    def key(spec: KernelSpec, case: Case, dtype: str) -> tuple[str, str, str]:
        """What cases that share a compiled kernel have in common."""
        args, kwargs = spec.arguments(case)
        return spec.name, repr((args, sorted(kwargs.items()))), dtype


def options(spec: KernelSpec, case: Case) -> str:
    """A case's arguments of the factory, for people."""
    args, kwargs = spec.arguments(case)
    return ", ".join([*map(str, args), *(f"{k}={v}" for k, v in kwargs.items())])


def describe(spec: KernelSpec) -> dict[str, Any]:
    """A kernel as the op `kernels` returns it. The dtype "act" is the caller's to fill in."""

    def one(case: Case) -> dict[str, Any]:
        return {
            "name": case.name,
            "options": options(spec, case),
            "note": case.note,
            "expects_nan": case.expects_nan,
            "tensors": [
                {"name": t.name, "role": t.role, "dtype": t.dtype, "shape": t.resolve(case.sizes)} for t in spec.tensors
            ],
            "tolerances": spec.tolerances_of(case),
            "cuda_tolerances": spec.cuda_tolerances_of(case),
        }

    return {
        "name": spec.name,
        "cases": [one(case) for case in spec.cases],
        "probe": one(spec.probe),
        "upstream_max_abs_diff": spec.upstream_max_abs_diff,
        "upstream_cuda_max_abs_diff": spec.upstream_cuda_max_abs_diff,
    }


def by_name(
    spec: KernelSpec, case: Case, dtype: str, tensors: Iterable[NamedTensor], names: list[str], writable: Iterable[str]
) -> dict[str, torch.Tensor]:
    """The tensors in the order of names, with shape and dtype as the case says, "act" being dtype."""
    given = {t.name: t for t in tensors}
    if sorted(given) != sorted(names):
        raise InvalidTensor(f"kernel {spec.name}: expected the tensors {', '.join(names)}, got {', '.join(given)}")
    for declared in spec.tensors:
        if declared.name not in given:
            continue
        tensor = given[declared.name].tensor
        shape = declared.resolve(case.sizes)
        expected = getattr(torch, dtype if declared.dtype == "act" else declared.dtype)
        if tuple(tensor.shape) != shape or tensor.dtype != expected:
            raise InvalidTensor(
                f"kernel {spec.name}, tensor {declared.name}: expected {expected} {list(shape)}, "
                f"got {tensor.dtype} {list(tensor.shape)}"
            )
    check_writable(spec, [given[name] for name in writable])
    return {name: given[name].tensor for name in names}


def check_writable(spec: KernelSpec, tensors: Iterable[NamedTensor]) -> None:
    """InvalidTensor for the first tensor that the caller did not allow to be written."""
    for t in tensors:
        if not t.writable:
            raise InvalidTensor(f"kernel {spec.name}, tensor {t.name}: is written, so it must be passed as writable")


def assign(what: str, target: torch.Tensor, value: torch.Tensor) -> None:
    """Copies with equal shape and dtype only: copy_ alone would broadcast and convert."""
    if value.shape != target.shape or value.dtype != target.dtype:
        raise InvalidTensor(
            f"{what}: expected {target.dtype} {list(target.shape)}, got {value.dtype} {list(value.shape)}"
        )
    target.copy_(value)


def on_gpu(kernel: Callable[..., Any], tensors: list[torch.Tensor], written: list[bool]) -> None:
    """Runs a CUDA kernel on copies of CPU tensors and brings what it writes back."""
    there = [t.to("cuda", non_blocking=True) for t in tensors]
    kernel(*there)
    for target, source, back in zip(tensors, there, written, strict=True):
        if back:
            target.copy_(source)
    torch.cuda.synchronize()
