"""What a kernel is, as data: the five built-in kernels and a user's own are described by the same classes.

Shape letters: M rows (B*L flattened), N output features, K input features, F feed-forward width, D hidden width,
B batch, L tokens, H heads, Dh head width. A dimension is an int, a letter, or a product such as "3*H*Dh".
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from layabridge.errors import InvalidArgument, UnknownOp

if TYPE_CHECKING:
    import torch

ROLES = ("in", "inout", "out")


@dataclasses.dataclass(frozen=True)
class TensorSpec:
    """One tensor of a kernel's call.

    role: "in" (must not change), "inout" (updated in place) or "out" (written whole, never read).
    dtype: a torch dtype's name, or "act" for the kernel's activation dtype (float32 on the CPU).
    """

    name: str
    role: str
    dtype: str
    shape: tuple[int | str, ...]

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"tensor {self.name}: role must be one of {', '.join(ROLES)}, got {self.role!r}")

    def resolve(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """The concrete shape for the given letters. InvalidArgument names a letter that has no size."""
        return tuple(_dimension(d, sizes, self.name) for d in self.shape)


@dataclasses.dataclass(frozen=True)
class Case:
    """One input to a kernel: sizes of the shape letters, the factory's options, and how values are chosen.

    values: a name that the spec's `inputs` understands ("normal" unless said otherwise).
    static: letters that are compiled in; letters not named stay dynamic where the factory allows it.
    tolerances: absolute tolerance per output tensor where it differs from the spec's.
    cuda_tolerances: the same between CPU and CUDA.
    expects_nan: NaN must stand in the output exactly where the reference has it; otherwise any NaN fails.
    """

    name: str
    sizes: Mapping[str, int]
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    values: str = "normal"
    static: tuple[str, ...] = ()
    tolerances: Mapping[str, float] = dataclasses.field(default_factory=dict)
    cuda_tolerances: Mapping[str, float] = dataclasses.field(default_factory=dict)
    expects_nan: bool = False
    note: str = ""


@dataclasses.dataclass(frozen=True)
class KernelSpec:
    """A kernel with its definition and its proof.

    factory: TileLang factory (see layabridge.kernels); called with the args and kwargs that `arguments` returns.
    arguments: (case) -> (args, kwargs) of the factory, tile and dtype options left out.
    reference: (case, tensors by name) -> outputs by name, plain PyTorch in float32, inputs left as they were.
    inputs: (case, generator) -> tensors by name for every "in" and "inout" tensor, float32 where the spec says "act".
    tolerances: absolute CPU-against-reference tolerance per "out" or "inout" tensor; 0.0 asks for equality.
    upstream_max_abs_diff: what upstream's kernels reach on their own cases, for the summary.
    cuda_tolerances: the same as tolerances between the CPU kernel and the CUDA kernel in 16 bits, on inputs rounded to
        the 16-bit dtype; a spec without them is not compared with CUDA.
    upstream_cuda_max_abs_diff: what upstream's kernels reach there.
    torch: (case, tensors by name) -> Any, the same computation as a torch user would write it for speed; timed by
        `kernel bench`. Without it the reference is timed.
    bench: the sizes that `kernel bench` times; without any, the last case.
    """

    name: str
    factory: Callable[..., Any]
    reference: Callable[[Case, Mapping[str, torch.Tensor]], dict[str, torch.Tensor]]
    tensors: tuple[TensorSpec, ...]
    arguments: Callable[[Case], tuple[tuple[Any, ...], dict[str, Any]]]
    inputs: Callable[[Case, torch.Generator], dict[str, torch.Tensor]]
    cases: tuple[Case, ...]
    tolerances: Mapping[str, float]
    probe: Case
    upstream_max_abs_diff: float | None = None
    cuda_tolerances: Mapping[str, float] = dataclasses.field(default_factory=dict)
    upstream_cuda_max_abs_diff: float | None = None
    torch: Callable[[Case, Mapping[str, torch.Tensor]], Any] | None = None
    bench: tuple[Case, ...] = ()

    def __post_init__(self) -> None:
        names = [c.name for c in self.cases]
        twice = {n for n in names if names.count(n) > 1}
        if twice:
            raise ValueError(f"kernel {self.name}: case names must be unique, got {', '.join(sorted(twice))} twice")
        outputs = {t.name for t in self.tensors if t.role != "in"}
        for given in (self.tolerances, self.cuda_tolerances or self.tolerances):
            if outputs != set(given):
                raise ValueError(f"kernel {self.name}: tolerances must name {sorted(outputs)}, got {sorted(given)}")

    def case(self, name: str) -> Case:
        """The case of that name. UnknownOp lists the names there are."""
        for c in self.cases:
            if c.name == name:
                return c
        raise UnknownOp(f"kernel {self.name} has no case {name!r}; cases: {', '.join(c.name for c in self.cases)}")

    def tolerances_of(self, case: Case) -> dict[str, float]:
        """The absolute tolerances that hold for a case, by output tensor."""
        return {**self.tolerances, **case.tolerances}

    def cuda_tolerances_of(self, case: Case) -> dict[str, float]:
        """The same for CPU against CUDA; empty where the spec has none."""
        return {**self.cuda_tolerances, **case.cuda_tolerances} if self.cuda_tolerances else {}

    def bench_cases(self) -> tuple[Case, ...]:
        """The cases that `kernel bench` times."""
        return self.bench or self.cases[-1:]


def _dimension(dim: int | str, sizes: Mapping[str, int], tensor: str) -> int:
    if isinstance(dim, int):
        return dim
    factors = []
    for part in dim.split("*"):
        letters, _, divisor = part.strip().partition("/")
        if letters.isdigit():
            value = int(letters)
        elif letters in sizes:
            value = sizes[letters]
        else:
            raise InvalidArgument(f"tensor {tensor}: dimension {dim!r} needs a size for {letters!r}, got {dict(sizes)}")
        factors.append(value // int(divisor) if divisor else value)
    return math.prod(factors)
