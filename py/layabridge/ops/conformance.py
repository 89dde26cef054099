"""The optional ops by which the conformance suite looks into a plugin; bridge/bridgetest says what each must do.

A module of ops offers them with

    from layabridge.ops import conformance

    def extra_ops():
        yield from collect(conformance).values()
"""

from __future__ import annotations

import os
import time
from typing import Any

from layabridge import errors
from layabridge.ops import Context, op
from layabridge.views import Operand

_PLUS_ONE = bytes((i + 1) % 256 for i in range(256))


@op
def conform_echo(*, value: Any) -> Any:
    """Returns its parameter."""
    return value


@op
def conform_describe(*tensors: Operand) -> list[dict[str, Any]]:
    """Returns name, dtype, shape, size in bytes and writable of each tensor."""
    return [
        {"name": t.name, "dtype": t.dtype, "shape": t.shape, "bytes": len(t.memory), "writable": t.writable}
        for t in tensors
    ]


@op
def conform_increment(*tensors: Operand) -> None:
    """Adds 1 to every byte, modulo 256."""
    for t in tensors:
        t.memory[:] = bytes(t.memory).translate(_PLUS_ONE)


@op
def conform_progress(*, count: int, context: Context) -> None:
    """Reports "step 0" and so on, count of them."""
    for i in range(count):
        context.progress(f"step {i}", i / count)


@op
def conform_fail(*, code: str, text: str) -> None:
    """Fails with the code; with code remote it raises an exception that has a cause."""
    for kind in errors.BridgeError.__subclasses__():
        if kind.code == code:
            raise kind(text)
    if code == "remote":
        try:
            raise KeyError("the cause")
        except KeyError as cause:
            raise ValueError(text) from cause
    made = type("Conformance", (errors.BridgeError,), {"code": code})
    raise made(text)


@op
def conform_wait(*, context: Context) -> None:
    """Reports "waiting" and waits until it is cancelled."""
    context.progress("waiting")
    while True:
        time.sleep(0.005)


@op
def conform_exit(*, status: int) -> None:
    """Ends the process at once, with that status."""
    os._exit(status)
