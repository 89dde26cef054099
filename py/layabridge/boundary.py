"""The only module that Go imports. Text and memory come in, JSON goes out; no exception leaves `call`."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import platform
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from layabridge import ops
from layabridge.errors import BridgeError, InvalidArgument, PluginNotFound, UnknownOp
from layabridge.views import Operand

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

        tensors: (name, dtype, shape, memoryview of the bytes, writable) each. The memory is Go's, lent for the call.
        """
        return self._guard(lambda: self._call(call_id, op, params, tensors))

    def _load(self) -> None:
        if not self._ops:
            self._ops = ops.collect(_import(self._module))

    def _info(self) -> dict[str, Any]:
        self._load()
        versions = {"python": platform.python_version(), "layabridge": _version("layabridge")}
        versions |= {name: v for name in _VERSIONED if (v := _version(name))}
        devices = [{"kind": "cpu", "name": platform.processor() or platform.machine()}]
        torch = sys.modules.get("torch")  # a module that does without it shall not wait for it
        if torch is not None and torch.cuda.is_available():
            devices += [
                {"kind": "cuda", "name": torch.cuda.get_device_name(i)} for i in range(torch.cuda.device_count())
            ]
        return {
            "name": Path(self._module).stem if self._module.endswith(".py") else self._module,
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
        return self._ops[op].call([Operand(*t) for t in tensors], decoded, ops.Context(call_id, self._progress_fd))

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
    return {
        "code": code,
        "type": name,
        "message": text,
        "traceback": _printable("".join(traceback.format_exception(error))),
    }


def _printable(text: str) -> str:
    """Lone surrogates cannot travel as UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()


def _import(module: str) -> ModuleType:
    """The module of that name, or of that file, whose folder is then searched for imports first, as for a script."""
    if not module.endswith(".py"):
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module and not module.startswith(f"{error.name}."):
                raise  # something that the module imports is missing
            raise PluginNotFound(f"no module {module}; Python looked in {', '.join(sys.path)}") from error
    file = Path(module)
    if not file.is_file():
        raise PluginNotFound(f"no module {module}: expected a Python file there")
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise PluginNotFound(f"no module {module}: Python has no loader for it")
    loaded = sys.modules[file.stem] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(loaded)
    except BaseException:
        sys.path.remove(str(file.parent))
        del sys.modules[file.stem]
        raise
    return loaded


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""
