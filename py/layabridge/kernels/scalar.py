"""Scalar functions of a kernel's epilogue, as TileLang expressions on fp32.

Import this module inside a factory's body only: it imports TileLang.
"""

from collections.abc import Callable
from typing import Any

import tilelang.language as T

SQRT_HALF = 0.7071067811865476


def activation(name: str, cpu: bool) -> Callable[[Any], Any]:
    """The function named "none", "gelu" or "relu"."""
    return {"none": lambda x: x, "gelu": lambda x: gelu(x, cpu), "relu": relu}[name]


def relu(x: Any) -> Any:
    """max(x, 0) as torch has it: NaN stays NaN."""
    return T.if_then_else(x < 0.0, T.float32(0.0), x)


def gelu(x: Any, cpu: bool) -> Any:
    """x·Φ(x) with Φ the normal distribution function (the erf form, not the tanh approximation)."""
    return 0.5 * x * (1.0 + T.erf(x * SQRT_HALF))
