"""From a kernel factory to a callable: `compile_cpu` for the CPU, `lower_c` and `lower_cuda` for the generated source."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from layabridge import toolchain
from layabridge.compiled import CompiledKernel, GpuKernel, Parameter
from layabridge.errors import BridgeError, CompileFailed, InvalidArgument
from layabridge.library import Library, build_library, through_pointers

ARCHITECTURES = ("sm_80", "sm_89", "sm_90a")
# Loads and stores carry their own bounds, and the C++ compiler vectorises better than TileLang's C printer.
CPU_PASSES = {"tirx.disable_vectorize": True, "tl.disable_safe_memory_legalize": True}
FP32_ONLY = "CPU kernels are float32 only"


def compile_cpu(factory: Callable[..., Any], *args: Any, **kwargs: Any) -> CompiledKernel:
    """The CPU kernel of a factory, compiled or taken from the cache: float32, one thread, dynamic sizes left open.

    Takes the factory's shape, op and tile options. InvalidArgument for a bad option, dtype or cpu among them;
    CompileFailed with the first diagnostic when TileLang or the C++ compiler refuses.
    """
    return compile_kernel(factory, args, kwargs)


def compile_kernel(
    factory: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    flags: Sequence[str] = toolchain.OPTIMISED,
) -> CompiledKernel:
    """`compile_cpu` with the C++ compiler's flags chosen by the caller; () compiles without optimisation."""
    function = cpu_tir(factory, *args, **kwargs)
    include = Path(toolchain.import_tilelang().env.TILELANG_TEMPLATE_PATH)
    key = f"{_script(function)}\n{sorted(CPU_PASSES.items())}"
    library = build_library(key, lambda: _lower_library(function), flags, include)
    return CompiledKernel(_parameters(function, library.written), library)


def compile_many(jobs: Sequence[tuple[Callable[..., Any], Sequence[Any], dict[str, Any]]], workers: int = 2) -> list[Any]:
    """`compile_kernel` for each (factory, args, kwargs): a CompiledKernel or the BridgeError it ended with, in order.

    TileLang lowers one kernel at a time while C++ compilers run beside it.
    """

    def one(job: tuple[Callable[..., Any], Sequence[Any], dict[str, Any]]) -> CompiledKernel | BridgeError:
        try:
            return compile_kernel(*job)
        except BridgeError as error:
            return error

    toolchain.import_tilelang()
    with ThreadPoolExecutor(max_workers=max(1, workers)) as pool:
        return list(pool.map(one, jobs))


def compile_jit(factory: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What calling a factory returns: the GPU kernel, or the CPU kernel where cpu=True and dtype is float32."""
    from layabridge.kernels.factory import FAST

    cpu = bool(kwargs.get("cpu"))
    if cpu and factory.bind(*args, **kwargs).arguments.get("dtype") == "float32":
        return compile_kernel(factory, args, kwargs)
    function = factory.get_tir(*args, **kwargs)
    tilelang = toolchain.import_tilelang()
    if cpu:
        return tilelang.compile(function, target="c", pass_configs={**FAST, **CPU_PASSES})
    return GpuKernel(_parameters(function), tilelang.compile(function, pass_configs=FAST))


def lower_c(factory: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """The C source that TileLang makes of a factory's CPU specialisation; nothing is compiled."""
    function = cpu_tir(factory, *args, **kwargs)
    return str(_lower(function, {"kind": "c"}, CPU_PASSES).kernel_source)


def lower_cuda(factory: Callable[..., Any], *args: Any, arch: str = "sm_90a", **kwargs: Any) -> str:
    """The CUDA source of a factory's GPU specialisation for one of ARCHITECTURES; needs neither nvcc nor a GPU."""
    from layabridge.kernels.factory import FAST

    if arch not in ARCHITECTURES:
        raise InvalidArgument(f"arch must be one of {', '.join(ARCHITECTURES)}, got {arch!r}")
    function = _trace(factory, args, kwargs)
    return str(_lower(function, {"kind": "cuda", "arch": arch}, FAST).kernel_source)


def cpu_tir(factory: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The PrimFunc of a factory's CPU specialisation in float32, with CPU tiles where the caller names none."""
    if kwargs.get("dtype", "float32") != "float32":
        raise InvalidArgument(f"{FP32_ONLY}: dtype={kwargs['dtype']!r} is for the GPU")
    if not kwargs.get("cpu", True):
        raise InvalidArgument("a CPU kernel is compiled with cpu=True, got cpu=False")
    kwargs = {**kwargs, "cpu": True}
    tiles = getattr(factory, "cpu_tiles", None)
    if tiles is not None:
        given = factory.bind(*args, **kwargs).arguments  # type: ignore[attr-defined]
        if given.get("dtype", "float32") != "float32":
            raise InvalidArgument(f"{FP32_ONLY}: dtype={given['dtype']!r} is for the GPU")
        kwargs.update({name: value for name, value in tiles.items() if name not in given})
        if "dtype" in given:
            return _trace(factory, args, kwargs)
    return _trace(factory, args, {**kwargs, "dtype": "float32"})


def _trace(factory: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    toolchain.import_tilelang()
    trace = getattr(factory, "get_tir", factory)
    with toolchain.LOWERING, _diagnosed(f"tracing {getattr(factory, '__name__', factory)}"):
        return trace(*args, **kwargs)


def _lower(function: Any, target: dict[str, str], passes: dict[str, Any]) -> Any:
    tilelang = toolchain.import_tilelang()
    from tvm.target import Target

    where = Target(target)
    with (
        toolchain.LOWERING,
        _diagnosed(f"lowering to {target['kind']}"),
        tilelang.tvm.transform.PassContext(opt_level=3, config=passes),
        where,
    ):
        return tilelang.lower(function, target=where, enable_device_compile=False)


@contextlib.contextmanager
def _diagnosed(step: str) -> Iterator[None]:
    try:
        yield
    except (BridgeError, ValueError, TypeError) as error:
        if isinstance(error, BridgeError):
            raise
        raise InvalidArgument(f"{step}: {error}") from error
    except Exception as error:
        text = str(error).strip().splitlines() or [""]
        raise CompileFailed(f"{step}: {type(error).__name__}: {text[0]}") from error


def _script(function: Any) -> str:
    with toolchain.LOWERING:
        return str(function.script(show_meta=True))


def _lower_library(function: Any) -> Library:
    """The C source with the C symbol `call`, which takes the tensors in call order and then the dynamic sizes."""
    artifact = _lower(function, {"kind": "c"}, CPU_PASSES)
    ((symbol, entry),) = [(str(name.name_hint), body) for name, body in artifact.device_mod.functions.items()]
    names = [str(p.name) for p in entry.params]
    declared = re.search(rf"int32_t {symbol}\(([^)]*)\)", artifact.kernel_source)
    if declared is None:
        raise CompileFailed(f"lowering to c: no function {symbol} in the generated source")
    taken = dict(zip(names, declared.group(1).split(", ")))
    types = {"float32": "float*", "int32": "int32_t*"}
    formal = [taken.get(p.name) or f"{types.get(p.dtype, 'void*')} {p.name}" for p in _parameters(function)]
    formal += [f"int32_t {name}" for name in _dynamic(function)]
    source = (
        f"{through_pointers(artifact.kernel_source).rstrip()}\n\n"
        f'extern "C" int32_t call({", ".join(formal)}) {{\n  return {symbol}({", ".join(names)});\n}}\n'
    )
    readonly = {names[int(i)] for i in entry.attrs["tl.readonly_param_indices"]}
    written = tuple(p.name for p in _parameters(function) if p.name in taken and p.name not in readonly)
    return Library(source=source, written=written)


def _parameters(function: Any, written: Sequence[str] = ()) -> list[Parameter]:
    found = []
    for variable in function.params:
        buffer = function.buffer_map[variable]
        shape = tuple(int(d) if type(d).__name__ == "IntImm" else str(d.name) for d in buffer.shape)
        found.append(Parameter(str(buffer.name), str(buffer.dtype), shape, str(buffer.name) in written))
    return found


def _dynamic(function: Any) -> list[str]:
    return list(dict.fromkeys(d for p in _parameters(function) for d in p.shape if isinstance(d, str)))
