"""What a process writes to its standard output and error, caught below every buffer."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import tempfile
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def captured() -> Iterator[Callable[[], tuple[str, str]]]:
    """Catches what this process and its children write to file descriptors 1 and 2, below Python and C alike.

    Yields the function that gives both texts, for after the block. The descriptors are put back in any case.
    """
    texts = ["", ""]
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in texts]
        saved = [os.dup(fd) for fd in (1, 2)]
        try:
            _flush()
            for fd, file in enumerate(files, 1):
                os.dup2(file.fileno(), fd)
            yield lambda: (texts[0], texts[1])
        finally:
            _flush()
            for fd, original in enumerate(saved, 1):
                os.dup2(original, fd)
                os.close(original)
            for n, file in enumerate(files):
                file.seek(0)
                texts[n] = file.read().decode("utf-8", "replace")


def _flush() -> None:
    """Python's buffers and C's; C++ streams share the latter."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    ctypes.CDLL(None).fflush(None)
