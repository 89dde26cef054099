"""Captures of the GPU path: what a change to a kernel must leave as it is, down to the bit.

A capture is a folder: manifest.json, the CUDA source of every kernel in sources/, and, where there is a GPU, what the
kernels compute from seeded inputs in outputs/, raw. Two captures are compared by `layactl preserve compare`.

The sources' hashes for one TileLang version are kept in goldens/cuda_sources.json; `python -m layabridge.preserve`
writes them anew. They need no GPU.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import platform
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from layabridge import compile as compiling
from layabridge import toolchain
from layabridge.errors import InvalidArgument
from layabridge.kernels.factory import DTYPES
from layabridge.spec import Case, KernelSpec
from layabridge.specs import KERNELS

SCHEMA = "layactl.capture/1"
GOLDENS = Path(__file__).parent / "goldens" / "cuda_sources.json"
GOLDENS_SCHEMA = "layactl.cuda-goldens/1"
SEED = 1234
Progress = Callable[[str, float], None]

# Cases of the specs, whose kernels validation compiles too. add_ln gives two tensors, so one dtype makes 23.
OUTPUTS = {
    "gemm": ("65x70x24-gelu-bias", "65x104x40-relu-bias", "65x129x56-none-bias", "65x129x40-none"),
    "geglu": ("17x104x40", "65x129x56"),
    "add_ln": ("17x96-residual-bias", "17x96-residual-bias-large", "17x96-residual", "17x96-bias", "17x96"),
    "rope": ("65x2x64-L13",),
    "attn": (
        "2x100x2x16-lens100_33",
        "2x100x2x16-w3-lens100_40",
        "2x70x2x16-w64-lens70_31",
        "2x65x2x16-staticBL-lens65_30",
        "2x65x2x16-w3-staticL-lens65_30",
        "2x128x12x64-lens128_77",
    ),
}


def sources(kernels: Sequence[str] = (), progress: Progress | None = None) -> Iterator[tuple[str, str]]:
    """The CUDA source of every kernel, 16-bit dtype and architecture at the kernel's probe size, by name.

    kernels: those wanted; none means all.
    """
    jobs = [(n, dtype, arch) for n in kernels or KERNELS for dtype in DTYPES for arch in compiling.ARCHITECTURES]
    for number, (name, dtype, arch) in enumerate(jobs):
        if progress:
            progress(f"source {name} {dtype} {arch}", number / len(jobs))
        args, kwargs = KERNELS[name].arguments(KERNELS[name].probe)
        yield (
            f"{name}-{dtype}-{arch}",
            compiling.lower_cuda(KERNELS[name].factory, *args, arch=arch, dtype=dtype, **kwargs),
        )


def outputs(
    kernels: Sequence[str] = (), seed: int = SEED, progress: Progress | None = None
) -> Iterator[tuple[str, torch.Tensor]]:
    """What every kernel writes on the GPU, updates in place among it, from seeded inputs; CPU tensors by name."""
    jobs = [
        (KERNELS[n], KERNELS[n].case(case), dtype)
        for n in kernels or KERNELS
        for case in OUTPUTS.get(n, ())
        for dtype in DTYPES
    ]
    for number, (spec, case, dtype) in enumerate(jobs):
        if progress:
            progress(f"output {spec.name} {case.name} {dtype}", number / len(jobs))
        for tensor, value in _run(spec, case, dtype, seed).items():
            yield f"{spec.name}-{case.name}-{dtype}-{tensor}", value


def no_outputs() -> str:
    """Why this host has no GPU to run kernels on; empty when it has one."""
    if torch.version.cuda is None:
        return "torch is built without CUDA"
    return "" if torch.cuda.is_available() else "torch finds no CUDA device"


def capture(
    directory: str | Path, kernels: Sequence[str] = (), seed: int = SEED, progress: Progress | None = None
) -> dict[str, Any]:
    """Fills an empty folder with a capture and returns its manifest, which is written last."""
    folder = Path(directory)
    if not folder.is_dir() or any(folder.iterdir()):
        raise InvalidArgument(f"directory: expected an empty folder, got {folder}")
    for name in kernels:
        KERNELS[name]  # UnknownOp before any work
    reason = no_outputs()
    halves: list[Progress | None] = [None, None]
    if progress:
        first = 1.0 if reason else 0.3
        halves = [lambda text, f: progress(text, f * first), lambda text, f: progress(text, first + f * (1 - first))]
    kept: dict[str, list[dict[str, Any]]] = {"sources": [], "outputs": []}
    (folder / "sources").mkdir()
    for name, text in sources(kernels, halves[0]):
        kept["sources"].append(_keep(folder, f"sources/{name}.cu", name, text.encode()))
    if not reason:
        (folder / "outputs").mkdir()
        for name, tensor in outputs(kernels, seed, halves[1]):
            entry = _keep(folder, f"outputs/{name}.bin", name, tensor.view(torch.uint8).numpy().tobytes())
            entry |= {"dtype": str(tensor.dtype).removeprefix("torch."), "shape": list(tensor.shape)}
            kept["outputs"].append(entry)
    manifest = {
        "schema": SCHEMA,
        "created": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "seed": seed,
        "device": "" if reason else torch.cuda.get_device_name(),
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "tilelang": str(toolchain.import_tilelang().__version__),
        },
        **kept,
        "skipped": [{"what": "outputs", "reason": reason}] if reason else [],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return manifest


def goldens(progress: Progress | None = None) -> dict[str, Any]:
    """The sources' hashes as goldens/cuda_sources.json holds them."""
    return {
        "schema": GOLDENS_SCHEMA,
        "tilelang": str(toolchain.import_tilelang().__version__),
        "sha256": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sources((), progress)},
    }


def _keep(folder: Path, file: str, name: str, content: bytes) -> dict[str, Any]:
    (folder / file).write_bytes(content)
    return {"name": name, "file": file, "sha256": hashlib.sha256(content).hexdigest()}


def _run(spec: KernelSpec, case: Case, dtype: str, seed: int) -> dict[str, torch.Tensor]:
    args, kwargs = spec.arguments(case)
    kernel = compiling.compile_jit(spec.factory, args, {**kwargs, "dtype": dtype})
    inputs = spec.inputs(case, torch.Generator().manual_seed(seed))
    tensors = {}
    for t in spec.tensors:
        kind = getattr(torch, dtype if t.dtype == "act" else t.dtype)
        if t.role == "out":
            tensors[t.name] = torch.full(t.resolve(case.sizes), torch.nan, dtype=kind, device="cuda")
        else:
            tensors[t.name] = inputs[t.name].to(kind).cuda()
    kernel(*tensors.values())
    return {t.name: tensors[t.name].cpu().contiguous() for t in spec.tensors if t.role != "in"}


if __name__ == "__main__":
    GOLDENS.write_text(json.dumps(goldens(lambda text, _: print(text, flush=True)), indent=1) + "\n", encoding="utf-8")
    print(f"written: {GOLDENS}")
