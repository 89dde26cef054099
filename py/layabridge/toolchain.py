"""The C++ compiler, TileLang and the private folder that holds what they made for this host."""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
import platform
import re
import shlex
import shutil
import stat
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from layabridge.errors import CompileFailed, UnsupportedHere

# Neither -ffast-math nor -Ofast: a library linked with them turns on flush-to-zero for the whole process. Without
# -ffinite-math-only, infinities and NaN keep their meaning.
_OPTIMISED = (
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fassociative-math",
    "-fno-signed-zeros",
    "-fno-trapping-math",
)
# TileLang's tracer and passes run one at a time: their registries are not made for threads. Compilers run outside it.
LOWERING = threading.RLock()
_IMPORT = threading.Lock()


def import_tilelang() -> ModuleType:
    """The tilelang module, its own cache inside `cache_folder`. UnsupportedHere when it is not installed."""
    with _IMPORT:
        os.environ.setdefault("TILELANG_CACHE_DIR", str(_cache_root() / "jit"))
        os.environ.setdefault("TILELANG_PRINT_ON_COMPILATION", "0")
        try:
            return importlib.import_module("tilelang")
        except ImportError as error:
            raise UnsupportedHere(f"TileLang cannot be imported ({error}); install tilelang 0.1.14") from error


def compiler() -> tuple[str, ...]:
    """The C++ compiler's command: $CXX (words as in a shell, so "ccache g++" works), else g++, clang++ or c++ on PATH.

    UnsupportedHere when there is none.
    """
    named = os.environ.get("CXX", "").strip()
    if named:
        words = shlex.split(named)
        for word in words if words[0].endswith("ccache") else words[:1]:
            if not word.startswith("-") and shutil.which(word) is None:
                raise UnsupportedHere(f"CXX={named!r}: {word!r} is not an executable on PATH")
        return tuple(words)
    for name in ("g++", "clang++", "c++"):
        found = shutil.which(name)
        if found:
            return (found,)
    raise UnsupportedHere("no C++ compiler: none of g++, clang++, c++ is on PATH and CXX is not set")


def optimised() -> tuple[str, ...]:
    """The flags of a CPU kernel: for this host's instruction set, sums in any order, NaN and infinity kept."""
    return (*_OPTIMISED, "-mprefer-vector-width=512") if platform.machine() == "x86_64" else _OPTIMISED


def vector_registers() -> tuple[int, int]:
    """How many fp32 elements one of this host's vector registers holds, and how many registers there are."""
    if platform.machine() == "x86_64":
        flags = _cpu_flags().split()
        return (16, 32) if "avx512f" in flags else (8, 16) if "avx2" in flags else (4, 16)
    return (4, 32) if platform.machine() == "aarch64" else (4, 16)


def compile_library(source: Path, library: Path, flags: Sequence[str], include: Path) -> None:
    """Compile one C++ file to a shared library; the compiler's temporary files lie beside it.

    CompileFailed with the compiler's first diagnostic.
    """
    command = [*compiler(), "-std=c++17", "-fPIC", "-shared", *flags, f"-I{include}", str(source), "-o", str(library)]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "TMPDIR": str(library.parent), "LC_ALL": "C"},
            check=False,
        )
    except OSError as error:
        raise CompileFailed(f"{command[0]} did not start: {error}") from error
    if done.returncode != 0 or not library.exists():
        raise CompileFailed(
            f"{shlex.join(command[:1])} ended with status {done.returncode}: {first_diagnostic(done.stderr)}"
        )


def first_diagnostic(text: str) -> str:
    """The first line of a compiler's output that says what is wrong, else its first line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\b(error|fatal|cannot|not found)\b", line, re.IGNORECASE)]
    return (errors or lines or ["no diagnostic"])[0]


def cache_folder() -> Path:
    """The private (0700) folder of this host's compiled kernels: one per CPU instruction set, compiler and TileLang.

    UnsupportedHere when it cannot be made or belongs to someone else.
    """
    folder = _cache_root() / host_key()
    private_folder(folder)
    return folder


def host_key() -> str:
    """What a compiled kernel depends on besides its source: CPU flags, compiler with version, TileLang's version."""
    version = import_tilelang().__version__
    text = "\n".join([platform.machine(), _cpu_flags(), *_compiler_identity(compiler()), version])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def private_folder(folder: Path) -> None:
    """Make a folder that only its owner may enter. UnsupportedHere when that cannot be had."""
    try:
        for missing in [f for f in reversed((folder, *folder.parents)) if not f.exists()]:
            missing.mkdir(mode=0o700, exist_ok=True)
        found = folder.stat()
        if found.st_uid != os.getuid():
            raise UnsupportedHere(f"cache folder {folder} belongs to user {found.st_uid}; set LAYACTL_CACHE_DIR")
        if stat.S_IMODE(found.st_mode) != 0o700:
            folder.chmod(0o700)
    except OSError as error:
        raise UnsupportedHere(f"cache folder {folder} cannot be used: {error}; set LAYACTL_CACHE_DIR") from error


def _cache_root() -> Path:
    own = os.environ.get("LAYACTL_CACHE_DIR")
    base = Path(own) if own else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "layactl"
    root = base.absolute() / "tilelang"
    private_folder(root)
    return root


@functools.cache
def _cpu_flags() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith(("flags", "Features")):
                return " ".join(sorted(line.partition(":")[2].split()))
    except OSError:
        pass
    return platform.processor()


@functools.cache
def _compiler_identity(command: tuple[str, ...]) -> tuple[str, str]:
    path = os.path.realpath(shutil.which(command[-1]) or command[-1])
    try:
        done = subprocess.run(
            [*command, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise CompileFailed(f"{shlex.join(command)} --version failed: {error}") from error
    return path, done.stdout.splitlines()[0] if done.stdout else ""
