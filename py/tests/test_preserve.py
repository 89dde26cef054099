"""Captures of the GPU path, and the hashes of the CUDA source that the kernels are known to give."""

import hashlib
import json

import pytest
import torch

from layabridge import preserve, toolchain
from layabridge.errors import InvalidArgument, UnknownOp
from layabridge.kernels import DTYPES
from layabridge.specs import KERNELS

GOLDENS = json.loads(preserve.GOLDENS.read_text())
needs_gpu = pytest.mark.skipif(bool(preserve.no_outputs()), reason=preserve.no_outputs() or "there is a GPU")


@pytest.mark.parametrize("kernel", KERNELS)
def test_cuda_source_is_what_it_was(kernel):
    installed = toolchain.import_tilelang().__version__
    if installed != GOLDENS["tilelang"]:
        pytest.skip(f"TileLang {installed} is installed, the goldens are of {GOLDENS['tilelang']}")
    found = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in preserve.sources([kernel])}
    expected = {name: digest for name, digest in GOLDENS["sha256"].items() if name.startswith(f"{kernel}-")}
    assert len(found) == 6
    assert found == expected, "make goldens, if meant; layactl preserve capture before and after shows the difference"


def test_the_goldens_hold_every_source():
    assert len(GOLDENS["sha256"]) == 30
    assert {name.split("-")[0] for name in GOLDENS["sha256"]} == set(KERNELS)


def test_a_capture_says_what_it_holds(tmp_path):
    told = []
    manifest = preserve.capture(tmp_path, ["rope"], progress=lambda text, fraction: told.append((text, fraction)))
    assert manifest == json.loads((tmp_path / "manifest.json").read_text())
    assert len(manifest["sources"]) == 6
    for entry in manifest["sources"] + manifest["outputs"]:
        assert hashlib.sha256((tmp_path / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]
    assert told[0] == ("source rope bfloat16 sm_80", 0.0)
    assert [f for _, f in told] == sorted(f for _, f in told)
    reason = preserve.no_outputs()
    assert manifest["skipped"] == ([{"what": "outputs", "reason": reason}] if reason else [])
    with pytest.raises(InvalidArgument, match="expected an empty folder"):
        preserve.capture(tmp_path)


def test_unknown_kernels_are_refused_before_any_work(tmp_path):
    with pytest.raises(UnknownOp, match="no kernel 'nope'"):
        preserve.capture(tmp_path, ["rope", "nope"])
    assert list(tmp_path.iterdir()) == []


def test_the_cases_of_the_outputs_are_there():
    """On a host without a GPU too: nobody is to find out on one that a case has another name."""
    cases = [(KERNELS[name], KERNELS[name].case(case)) for name, names in preserve.OUTPUTS.items() for case in names]
    assert {spec.name for spec, _ in cases} == set(KERNELS)
    assert len(DTYPES) * sum(t.role != "in" for spec, _ in cases for t in spec.tensors) >= 24
    assert not any(case.expects_nan for _, case in cases)


@needs_gpu
def test_outputs_are_the_same_twice():
    first, second = (dict(preserve.outputs()) for _ in range(2))
    assert len(first) >= 24
    for name, value in first.items():
        assert torch.equal(value.view(torch.uint8), second[name].view(torch.uint8)), name
        assert not value.isnan().any(), name
