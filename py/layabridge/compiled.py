"""Compiled kernels as callables that check every argument before any memory is touched."""

from __future__ import annotations

import ctypes
import dataclasses
import resource
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import torch

from layabridge.errors import InvalidArgument, InvalidTensor, UnsupportedHere
from layabridge.library import Library

MAX_SIZE = 2**31 - 1


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One tensor of a kernel: a dimension is a number, or the name of a dynamic size. `written` says whether it may be."""

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    written: bool = False


class Signature:
    """The parameters of a kernel, and the check of the tensors given for them."""

    def __init__(self, parameters: Sequence[Parameter], device: str) -> None:
        self.parameters = tuple(parameters)
        self.device = device
        self.dtypes = tuple(getattr(torch, p.dtype) for p in parameters)
        self.sizes: dict[str, tuple[int, int]] = {}
        for index, parameter in enumerate(parameters):
            for axis, dim in enumerate(parameter.shape):
                if isinstance(dim, str):
                    self.sizes.setdefault(dim, (index, axis))
        self.written = tuple(i for i, p in enumerate(parameters) if p.written)

    def check(self, tensors: Sequence[Any]) -> dict[str, int]:
        """The dynamic sizes. InvalidTensor (InvalidArgument for a wrong count) names what does not fit."""
        if len(tensors) != len(self.parameters):
            names = ", ".join(p.name for p in self.parameters)
            raise InvalidArgument(f"the kernel takes {len(self.parameters)} tensors ({names}), got {len(tensors)}")
        sizes: dict[str, int] = {}
        for parameter, dtype, tensor in zip(self.parameters, self.dtypes, tensors):
            self._check_kind(parameter, dtype, tensor)
            shape = tuple(tensor.shape)
            if len(shape) != len(parameter.shape):
                _refuse(parameter, f"has shape {list(shape)}, expected {_expected(parameter)}")
            for axis, (dim, size) in enumerate(zip(parameter.shape, shape)):
                if isinstance(dim, int):
                    if dim != size:
                        _refuse(parameter, f"has shape {list(shape)}, expected {_expected(parameter)}")
                elif size > MAX_SIZE:
                    _refuse(parameter, f"has {dim}={size}, the most is {MAX_SIZE}")
                elif sizes.setdefault(dim, size) != size:
                    first = self.parameters[self.sizes[dim][0]].name
                    _refuse(
                        parameter, f"has {dim}={size} (axis {axis}), but tensor {first} has {dim}={sizes[dim]}"
                    )
            if not tensor.is_contiguous():
                _refuse(parameter, f"is not contiguous (shape {list(shape)}, strides {list(tensor.stride())})")
        self._check_overlap(tensors)
        return sizes

    def _check_kind(self, parameter: Parameter, dtype: torch.dtype, tensor: Any) -> None:
        if not isinstance(tensor, torch.Tensor):
            _refuse(parameter, f"must be a torch.Tensor, got {type(tensor).__name__}")
        if tensor.layout is not torch.strided:
            _refuse(parameter, f"must be a dense tensor, got layout {tensor.layout}")
        if tensor.dtype is not dtype:
            _refuse(parameter, f"must be {parameter.dtype}, got {str(tensor.dtype).removeprefix('torch.')}")
        if tensor.device.type != self.device:
            _refuse(parameter, f"must be on {self.device}, got {tensor.device}")

    def _check_overlap(self, tensors: Sequence[torch.Tensor]) -> None:
        spans = [(t.data_ptr(), t.data_ptr() + t.numel() * t.element_size()) for t in tensors]
        for i in self.written:
            for j, span in enumerate(spans):
                if i != j and spans[i][0] < span[1] and span[0] < spans[i][1]:
                    _refuse(self.parameters[i], f"shares memory with tensor {self.parameters[j].name}, and is written")


class CompiledKernel:
    """A CPU kernel. Call it with its tensors, in order: contiguous CPU tensors, updated or written in place.

    Returns None. InvalidArgument or InvalidTensor before any memory is touched; nothing is copied. With an empty output
    nothing runs. One object serves every dynamic size and any number of threads at once (the call releases the GIL).

    source: the C source; library: path of the shared library; flags: the C++ compiler's; parameters: the tensors.
    """

    def __init__(self, parameters: Sequence[Parameter], library: Library) -> None:
        self.parameters = tuple(parameters)
        self.source = library.source
        self.library: Path = library.path
        self.flags = library.flags
        self.scratch_bytes = library.scratch_bytes
        _check_stack(self.scratch_bytes)
        self._signature = Signature(parameters, "cpu")
        try:
            function = ctypes.CDLL(str(library.path)).call
        except OSError as error:
            raise UnsupportedHere(f"the compiled kernel cannot be loaded: {error}") from error
        function.argtypes = [ctypes.c_void_p] * len(parameters) + [ctypes.c_int32] * len(self._signature.sizes)
        function.restype = ctypes.c_int32
        self._function = function

    def __call__(self, *tensors: torch.Tensor) -> None:
        run = self.prepare(*tensors)
        run()

    def prepare(self, *tensors: torch.Tensor) -> Callable[[], None]:
        """Check once, call many times: what is returned runs the kernel on these tensors, which it keeps alive."""
        sizes = self._signature.check(tensors)
        if any(tensors[i].numel() == 0 for i in self._signature.written):
            return _nothing
        arguments = (*(t.data_ptr() for t in tensors), *sizes.values())
        function = self._function

        def run(_alive: tuple[torch.Tensor, ...] = tensors) -> None:
            status = function(*arguments)
            if status != 0:
                raise RuntimeError(f"kernel {self.library} returned status {status}")

        return run


class GpuKernel:
    """A GPU kernel: TileLang's JIT kernel behind the same checks. Other attributes are the JIT kernel's own."""

    def __init__(self, parameters: Sequence[Parameter], jit: Any) -> None:
        self.parameters = tuple(parameters)
        self.jit = jit
        self._signature = Signature(parameters, "cuda")

    def __call__(self, *tensors: torch.Tensor) -> None:
        self._signature.check(tensors)
        if tensors[-1].numel() == 0:
            return
        self.jit(*tensors)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.jit, name)


def _nothing() -> None:
    pass


def _refuse(parameter: Parameter, what: str) -> NoReturn:
    raise InvalidTensor(f"tensor {parameter.name} {what}")


def _expected(parameter: Parameter) -> str:
    return f"[{', '.join(map(str, parameter.shape))}]"


def _check_stack(scratch: int) -> None:
    """A kernel's tiles lie on the calling thread's stack; half of it is theirs."""
    soft, _ = resource.getrlimit(resource.RLIMIT_STACK)
    stack = 8 << 20 if soft == resource.RLIM_INFINITY else min(soft, 8 << 20)
    if scratch > stack // 2:
        raise InvalidArgument(
            f"the tiles take {scratch} bytes of the stack, the most is {stack // 2}: choose smaller tiles (bm, bn, bk)"
        )
