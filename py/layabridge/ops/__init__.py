"""How a Python function becomes an op: a named function that a plugin offers.

    from layabridge.ops import Context, op

    @op
    def scale(x: torch.Tensor, y: torch.Tensor, *, by: float = 1.0, context: Context) -> dict:
        torch.mul(x, by, out=y)
        context.progress("scaled", 1.0)
        return {"rows": x.shape[0]}

Positional parameters are tensors in the shared segment, matched by name; `*tensors` takes any number in call order.
A tensor is a torch.Tensor, or a numpy.ndarray or memoryview where the annotation says so: see layabridge.views.
`*tensors: NamedTensor` are torch tensors with their names, `*tensors: Operand` the bytes with dtype and shape.
Keyword-only parameters come from the caller's JSON and are checked against their annotation. `context` is filled in.
The return value must be JSON. A tensor is valid until the op returns: an op that wants to keep one clones it.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import typing
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType, NoneType, UnionType
from typing import Any

from layabridge.errors import InvalidArgument, InvalidTensor
from layabridge.views import Operand

_EMPTY = inspect.Parameter.empty


@dataclasses.dataclass(frozen=True)
class Context:
    """What an op may use beside its arguments."""

    call_id: int
    progress_fd: int

    def progress(self, text: str, fraction: float = -1.0) -> None:
        """Tells the caller how far the op is; fraction is the share done from 0 to 1, negative if unknown."""
        line = json.dumps({"call": self.call_id, "text": text, "fraction": fraction}) + "\n"
        os.write(self.progress_fd, line.encode())


@dataclasses.dataclass(frozen=True)
class NamedTensor:
    """A tensor as the caller passed it: its name, its torch view, and whether the op may write to it."""

    name: str
    tensor: Any
    writable: bool


@dataclasses.dataclass(frozen=True)
class Op:
    """A function with what its signature says."""

    name: str
    function: Callable[..., Any]
    tensors: Mapping[str, Any]  # name to annotation
    variadic: bool
    raw: bool  # the variadic tensors stay operands
    parameters: Mapping[str, inspect.Parameter]
    free_parameters: bool
    wants_context: bool

    def describe(self) -> dict[str, Any]:
        """Name, first line of the docstring and parameters, as Info gives them."""
        parameters = []
        for p in self.parameters.values():
            entry = {"name": p.name, "type": _type_name(p.annotation)}
            if p.default is not _EMPTY:
                entry["default"] = p.default
            parameters.append(entry)
        doc = inspect.getdoc(self.function) or ""
        return {"name": self.name, "doc": doc.split("\n", 1)[0], "parameters": parameters}

    def call(self, tensors: Sequence[Operand], params: Mapping[str, Any], context: Context) -> Any:
        """Runs the op. InvalidTensor and InvalidArgument name what does not fit the signature."""
        keywords = self._keywords(params)
        if self.wants_context:
            keywords["context"] = context
        return self.function(*self._positional(tensors), **keywords)

    def _positional(self, tensors: Sequence[Operand]) -> list[Any]:
        if self.raw:
            return list(tensors)
        if self.variadic:
            return [NamedTensor(t.name, t.view(None), t.writable) for t in tensors]
        given = {t.name: t for t in tensors}
        if len(given) != len(tensors) or set(given) != set(self.tensors):
            raise InvalidTensor(
                f"op {self.name}: expected the tensors {', '.join(self.tensors) or '(none)'}, "
                f"got {', '.join(t.name for t in tensors) or '(none)'}"
            )
        return [given[name].view(annotation) for name, annotation in self.tensors.items()]

    def _keywords(self, params: Mapping[str, Any]) -> dict[str, Any]:
        unknown = set(params) - set(self.parameters)
        if unknown and not self.free_parameters:
            raise InvalidArgument(
                f"op {self.name}: unknown parameter {', '.join(sorted(unknown))}; "
                f"parameters: {', '.join(self.parameters) or '(none)'}"
            )
        keywords = {name: params[name] for name in unknown}
        for name, p in self.parameters.items():
            if name in params:
                keywords[name] = _checked(self.name, name, params[name], p.annotation)
            elif p.default is _EMPTY:
                raise InvalidArgument(f"op {self.name}: parameter {name} ({_type_name(p.annotation)}) is missing")
        return keywords


def op(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a function as an op under its own name."""
    function.__layabridge_op__ = True  # type: ignore[attr-defined]
    return function


def make_op(function: Callable[..., Any], name: str | None = None) -> Op:
    """Reads a function's signature. TypeError says which parameter cannot be passed by a caller."""
    signature = inspect.signature(function, eval_str=True)
    tensors: dict[str, Any] = {}
    parameters: dict[str, inspect.Parameter] = {}
    variadic = raw = free = wants_context = False
    for p in signature.parameters.values():
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            if p.default is not _EMPTY:
                raise TypeError(f"op {function.__name__}: parameter {p.name} has a default, so put it behind *")
            tensors[p.name] = p.annotation
        elif p.kind is p.VAR_POSITIONAL:
            variadic, raw = True, p.annotation is Operand
        elif p.kind is p.VAR_KEYWORD:
            free = True
        elif p.name == "context":
            wants_context = True
        else:
            parameters[p.name] = p
    if variadic and tensors:
        raise TypeError(f"op {function.__name__}: takes either named tensors or *tensors, not both")
    return Op(name or function.__name__, function, tensors, variadic, raw, parameters, free, wants_context)


def collect(module: ModuleType) -> dict[str, Op]:
    """The ops of a module: its marked functions, and those of `extra_ops()` if it has one."""
    ops = {}
    for function in vars(module).values():
        if getattr(function, "__layabridge_op__", False):
            made = make_op(function)
            ops[made.name] = made
    for made in getattr(module, "extra_ops", tuple)():
        ops[made.name] = made
    if not ops:
        raise InvalidArgument(f"module {module.__name__} has no op: mark functions with @layabridge.ops.op")
    return ops


def _checked(op_name: str, name: str, value: Any, annotation: Any) -> Any:
    """The value if it is of the annotated type; an int passes for a float. Containers are checked at the top only."""
    if annotation in (_EMPTY, Any):
        return value
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, UnionType):
        kinds = typing.get_args(annotation)
    else:
        kinds = (annotation,)
    for kind in kinds:
        plain = typing.get_origin(kind) or kind
        if plain is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if plain is int and isinstance(value, bool):
            continue
        if (plain is NoneType and value is None) or (isinstance(plain, type) and isinstance(value, plain)):
            return value
    raise InvalidArgument(
        f"op {op_name}: parameter {name}: expected {_type_name(annotation)}, got {type(value).__name__} {value!r:.60}"
    )


def _type_name(annotation: Any) -> str:
    if annotation in (_EMPTY, Any):
        return "any"
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).replace("typing.", "")
