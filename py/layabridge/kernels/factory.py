"""What the five kernel factories have in common: the decorator, the dtype rule and the checks of their options."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any

from layabridge.errors import InvalidArgument

DTYPES = ("bfloat16", "float16")
FAST = {"tl.enable_fast_math": True}


class Factory:
    """A function (shape and op options) -> TileLang PrimFunc, made callable as `tilelang.jit` would make it.

    Calling it compiles for the GPU (with FAST) and returns the kernel; `get_tir` returns the PrimFunc. TileLang is
    imported by these two only, never by importing a kernel module. Safe to call from several threads.

    cpu_tiles: the tile options that suit a CPU; `compile_cpu` uses them where the caller names none.
    """

    def __init__(self, function: Callable[..., Any], cpu_tiles: Mapping[str, int]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.cpu_tiles = dict(cpu_tiles)
        self._signature = inspect.signature(function)
        self._kernels: dict[str, Any] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<kernel factory {self.function.__name__}{self._signature}>"

    def bind(self, *args: Any, **kwargs: Any) -> inspect.BoundArguments:
        """The arguments by name, without defaults. InvalidArgument for an unknown, missing or doubled option."""
        try:
            return self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise InvalidArgument(f"{self.function.__name__}{self._signature}: {error}") from None

    def get_tir(self, *args: Any, **kwargs: Any) -> Any:
        """The TileLang PrimFunc of one specialisation."""
        bound = self.bind(*args, **kwargs)
        from layabridge import toolchain

        toolchain.import_tilelang()
        with toolchain.LOWERING:
            return self.function(*bound.args, **bound.kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The compiled kernel of one specialisation: for the GPU, or for the CPU with cpu=True."""
        bound = self.bind(*args, **kwargs)
        bound.apply_defaults()
        key = repr(bound.arguments)
        with self._lock:
            if key not in self._kernels:
                from layabridge import compile as compiler

                self._kernels[key] = compiler.compile_jit(self, bound.args, bound.kwargs)
            return self._kernels[key]


def factory(**cpu_tiles: int) -> Callable[[Callable[..., Any]], Factory]:
    """Decorator: makes a Factory of a function that returns a PrimFunc; names the tiles that suit a CPU."""

    def decorate(function: Callable[..., Any]) -> Factory:
        return Factory(function, cpu_tiles)

    return decorate


def check_sizes(*, minimum: int = 1, **sizes: Any) -> None:
    """InvalidArgument for the first size that is not an int of at least `minimum`."""
    for name, value in sizes.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
            raise InvalidArgument(f"{name} must be an integer of at least {minimum}, got {value!r}")


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """InvalidArgument when value is not among choices."""
    if value not in choices:
        raise InvalidArgument(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def check_dtype(dtype: Any, cpu: bool) -> None:
    """The activation dtype: bfloat16 or float16, and float32 for the CPU only. InvalidArgument (a ValueError) else."""
    check_choice("dtype", dtype, (*DTYPES, "float32") if cpu else DTYPES)
