"""Probes: what TileLang and the C++ compiler say of the kernels' GPU form when they are asked for C.

Four kinds of probes give the reasons for `cpu=True`, one each:

    gpu       the GPU specialisation as it is, with fast math: 16-bit fragments, parallel loops and layouts
    cpu       cpu=True in 16 bits, without vectorisation: bfloat16 is a type that C does not have, float16 compiles
    fragment  one tile operation on an fp32 fragment: it is the scope that C does not have
    rename    fragments turned into local buffers, loops left parallel: renaming the scope is not enough

What is expected is a table of one TileLang version, in goldens/probes.json; other versions have other texts.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from layabridge import toolchain
from layabridge.descriptors import captured
from layabridge.errors import InvalidArgument, UnknownOp, UnsupportedHere
from layabridge.kernels.factory import DTYPES, FAST
from layabridge.kernels.fragments import OPERATIONS, fragment_kernel
from layabridge.specs import KERNELS

SCHEMA = "layactl.probe-table/1"
TABLE = Path(__file__).parent / "goldens" / "probes.json"
SCALAR = {"tirx.disable_vectorize": True}
MATCH, MISMATCH, SKIPPED, RECORDED = "match", "mismatch", "skipped", "recorded"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a compile ended: the exception's type and first line, and the C++ compiler's first error. All empty: well."""

    exception: str = ""
    diagnostic: str = ""
    compiler: str = ""


@dataclasses.dataclass(frozen=True)
class Probe:
    """One compile. trace: () -> the PrimFunc; passes: TileLang's pass configuration."""

    kind: str
    kernel: str
    dtype: str
    trace: Callable[[], Any]
    passes: Mapping[str, Any]

    @property
    def key(self) -> tuple[str, str, str]:
        """What a table knows it by."""
        return self.kind, self.kernel, self.dtype


def probes() -> list[Probe]:
    """Every probe, in the order of the table."""
    found = [
        *(_of_kernel("gpu", name, dtype, FAST) for name in KERNELS for dtype in DTYPES),
        *(_of_kernel("cpu", name, dtype, {**FAST, **SCALAR}, cpu=True) for name in KERNELS for dtype in DTYPES),
    ]
    for operation in OPERATIONS:
        found.append(Probe("fragment", operation, "float32", _tracer(fragment_kernel, operation), FAST))
    for name in KERNELS:
        if name != "rope":  # it has no fragment
            probe = _of_kernel("rename", name, "bfloat16", FAST)
            found.append(dataclasses.replace(probe, trace=_renamed(probe.trace)))
    return found


def read_table(path: str | Path = TABLE) -> tuple[str, dict[tuple[str, str, str], Outcome]]:
    """The TileLang version that a table is for, and what it expects. InvalidArgument for a file that is no table."""
    try:
        table = json.loads(Path(path).read_text(encoding="utf-8"))
        if table["schema"] != SCHEMA:
            raise ValueError(f"schema: expected {SCHEMA}, got {table['schema']}")
        rows = table["rows"]
        expected = {
            (r["kind"], r["kernel"], r["dtype"]): Outcome(r["exception"], r["diagnostic"], r["compiler"]) for r in rows
        }
        return str(table["tilelang"]), expected
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidArgument(f"probe table {path}: {type(error).__name__}: {error}") from error


def run(
    kernels: Sequence[str] = (),
    table: str | Path = TABLE,
    record: bool = False,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, Any]:
    """Probes the named kernels, or all, against a table; with `record` there is none, and a new one comes back.

    Returns {"tilelang", "pinned", "rows", "table"}; a row has "expected", "actual", "verdict" and "reason". Rows are
    skipped on another TileLang than the table's, and where the compiler whose words they hold is not there.
    """
    chosen = _select(kernels)
    version = str(toolchain.import_tilelang().__version__)
    pinned, expected = (version, {}) if record else read_table(table)
    cxx, no_cxx, no_gcc = _compilers()
    if record and no_gcc:
        raise UnsupportedHere(f"a table holds the words of g++: {no_gcc}")
    rows: list[dict[str, Any]] = []
    for number, probe in enumerate(chosen):
        if progress:
            progress(f"probe {' '.join(probe.key)}", number / len(chosen))
        wanted = expected.get(probe.key)
        reason = "" if version == pinned else f"TileLang {version} is installed, the table is for {pinned}"
        if wanted and not reason:
            reason = no_gcc if wanted.compiler else no_cxx if not wanted.exception else ""
        actual = None if reason else observe(probe, cxx)
        verdict = SKIPPED if reason else RECORDED if record else MATCH if actual == wanted else MISMATCH
        if verdict == MISMATCH and wanted is None:
            reason = "the table has no such row"
        rows.append(
            {
                "kind": probe.kind,
                "kernel": probe.kernel,
                "dtype": probe.dtype,
                "expected": wanted and dataclasses.asdict(wanted),
                "actual": actual and dataclasses.asdict(actual),
                "verdict": verdict,
                "reason": reason,
            }
        )
    new = [{**{k: r[k] for k in ("kind", "kernel", "dtype")}, **r["actual"]} for r in rows] if record else []
    made = {"schema": SCHEMA, "tilelang": version, "rows": new} if record else None
    return {"tilelang": version, "pinned": pinned, "rows": rows, "table": made}


def observe(probe: Probe, cxx: str = "") -> Outcome:
    """Compiles one probe for real, past every cache, and reads what comes of it; nothing is left in the temp folder."""
    tilelang = toolchain.import_tilelang()
    from tilelang.env import env

    with tempfile.TemporaryDirectory(prefix="layactl-probe-") as folder, toolchain.LOWERING, _temporary(folder, cxx):
        function = probe.trace()
        cached = env.is_cache_enabled()
        env.disable_cache()
        error: Exception | None = None
        try:
            with captured() as read:
                try:
                    tilelang.compile(function, target="c", pass_configs=dict(probe.passes))
                except Exception as raised:
                    error = raised
        finally:
            if cached:
                env.enable_cache()
        _, stderr = read()
    if error is None:
        return Outcome()
    return Outcome(type(error).__name__, _first_line(error), _compiler_error(stderr))


@contextlib.contextmanager
def _temporary(folder: str, cxx: str) -> Iterator[None]:
    """TileLang leaves its temporary files behind and takes $CXX as one path; the compiler's words are to be English."""
    former, tempdir = dict(os.environ), tempfile.tempdir
    os.environ.update({"TMPDIR": folder, "LC_ALL": "C", **({"CXX": cxx} if cxx else {})})
    tempfile.tempdir = folder
    try:
        yield
    finally:
        tempfile.tempdir = tempdir
        for name in ("TMPDIR", "LC_ALL", "CXX"):
            os.environ.pop(name, None)
            if name in former:
                os.environ[name] = former[name]


def _of_kernel(kind: str, name: str, dtype: str, passes: Mapping[str, Any], **options: Any) -> Probe:
    args, kwargs = KERNELS[name].arguments(KERNELS[name].probe)
    return Probe(kind, name, dtype, _tracer(KERNELS[name].factory, *args, **kwargs, dtype=dtype, **options), passes)


def _tracer(factory: Any, *args: Any, **kwargs: Any) -> Callable[[], Any]:
    return lambda: factory.get_tir(*args, **kwargs)


def _renamed(trace: Callable[[], Any]) -> Callable[[], Any]:
    """The same kernel with local buffers for fragments, and nothing else changed."""

    def traced() -> Any:
        import tilelang.language as T

        fragment = T.alloc_fragment
        T.alloc_fragment = T.alloc_local
        try:
            return trace()
        finally:
            T.alloc_fragment = fragment

    return traced


def _select(kernels: Sequence[str]) -> list[Probe]:
    found = probes()
    names = list(dict.fromkeys(p.kernel for p in found))
    for name in kernels:
        if name not in names:
            raise UnknownOp(f"no probe of {name!r}; there are: {', '.join(names)}")
    return [p for p in found if not kernels or p.kernel in kernels]


def _compilers() -> tuple[str, str, str]:
    """The C++ compiler's path, and why there is none, and why it is not g++; empty texts where there is no why."""
    try:
        path = shutil.which(toolchain.compiler()[-1]) or toolchain.compiler()[-1]
    except UnsupportedHere as error:
        return "", str(error), str(error)
    try:
        said = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    except OSError as error:
        said = str(error)
    gcc = "Free Software Foundation" in said
    return path, "", "" if gcc else f"the row holds the words of g++, and {path} is another compiler"


def _first_line(error: Exception) -> str:
    """Without the command that failed, which holds paths."""
    return (str(error).strip().splitlines() or [""])[0].partition(" ['")[0].rstrip()


def _compiler_error(stderr: str) -> str:
    found = re.search(r"\berror: (.*)", stderr)
    return found.group(1).strip().translate({0x2018: "'", 0x2019: "'"}) if found else ""
