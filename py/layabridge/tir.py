"""What a TileLang PrimFunc says of its tensors, and the C library that is made of its lowered form."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from layabridge.arguments import Parameter
from layabridge.errors import CompileFailed
from layabridge.library import Library, plain_headers, through_pointers

_WRITES = 2  # the bit of a TileLang region's access mask


def parameters(function: Any, written: Collection[str]) -> list[Parameter]:
    """The tensors of a PrimFunc in call order; `written` names those that the kernel writes."""
    found = []
    for variable in function.params:
        buffer = function.buffer_map[variable]
        shape = tuple(int(d) if hasattr(d, "value") else str(d.name) for d in buffer.shape)
        found.append(Parameter(str(buffer.name), str(buffer.dtype), shape, str(buffer.name) in written))
    return found


def written(function: Any) -> set[str]:
    """Names of the buffers that a PrimFunc stores to, by element or by tile, its own tiles among them."""
    from tvm import tirx
    from tvm.tirx.stmt_functor import post_order_visit

    names: set[str] = set()

    def visit(node: Any) -> None:
        if isinstance(node, tirx.BufferStore):
            names.add(str(node.buffer.name))
        elif isinstance(node, tirx.Call) and str(node.op.name) == "tl.region" and int(node.args[1]) & _WRITES:
            names.add(str(node.args[0].buffer.name))

    post_order_visit(function.body, visit)
    return names


def library(function: Any, artifact: Any) -> Library:
    """The C source of a PrimFunc lowered for the CPU, not compiled yet.

    TileLang orders the C function's parameters by name and leaves out those that are not used. The C symbol `call` is
    added: it takes every tensor in call order, and then the dynamic sizes in the order in which they first appear.
    """
    entries = list(artifact.device_mod.functions.items())
    if len(entries) != 1:
        raise CompileFailed(f"lowering to c: expected one function, got {len(entries)}")
    symbol, entry = str(entries[0][0].name_hint), entries[0][1]
    names = [str(p.name) for p in entry.params]
    declared = re.search(rf"int32_t {symbol}\(([^)]*)\)", artifact.kernel_source)
    if declared is None:
        raise CompileFailed(f"lowering to c: no function {symbol} in the generated source")
    formal = dict(zip(names, declared.group(1).split(", "), strict=True))
    tensors = parameters(function, ())
    sizes = dict.fromkeys(d for p in tensors for d in p.shape if isinstance(d, str))
    taken = [formal.get(p.name, f"void* {p.name}") for p in tensors] + [f"int32_t {name}" for name in sizes]
    readonly = {names[int(i)] for i in entry.attrs.get("tl.readonly_param_indices", ())}  # absent when all are written
    return Library(
        source=(
            f"{plain_headers(through_pointers(artifact.kernel_source)).rstrip()}\n\n"
            f'extern "C" int32_t call({", ".join(taken)}) {{\n  return {symbol}({", ".join(names)});\n}}\n'
        ),
        written=tuple(p.name for p in tensors if p.name in formal and p.name not in readonly),
    )
