"""The errors that cross the boundary by code. Anything else arrives in Go as a remote Python exception."""

from __future__ import annotations


class BridgeError(Exception):
    """An error with one of the codes that Go knows. Raise a subclass, with expected and actual in the text."""

    code = "remote"


class InvalidArgument(BridgeError, ValueError):
    """A parameter of an op is missing, unknown, of the wrong type or out of range."""

    code = "invalid_argument"


class InvalidTensor(BridgeError, ValueError):
    """A tensor's dtype, shape, strides, device or overlap is not what the op takes."""

    code = "invalid_tensor"


class UnknownOp(BridgeError, LookupError):
    """No op, kernel or case of that name."""

    code = "unknown_op"


class PluginNotFound(BridgeError, ImportError):
    """There is no module of ops of that name."""

    code = "plugin_not_found"


class CompileFailed(BridgeError, RuntimeError):
    """TileLang or the C++ compiler refused a kernel; the text holds the first diagnostic."""

    code = "compile_failed"


class UnsupportedHere(BridgeError, RuntimeError):
    """This host lacks what the op needs (a GPU, a compiler, a package version)."""

    code = "unsupported_here"


class Cancelled(BridgeError):
    """The caller gave the call up."""

    code = "cancelled"
