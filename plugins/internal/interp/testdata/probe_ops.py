"""Ops for the interpreter's tests: each does, really, what its name says."""

import ctypes
import os
import signal
import subprocess
import sys
import time

import torch

from layabridge.errors import InvalidArgument
from layabridge.ops import Context, NamedTensor, op


@op
def environment() -> dict:
    child = subprocess.run(
        [sys.executable, "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True, check=True
    )
    return {"prefix": sys.prefix, "executable": sys.executable, "child_prefix": child.stdout.strip(), "argv": sys.argv}


@op
def double(x: torch.Tensor) -> dict:
    """Doubles x in place."""
    x *= 2
    return {"address": x.data_ptr(), "shape": list(x.shape), "dtype": str(x.dtype)}


@op
def resident(*tensors: NamedTensor) -> int:
    """Private memory of this process in bytes, after looking at the tensors."""
    for t in tensors:
        t.tensor.sum()
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("RssAnon"))


@op
def typed(*, count: int, factor: float = 0.5, name: str = "x", flags: list | None = None) -> list:
    return [count, factor, name, flags]


@op
def fail(*, text: str) -> None:
    try:
        {}["missing"]
    except KeyError as cause:
        raise ValueError(text) from cause


@op
def refuse() -> None:
    raise InvalidArgument("expected 3 rows, got 5")


@op
def leave(*, how: str) -> None:
    if how == "SystemExit":
        sys.exit(3)
    raise KeyboardInterrupt


@op
def unserialisable() -> object:
    return object()


@op
def not_a_number() -> float:
    return float("nan")


@op
def loop(*, context: Context) -> None:
    context.progress("looping")
    while True:
        pass


@op
def hold_the_lock(*, context: Context) -> None:
    """Sleeps in C without letting go of the interpreter lock, also when an interrupt comes before it does."""
    sleep = ctypes.PyDLL(None).sleep
    try:
        context.progress("holding")
        sleep(60)
    except KeyboardInterrupt:
        sleep(60)


@op
def steps(*, count: int, context: Context) -> None:
    for i in range(count):
        context.progress(f"step {i}", i / count)


@op
def say() -> None:
    print("from print")
    os.write(1, b"from os.write\n")
    libc = ctypes.CDLL(None)
    libc.printf(b"from printf\n")
    libc.fflush(None)


@op
def die(*, how: str) -> None:
    if how == "SIGSEGV":
        ctypes.string_at(8)
    elif how == "SIGABRT":
        os.abort()
    elif how == "exit":
        os._exit(3)
    elif how == "SIGKILL":
        os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)


@op
def handlers() -> dict:
    """Which signals have a handler outside this program or without an alternate stack, after TileLang was imported."""
    import tilelang  # noqa: F401

    return foreign_handlers()


class _Action(ctypes.Structure):
    _fields_ = [
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_ulong * 16),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    ]


@op
def foreign_handlers() -> dict:
    program = os.path.realpath("/proc/self/exe")
    with open("/proc/self/maps") as maps:
        ours = [
            tuple(int(x, 16) for x in line.split()[0].split("-")) for line in maps if line.rstrip().endswith(program)
        ]
    libc, found = ctypes.CDLL(None), {}
    for number in range(1, 65):
        action = _Action()
        if libc.sigaction(number, None, ctypes.byref(action)) != 0 or (action.handler or 0) in (0, 1):
            continue
        inside = any(low <= action.handler < high for low, high in ours)
        if not inside or not action.flags & 0x08000000:
            found[str(number)] = {"inside": inside, "flags": action.flags}
    return found
