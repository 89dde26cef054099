"""Scalar functions of a kernel's epilogue, as TileLang expressions on fp32.

Import this module inside a factory's body only: it imports TileLang.
"""

from collections.abc import Callable
from typing import Any

import tilelang.language as T

SQRT_HALF = 0.7071067811865476
LOG2_E = 1.4426950408889634


def activation(name: str, cpu: bool) -> Callable[[Any], Any]:
    """The function named "none", "gelu" or "relu"."""
    return {"none": lambda x: x, "gelu": lambda x: gelu(x, cpu), "relu": relu}[name]


def relu(x: Any) -> Any:
    """max(x, 0) as torch has it: NaN stays NaN; the result of -0.0 is a zero of either sign."""
    return T.if_then_else(x < 0.0, T.float32(0.0), x)


def gelu(x: Any, cpu: bool) -> Any:
    """x·Φ(x), Φ the normal distribution function (the erf form, not the tanh approximation). NaN stays NaN.

    The CPU has no vector erf: there it is max(x, 0) - |x|·erfc(|x|/√2)/2, which loses nothing to cancellation, with
    erfc from Abramowitz & Stegun 7.1.26 (error below 1.5e-7). It gives +inf for +inf, and for -inf the limit 0.
    """
    if not cpu:
        return 0.5 * x * (1.0 + T.erf(x * SQRT_HALF))
    size = T.min(T.max(x, -x), 16.0)  # beyond 6 erfc adds nothing, and inf * 0 is NaN
    return relu(x) - 0.5 * size * _erfc(size * SQRT_HALF)


def exp2(x: Any) -> Any:
    """2 to the power of x for x <= 0, relative error below 2e-7, in arithmetic that a C++ compiler vectorises.

    The whole part of x goes into the exponent's bits, the rest in [-1/2, 1/2] into a polynomial (minimax, degree 6).
    Below -80 it is 2**-80: smaller results would be, or make, denormal numbers, which are four times slower.
    """
    bounded = T.max(x, -80.0)
    whole = T.floor(bounded + 0.5)
    return exp2_of_parts(whole, bounded - whole)


def exp2_of_parts(whole: Any, r: Any) -> Any:
    """2 to the power of whole + r, for a whole number in -126..127 and r in [-1/2, 1/2]. A NaN in r stays NaN."""
    power = 1.0 + r * (
        0.69314718 + r * (0.24022648 + r * (0.055503324 + r * (0.009618437 + r * (0.0013398875 + r * 0.0001535336))))
    )
    return power * T.reinterpret((T.cast(whole, "int32") + 127) << 23, "float32")


def _erfc(z: Any) -> Any:
    """1 - erf(z) for z >= 0: Abramowitz & Stegun, Handbook of Mathematical Functions, 7.1.26."""
    t = 1.0 / (1.0 + 0.3275911 * z)
    series = 0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    return t * series * exp2(z * z * -LOG2_E)
