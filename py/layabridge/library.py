"""Compiled libraries on disk: one folder an entry, published whole, checked when it is taken, repaired when damaged."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from layabridge import toolchain
from layabridge.errors import UnsupportedHere

_ARRAY = re.compile(r"^  (?:alignas\(64\) )?(\w+) (\w+)\[(\d+)\];", re.MULTILINE)
_HEADER_TYPES = re.compile(r"\bhalf\w*|\b(?:float|double|u?int\d+_t)(?:2|4|8|16)\b")
SOURCE, LIBRARY, RECORD = "kernel.cpp", "kernel.so", "kernel.json"


@dataclasses.dataclass(frozen=True)
class Library:
    """A kernel's C source and, once built, its shared library.

    written: names of the tensors that the kernel writes. flags: what the C++ compiler was given.
    """

    source: str
    written: tuple[str, ...]
    path: Path = Path()
    flags: tuple[str, ...] = ()

    @property
    def scratch_bytes(self) -> int:
        """Bytes of the arrays that one call keeps on its thread's stack."""
        return scratch_bytes(self.source)


def build_library(key: str, lower: Callable[[], Library], flags: Sequence[str], include: Path) -> Library:
    """The library of `key` and `flags` from the cache; made with `lower` and the C++ compiler where it is not there.

    Any number of processes and threads may build the same key: each makes its own in a private folder, the first to
    finish publishes it by a rename. An entry that does not match its record is replaced.
    """
    folder = toolchain.cache_folder()
    entry = folder / hashlib.sha256("\n".join([key, *flags]).encode()).hexdigest()[:32]
    found = _take(entry, flags)
    if found is not None:
        return found
    made = lower()
    with _staging(folder) as staging:
        source, library = staging / SOURCE, staging / LIBRARY
        source.write_text(made.source, encoding="utf-8")
        toolchain.compile_library(source, library, flags, include)
        record = {"written": made.written, "sha256": {SOURCE: _sha256(source), LIBRARY: _sha256(library)}}
        (staging / RECORD).write_text(json.dumps(record), encoding="utf-8")
        for _ in range(8):
            try:
                os.rename(staging, entry)
            except OSError:
                found = _take(entry, flags)
                if found is not None:
                    return found
                with contextlib.suppress(OSError):
                    _discard(entry)
            else:
                break
        found = _take(entry, flags)
    if found is None:
        raise UnsupportedHere(f"cache folder {folder}: the entry {entry.name} cannot be written")
    return found


def scratch_bytes(source: str) -> int:
    """Bytes of the local arrays that a generated C source declares."""
    sizes = {"float": 4, "int32_t": 4, "half": 2, "double": 8, "int64_t": 8, "int8_t": 1, "uint8_t": 1, "bool": 1}
    declared = _ARRAY.findall(source)
    return sum(sizes.get(kind, 8) * int(count) for kind, _, count in declared)


def through_pointers(source: str) -> str:
    """The generated C source with its local arrays aligned to a vector and reached through pointers.

    gcc forgets what a vectorised load from a local array may alias, and then leaves register blocks in memory: a matrix
    product is four times slower. A load through a pointer keeps that knowledge.
    """
    return _ARRAY.sub(r"  alignas(64) \1 \2_[\3];\n  \1* \2 = \2_;", source)


def plain_headers(source: str) -> str:
    """The generated C source without TileLang's header where only its standard includes are used.

    That header brings a 5,500-line type for 16-bit floats: half of the compiler's time.
    """
    standard = "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>"
    return source if _HEADER_TYPES.search(source) else source.replace("#include <tl_templates/cpp/common.h>", standard)


def _take(entry: Path, flags: Sequence[str]) -> Library | None:
    try:
        record = json.loads((entry / RECORD).read_text(encoding="utf-8"))
        if any(_sha256(entry / name) != record["sha256"][name] for name in (SOURCE, LIBRARY)):
            return None
        source = (entry / SOURCE).read_text(encoding="utf-8")
        return Library(source, tuple(record["written"]), entry / LIBRARY, tuple(flags))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _discard(entry: Path) -> None:
    """Remove an entry; its name is free as soon as it has been moved aside."""
    aside = Path(tempfile.mkdtemp(prefix=".old-", dir=entry.parent))
    try:
        os.rename(entry, aside / entry.name)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


@contextlib.contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    staging = Path(tempfile.mkdtemp(prefix=".new-", dir=folder))
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)
