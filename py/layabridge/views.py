"""A tensor of the segment as Python sees it: a torch tensor, a numpy array or a memoryview over the same bytes.

The annotation of an op's parameter chooses: `numpy.ndarray` (or `numpy.typing.NDArray`), `memoryview`, else torch.
Each library is imported when its first view is made, so a module of ops needs only what it names.
"""

from __future__ import annotations

import dataclasses
import math
import typing
from typing import Any

from layabridge.errors import InvalidTensor

_FORMATS: dict[str, Any] = {
    "float64": "d",
    "float32": "f",
    "int64": "q",
    "int32": "i",
    "int16": "h",
    "int8": "b",
    "uint8": "B",
    "bool": "?",
}


@dataclasses.dataclass(frozen=True)
class Operand:
    """One tensor of a call. The memory is the segment's, and lent until the op returns."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    memory: memoryview
    writable: bool

    def view(self, annotation: Any) -> Any:
        """The operand as the annotation asks for it, without a copy."""
        kind = typing.get_origin(annotation) or annotation
        if kind is memoryview:
            return self._memoryview()
        if getattr(kind, "__module__", "") == "numpy" and getattr(kind, "__name__", "") == "ndarray":
            return self._numpy()
        return self._torch()

    def _torch(self) -> Any:
        import torch

        dtype, count = getattr(torch, self.dtype), math.prod(self.shape)
        if count == 0:
            return torch.empty(self.shape, dtype=dtype)
        return torch.frombuffer(self.memory, dtype=dtype, count=count).view(self.shape)

    def _numpy(self) -> Any:
        """An array that refuses to be written to when the caller did not allow it."""
        import numpy

        if self.dtype == "bfloat16":
            raise InvalidTensor(f"tensor {self.name} is bfloat16, which numpy lacks; annotate it as torch.Tensor")
        array = numpy.frombuffer(self.memory, dtype=self.dtype, count=math.prod(self.shape)).reshape(self.shape)
        array.flags.writeable = self.writable
        return array

    def _memoryview(self) -> memoryview:
        """Shaped like the tensor, but flat when it is empty: a memoryview has no dimension of 0."""
        if self.dtype not in _FORMATS:
            raise InvalidTensor(
                f"tensor {self.name} is {self.dtype}, which a memoryview lacks; annotate it as torch.Tensor"
            )
        shape = self.shape if math.prod(self.shape) else (0,)
        view = self.memory.cast("B").cast(_FORMATS[self.dtype])
        if shape != (0,):
            view = view.cast("B").cast(_FORMATS[self.dtype], shape)
        return view if self.writable else view.toreadonly()
