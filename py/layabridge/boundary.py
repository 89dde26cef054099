"""The only module that Go imports. Text and memory come in, JSON goes out; no exception leaves `call`."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import math
import platform
import sys
import traceback
from typing import Any

from layabridge import ops
from layabridge.errors import BridgeError, InvalidArgument, UnknownOp

_VERSIONED = ("torch", "tilelang", "transformers", "numpy")


class Boundary:
    """The ops of one module, served to one controller."""

    def __init__(self, module: str, progress_fd: int) -> None:
        # File descriptor 1 is the log's by now; print must not keep lines back until the process ends.
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
        self._module = module
        self._progress_fd = progress_fd
        self._ops: dict[str, ops.Op] = {}

    def info(self) -> str:
        """Imports the module of ops if that was not done yet, and describes it: JSON of {"result": Info}."""
        return self._guard(self._info)

    def call(self, call_id: int, op: str, params: str, tensors: tuple[tuple[Any, ...], ...]) -> str:
        """Runs one op: JSON of {"result": …} or {"error": {"code", "type", "message", "traceback"}}.

        tensors: (name, dtype, shape, memoryview of the bytes, writable) each. The memory is Go's, and lent for the call.
        """
        return self._guard(lambda: self._call(call_id, op, params, tensors))

    def _load(self) -> None:
        if not self._ops:
            self._ops = ops.collect(importlib.import_module(self._module))

    def _info(self) -> dict[str, Any]:
        self._load()
        import torch

        versions = {"python": platform.python_version(), "layabridge": _version("layabridge")}
        versions |= {name: v for name in _VERSIONED if (v := _version(name))}
        devices = [{"kind": "cpu", "name": platform.processor() or platform.machine()}]
        if torch.cuda.is_available():
            devices += [
                {"kind": "cuda", "name": torch.cuda.get_device_name(i)} for i in range(torch.cuda.device_count())
            ]
        return {
            "name": self._module,
            "version": versions["layabridge"],
            "ops": [o.describe() for o in self._ops.values()],
            "versions": versions,
            "devices": devices,
        }

    def _call(self, call_id: int, op: str, params: str, tensors: tuple[tuple[Any, ...], ...]) -> Any:
        self._load()
        if op not in self._ops:
            raise UnknownOp(f"no op {op!r}; ops: {', '.join(sorted(self._ops))}")
        decoded = json.loads(params)
        if not isinstance(decoded, dict):
            raise InvalidArgument(f"op {op}: parameters: expected a JSON object, got {type(decoded).__name__}")
        views = [ops.NamedTensor(name, _view(dtype, shape, memory), writable) for name, dtype, shape, memory, writable in tensors]
        return self._ops[op].call(views, decoded, ops.Context(call_id, self._progress_fd))

    def _guard(self, run: Any) -> str:
        try:
            return json.dumps({"result": run()}, allow_nan=False)
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: they must not end the plugin silently
            return json.dumps({"error": describe(error)})
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()


def describe(error: BaseException) -> dict[str, str]:
    """An exception as the wire carries it, chained causes included. A cancelled call shows up as KeyboardInterrupt."""
    if isinstance(error, KeyboardInterrupt):
        code = "cancelled"
    elif isinstance(error, BridgeError):
        code = error.code
    else:
        code = "remote"
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    text = _printable(str(error)) or name
    return {"code": code, "type": name, "message": text, "traceback": _printable("".join(traceback.format_exception(error)))}


def _printable(text: str) -> str:
    """Lone surrogates cannot travel as UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()


def _view(dtype: str, shape: tuple[int, ...], memory: memoryview) -> Any:
    """A torch tensor over the given bytes, without a copy."""
    import torch

    torch_dtype = getattr(torch, dtype)
    count = math.prod(shape)
    if count == 0:
        return torch.empty(shape, dtype=torch_dtype)
    return torch.frombuffer(memory, dtype=torch_dtype, count=count).view(shape)


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""
