"""Compiled kernels as callables that check every argument before any memory is touched."""

from __future__ import annotations

import ctypes
import resource
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from layabridge.arguments import Parameter, Signature
from layabridge.errors import InvalidArgument, UnsupportedHere
from layabridge.library import Library


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
        arguments = self._signature.arguments(tensors)
        if arguments is not None:
            status = self._function(*arguments)
            if status != 0:
                self._failed(status)

    def prepare(self, *tensors: torch.Tensor) -> Callable[[], None]:
        """Check once, call many times: what is returned runs the kernel on these tensors, which it keeps alive.

        Their storage must neither move nor shrink meanwhile (no resize_ or set_).
        """
        arguments = self._signature.arguments(tensors)
        function = self._function

        def run(_alive: tuple[torch.Tensor, ...] = tensors) -> None:
            if arguments is not None:
                status = function(*arguments)
                if status != 0:
                    self._failed(status)

        return run

    def _failed(self, status: int) -> None:
        raise RuntimeError(f"kernel {self.library} returned status {status}, expected 0")


class GpuKernel:
    """A GPU kernel: TileLang's JIT kernel behind the same checks. Other attributes are the JIT kernel's own."""

    def __init__(self, parameters: Sequence[Parameter], jit: Any) -> None:
        self.parameters = tuple(parameters)
        self.jit = jit
        self._signature = Signature(parameters, "cuda")

    def __call__(self, *tensors: torch.Tensor) -> None:
        if self._signature.arguments(tensors) is not None:
            self.jit(*tensors)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.jit, name)


def _check_stack(scratch: int) -> None:
    """A kernel's tiles lie on the calling thread's stack; half of it is theirs."""
    soft, _ = resource.getrlimit(resource.RLIMIT_STACK)
    stack = 8 << 20 if soft == resource.RLIM_INFINITY else min(soft, 8 << 20)
    if scratch > stack // 2:
        raise InvalidArgument(
            f"the tiles take {scratch} bytes of the stack, the most is {stack // 2}: choose smaller tiles (bm, bn, bk)"
        )
