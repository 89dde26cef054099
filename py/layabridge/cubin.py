"""GPU builds on any host: a kernel's CUDA source compiled by nvcc, with what ptxas says of registers and memory.

nvcc is TileLang's choice: below $CUDA_HOME or on PATH, else the one of the package nvidia-cuda-nvcc, which
`pip install layabridge[cuda-build]` brings. No GPU is needed.
"""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from layabridge import compile as compiling
from layabridge import toolchain
from layabridge.errors import CompileFailed, InvalidArgument, UnsupportedHere

# What one block may have at most, CUDA C++ Programming Guide, compute capabilities 8.0, 8.9 and 9.0.
SHARED_LIMIT_BYTES = {"sm_80": 163 << 10, "sm_89": 99 << 10, "sm_90a": 227 << 10}
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


@dataclasses.dataclass(frozen=True)
class Usage:
    """What ptxas reports of one kernel: registers a thread, bytes a thread spilled and kept on the stack, static bytes
    of shared memory a block."""

    registers: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int
    shared_bytes: int


@dataclasses.dataclass(frozen=True)
class Build:
    """A cubin with its figures. dynamic_shared_bytes is asked for at launch, on top of usage.shared_bytes."""

    arch: str
    usage: Usage
    threads: int
    dynamic_shared_bytes: int
    cubin: bytes
    seconds: float

    @property
    def too_big(self) -> str:
        """Why the kernel cannot be launched on its architecture; empty when it can."""
        wanted, limit = self.usage.shared_bytes + self.dynamic_shared_bytes, SHARED_LIMIT_BYTES[self.arch]
        return f"needs {wanted} bytes of shared memory, {self.arch} has {limit}" if wanted > limit else ""


def nvcc() -> Path:
    """The compiler's path. UnsupportedHere says how to get one, and what works without."""
    toolchain.import_tilelang()
    from tilelang.env import CUDA_HOME

    found = Path(CUDA_HOME or "/nonexistent") / "bin" / "nvcc"
    if not os.access(found, os.X_OK):
        where = f" below {CUDA_HOME}" if CUDA_HOME else ""
        raise UnsupportedHere(
            f"no nvcc{where}: install the extra cuda-build of layabridge, or set CUDA_HOME; CPU kernels and the CUDA "
            "source of every kernel need none"
        )
    return found


def build(factory: Callable[..., Any], *args: Any, arch: str = "sm_90a", **kwargs: Any) -> Build:
    """Compiles a factory's GPU specialisation as TileLang would. CompileFailed with nvcc's first diagnostic."""
    compiler = nvcc()
    artifact = compiling.cuda_artifact(factory, *args, arch=arch, **kwargs)
    functions = list(artifact.device_mod.functions.values())
    if len(functions) != 1:
        raise CompileFailed(f"lowering to cuda: expected one kernel, got {len(functions)}")
    attributes = functions[0].attrs
    began = time.monotonic()
    cubin, log = _compile(compiler, str(artifact.kernel_source), arch)
    threads = 1
    for axis in "xyz":
        threads *= int(attributes["thread_extent"].get(f"threadIdx.{axis}", 1))
    return Build(
        arch, usage(log), threads, int(attributes.get("dyn_shared_memory_buf", 0)), cubin, time.monotonic() - began
    )


def usage(log: str) -> Usage:
    """The figures of ptxas' verbose log, of one kernel. InvalidArgument when they are not there."""
    used, stack, shared = _USED.search(log), _STACK.search(log), _SHARED.search(log)
    if used is None or stack is None:
        raise InvalidArgument(f"ptxas' log: expected registers and spills of a kernel, got {log.strip()!r:.200}")
    frame, stores, loads = map(int, stack.groups())
    return Usage(int(used.group(1)), frame, stores, loads, int(shared.group(1)) if shared else 0)


def _compile(compiler: Path, source: str, arch: str) -> tuple[bytes, str]:
    from tilelang.env import CUTLASS_INCLUDE_DIR, TILELANG_TEMPLATE_PATH

    with tempfile.TemporaryDirectory(prefix="layactl-nvcc-") as folder:
        file, cubin = Path(folder) / "kernel.cu", Path(folder) / "kernel.cubin"
        file.write_text(source, encoding="utf-8")
        flags = ["--cubin", "-O3", "-lineinfo", "-std=c++20", "--use_fast_math", "--ptxas-options=--verbose", "-w"]
        includes = [
            f"-I{TILELANG_TEMPLATE_PATH}",
            f"-I{CUTLASS_INCLUDE_DIR}",
            f"-I{compiler.parent.parent / 'include'}",
        ]
        host = [f"-ccbin={toolchain.compiler()[-1]}"]
        command = [str(compiler), *host, *flags, f"-arch={arch}", *includes, "-o", str(cubin), str(file)]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "TMPDIR": folder, "LC_ALL": "C"},
            check=False,
        )
        if done.returncode != 0:
            said = toolchain.first_diagnostic(done.stderr)
            if "Unsupported .version" in done.stderr:
                said += "; nvidia-cuda-nvcc, nvidia-nvvm, nvidia-cuda-crt and nvidia-cuda-cccl must be of one version"
            raise CompileFailed(f"nvcc ended with status {done.returncode}: {said}")
        return cubin.read_bytes(), done.stderr
