"""From a kernel factory to a callable: `compile_cpu` for the CPU, `lower_c` and `lower_cuda` for generated source."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from layabridge import tir, toolchain
from layabridge.compiled import CompiledKernel, GpuKernel
from layabridge.errors import BridgeError, CompileFailed, InvalidArgument, UnsupportedHere
from layabridge.kernels.factory import FAST
from layabridge.library import Library, build_library

ARCHITECTURES = ("sm_80", "sm_89", "sm_90a")
# Loads and stores carry their own bounds, and the C++ compiler vectorises better than TileLang's C printer.
CPU_PASSES = {"tirx.disable_vectorize": True, "tl.disable_safe_memory_legalize": True}


def compile_cpu(factory: Callable[..., Any], *args: Any, **kwargs: Any) -> CompiledKernel:
    """The CPU kernel of a factory, compiled or taken from the cache: float32, one thread, dynamic sizes left open.

    Takes the factory's shape, op and tile options. InvalidArgument for a bad option, a dtype other than float32 among
    them, and for tiles that do not fit the stack; CompileFailed with the first diagnostic when TileLang or the C++
    compiler refuses; UnsupportedHere when one of them is missing.
    """
    return compile_kernel(factory, args, kwargs)


def compile_kernel(
    factory: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    flags: Sequence[str] | None = None,
) -> CompiledKernel:
    """`compile_cpu` with the C++ compiler's flags in the caller's hand: () compiles without optimisation."""
    return _build(cpu_tir(factory, *args, **(kwargs or {})), toolchain.optimised() if flags is None else tuple(flags))


def compile_jit(factory: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> CompiledKernel | GpuKernel:
    """What calling a factory returns: the GPU kernel, or with cpu=True the CPU kernel of the dtype that is given.

    UnsupportedHere without a GPU.
    """
    function = _trace(factory, args, kwargs)
    if factory.bind(*args, **kwargs).arguments.get("cpu"):
        return _build(function, toolchain.optimised())
    if not torch.cuda.is_available():
        raise UnsupportedHere(f"{factory.__name__} compiles for a CUDA GPU, and there is none; compile_cpu needs none")
    tilelang = toolchain.import_tilelang()
    with _diagnosed("compiling for the GPU"):
        return GpuKernel(tir.parameters(function, tir.written(function)), tilelang.compile(function, pass_configs=FAST))


def lower_c(factory: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """The C source that TileLang makes of a factory's CPU specialisation; nothing is compiled."""
    return str(_lower(cpu_tir(factory, *args, **kwargs), {"kind": "c"}, CPU_PASSES).kernel_source)


def lower_cuda(factory: Callable[..., Any], *args: Any, arch: str = "sm_90a", **kwargs: Any) -> str:
    """The CUDA source of a factory's GPU specialisation for one of ARCHITECTURES; needs neither nvcc nor a GPU."""
    return str(cuda_artifact(factory, *args, arch=arch, **kwargs).kernel_source)


def cuda_artifact(factory: Callable[..., Any], *args: Any, arch: str = "sm_90a", **kwargs: Any) -> Any:
    """TileLang's artifact behind `lower_cuda`: beside kernel_source it has device_mod, which says how to launch."""
    if arch not in ARCHITECTURES:
        raise InvalidArgument(f"arch must be one of {', '.join(ARCHITECTURES)}, got {arch!r}")
    return _lower(_trace(factory, args, kwargs), {"kind": "cuda", "arch": arch}, FAST)


def cpu_tir(factory: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The PrimFunc of a factory's CPU specialisation in float32, with CPU tiles where the caller names none."""
    bind = getattr(factory, "bind", None)
    given = bind(*args, **kwargs).arguments if bind else kwargs
    if given.get("dtype", "float32") != "float32":
        raise InvalidArgument(f"CPU kernels are float32 only, got dtype={given['dtype']!r}")
    if not given.get("cpu", True):
        raise InvalidArgument("a CPU kernel needs cpu=True, got cpu=False")
    chosen = {"cpu": True, "dtype": "float32", **getattr(factory, "cpu_tiles", {})}
    return _trace(factory, args, {**{name: value for name, value in chosen.items() if name not in given}, **kwargs})


def _build(function: Any, flags: tuple[str, ...]) -> CompiledKernel:
    """The callable of a PrimFunc that is written for the CPU."""

    def lower() -> Library:
        return tir.library(function, _lower(function, {"kind": "c"}, CPU_PASSES))

    with toolchain.LOWERING:
        key = f"{function.script(show_meta=True)}\n{sorted(CPU_PASSES.items())}"
    include = Path(toolchain.import_tilelang().env.TILELANG_TEMPLATE_PATH)
    library = build_library(key, lower, flags, include)
    return CompiledKernel(tir.parameters(function, library.written), library)


def _trace(factory: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    toolchain.import_tilelang()
    trace = getattr(factory, "get_tir", factory)
    step = f"tracing {getattr(factory, '__name__', factory)}"
    with toolchain.LOWERING, _diagnosed(step):
        try:
            return trace(*args, **kwargs)
        except (TypeError, ValueError) as error:
            if isinstance(error, BridgeError):
                raise
            raise InvalidArgument(f"{step}: {error}") from error


def _lower(function: Any, target: dict[str, str], passes: Mapping[str, Any]) -> Any:
    tilelang = toolchain.import_tilelang()
    from tvm.target import Target

    where = Target(target)
    with (
        toolchain.LOWERING,
        _diagnosed(f"lowering to {target['kind']}"),
        tilelang.tvm.transform.PassContext(opt_level=3, config=dict(passes)),
        where,
    ):
        return tilelang.lower(function, target=where, enable_device_compile=False)


@contextlib.contextmanager
def _diagnosed(step: str) -> Iterator[None]:
    """Turn what TileLang raises into CompileFailed with its first line."""
    try:
        yield
    except BridgeError:
        raise
    except Exception as error:
        first = (str(error).strip().splitlines() or [""])[0]
        raise CompileFailed(f"{step}: {type(error).__name__}: {first}") from error
