"""The built-in kernels with their cases and tolerances, by name."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping

from layabridge.errors import UnknownOp
from layabridge.spec import KernelSpec

NAMES = ("gemm", "geglu", "add_ln", "rope", "attn")


class Kernels(Mapping[str, KernelSpec]):
    """Name -> KernelSpec; a spec's module is imported when it is first asked for."""

    def __getitem__(self, name: str) -> KernelSpec:
        if name not in NAMES:
            raise UnknownOp(f"no kernel {name!r}; kernels: {', '.join(NAMES)}")
        spec: KernelSpec = importlib.import_module(f"{__name__}.{name}").SPEC
        return spec

    def __contains__(self, name: object) -> bool:
        return name in NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


KERNELS: Mapping[str, KernelSpec] = Kernels()
