"""The tensors a compiled kernel takes, and the check of those it is given."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Sequence
from typing import Any, NoReturn

import torch

from layabridge.errors import InvalidArgument, InvalidTensor

MAX_SIZE = 2**31 - 2**16  # sizes are int32, and kernels round them up to whole tiles
_REMEMBERED = 256


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One tensor of a kernel: a dimension is a number, or the name of a dynamic size. written: the kernel writes it."""

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    written: bool = False


class Signature:
    """The parameters of a kernel on one kind of device ("cpu" or "cuda"). Safe to use from several threads."""

    def __init__(self, parameters: Sequence[Parameter], device: str) -> None:
        self.parameters = tuple(parameters)
        self.device = device
        self.sizes = tuple(dict.fromkeys(d for p in parameters for d in p.shape if isinstance(d, str)))
        written = [i for i, p in enumerate(parameters) if p.written]
        self._pairs = [(i, j) for i in written for j in range(len(parameters)) if i != j]
        self._outputs = written or [len(parameters) - 1]
        self._on_device = operator.attrgetter("is_cpu" if device == "cpu" else "is_cuda")
        self._dtypes = tuple(getattr(torch, p.dtype) for p in parameters)
        # Shapes that were found right: the dynamic sizes, the tensors' sizes in bytes, and whether an output is empty.
        self._known: dict[tuple[torch.Size, ...], tuple[tuple[int, ...], tuple[int, ...], bool]] = {}

    def arguments(self, tensors: tuple[Any, ...]) -> tuple[int, ...] | None:
        """The tensors' addresses and then the dynamic sizes; None when an output is empty and nothing is to be done.

        InvalidArgument for a wrong count; InvalidTensor names the tensor that does not fit, before any is read.
        """
        try:
            sizes, lengths, empty = self._known[tuple([t.shape for t in tensors])]
            fits = True
            for tensor, dtype in zip(tensors, self._dtypes, strict=True):
                if tensor.dtype is not dtype or not tensor.is_contiguous() or not self._on_device(tensor):
                    fits = False
        except (KeyError, AttributeError, TypeError, ValueError, RuntimeError):
            fits = False
        if not fits:
            sizes, lengths, empty = self._check(tensors)
        starts = [t.data_ptr() for t in tensors]
        for i, j in self._pairs:
            # An empty tensor overlaps nothing, wherever its address lies.
            if starts[i] < starts[j] + lengths[j] and starts[j] < starts[i] + lengths[i] and lengths[i] and lengths[j]:
                _refuse(self.parameters[i], f"is written and shares memory with tensor {self.parameters[j].name}")
        return None if empty else (*starts, *sizes)

    def _check(self, tensors: tuple[Any, ...]) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
        if len(tensors) != len(self.parameters):
            names = ", ".join(p.name for p in self.parameters)
            raise InvalidArgument(f"the kernel takes {len(self.parameters)} tensors ({names}), got {len(tensors)}")
        sizes: dict[str, tuple[int, str]] = {}
        for parameter, dtype, tensor in zip(self.parameters, self._dtypes, tensors, strict=True):
            self._check_kind(parameter, dtype, tensor)
            _check_shape(parameter, tensor, sizes)
            if not tensor.is_contiguous():
                shape, strides = list(tensor.shape), list(tensor.stride())
                _refuse(parameter, f"must be contiguous, got shape {shape} with strides {strides}")
        values = tuple(sizes[name][0] for name in self.sizes)
        lengths = tuple(t.numel() * t.element_size() for t in tensors)
        empty = any(lengths[i] == 0 for i in self._outputs)
        if 0 in values and not empty:
            # A kernel may divide by a dynamic size, and integer division by 0 ends the process.
            name = self.sizes[values.index(0)]
            raise InvalidTensor(f"tensor {sizes[name][1]} has {name} = 0, but there are outputs to compute")
        found = values, lengths, empty
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[tuple([t.shape for t in tensors])] = found
        return found

    def _check_kind(self, parameter: Parameter, dtype: torch.dtype, tensor: Any) -> None:
        if not isinstance(tensor, torch.Tensor):
            _refuse(parameter, f"must be a torch.Tensor, got {type(tensor).__name__}")
        if tensor.layout is not torch.strided:
            _refuse(parameter, f"must be a dense tensor, got layout {tensor.layout}")
        if tensor.dtype is not dtype:
            _refuse(parameter, f"must be {parameter.dtype}, got {str(tensor.dtype).removeprefix('torch.')}")
        if tensor.device.type != self.device:
            _refuse(parameter, f"must be on {self.device}, got {tensor.device}")


def _check_shape(parameter: Parameter, tensor: torch.Tensor, sizes: dict[str, tuple[int, str]]) -> None:
    """Compare a tensor's shape with its parameter's; sizes: the dynamic sizes so far, and the tensor each is from."""
    shape = list(tensor.shape)
    expected = f"[{', '.join(map(str, parameter.shape))}]"
    if len(shape) != len(parameter.shape):
        _refuse(parameter, f"must have shape {expected}, got {shape}")
    for dim, size in zip(parameter.shape, shape, strict=True):
        if isinstance(dim, int):
            if size != dim:
                _refuse(parameter, f"must have shape {expected}, got {shape}")
            continue
        if size > MAX_SIZE:
            _refuse(parameter, f"has {dim} = {size}, the most is {MAX_SIZE}")
        first, of = sizes.setdefault(dim, (size, parameter.name))
        if size != first:
            _refuse(parameter, f"has {dim} = {size}, but tensor {of} has {dim} = {first}")


def _refuse(parameter: Parameter, what: str) -> NoReturn:
    raise InvalidTensor(f"tensor {parameter.name} {what}")
