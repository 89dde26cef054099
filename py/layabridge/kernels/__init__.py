"""The kernels: factories with upstream's public signatures. Importing this package does not import TileLang."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from layabridge.kernels.factory import DTYPES, FAST

_FACTORIES = {
    "gemm_kernel": "gemm",
    "gemm_geglu_kernel": "geglu",
    "add_ln_kernel": "add_ln",
    "rope_kernel": "rope",
    "attn_kernel": "attn",
}

__all__ = [
    "DTYPES",
    "FAST",
    "add_ln_kernel",
    "attn_kernel",
    "compile_cpu",
    "gemm_geglu_kernel",
    "gemm_kernel",
    "rope_kernel",
]


def compile_cpu(factory: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The CPU kernel of a factory: see `layabridge.compile.compile_cpu`."""
    from layabridge.compile import compile_cpu as compiled

    return compiled(factory, *args, **kwargs)


def __getattr__(name: str) -> Any:
    if name not in _FACTORIES:
        raise AttributeError(f"module {__name__} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_FACTORIES[name]}"), name)
