"""The tile dialect: the statements a kernel is written in, once, and what each means on a GPU and on a CPU.

On the GPU they are TileLang's own tile operations. On the CPU (target "c") shared and fragment buffers are local
buffers, parallel loops are serial grids, and pipelining is a plain loop; TileLang prints all of it as C loops.

Import this module inside a factory's body only: it imports TileLang.
"""

from typing import Any

import tilelang.language as T


class Dialect:
    """Allocation and loops for one of the two machines. `cpu` says which."""

    def __init__(self, cpu: bool) -> None:
        self.cpu = cpu

    def threads(self, count: int) -> int:
        """Threads of a block; the CPU runs a block on one."""
        return 1 if self.cpu else count

    def shared(self, shape: tuple[int, ...], dtype: str) -> Any:
        """A buffer that a block's threads share."""
        return T.alloc_local(shape, dtype) if self.cpu else T.alloc_shared(shape, dtype)

    def fragment(self, shape: tuple[int, ...], dtype: str = "float32") -> Any:
        """A buffer spread over a block's registers."""
        return T.alloc_local(shape, dtype) if self.cpu else T.alloc_fragment(shape, dtype)

    def parallel(self, *extents: Any) -> Any:
        """A loop nest whose iterations are independent."""
        return T.grid(*extents) if self.cpu else T.Parallel(*extents)

    def pipelined(self, extent: Any, stages: int) -> Any:
        """A loop over tiles whose loads run ahead of the arithmetic on a GPU."""
        return T.serial(extent) if self.cpu else T.Pipelined(extent, num_stages=stages)
