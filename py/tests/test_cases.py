"""Every case of every kernel on the CPU against its reference, with outputs poisoned by NaN first."""

import functools

import pytest
import torch

from layabridge.compile import compile_cpu
from layabridge.specs import KERNELS

CASES = [pytest.param(name, case.name, id=f"{name}-{case.name}") for name in KERNELS for case in KERNELS[name].cases]


@functools.cache
def compiled(name, args, options):
    return compile_cpu(KERNELS[name].factory, *args, **dict(options))


@pytest.mark.parametrize(("name", "case_name"), CASES)
def test_kernel_agrees_with_its_reference(name, case_name):
    spec = KERNELS[name]
    case = spec.case(case_name)
    args, options = spec.arguments(case)
    given = spec.inputs(case, torch.Generator().manual_seed(1234))
    tensors = {}
    for tensor in spec.tensors:
        if tensor.role == "out":
            tensors[tensor.name] = torch.full(tensor.resolve(case.sizes), torch.nan)
        else:
            tensors[tensor.name] = given[tensor.name].clone()
            assert tuple(tensors[tensor.name].shape) == tensor.resolve(case.sizes), tensor.name

    compiled(name, args, tuple(options.items()))(*tensors.values())

    expected = spec.reference(case, given)
    for tensor in spec.tensors:
        found = tensors[tensor.name]
        if tensor.role == "in":
            assert torch.equal(found.view(torch.uint8), given[tensor.name].view(torch.uint8)), f"{tensor.name} changed"
            continue
        wanted = expected[tensor.name]
        assert torch.equal(found.isnan(), wanted.isnan()), f"NaN in {tensor.name}"
        assert case.expects_nan or not found.isnan().any()
        difference = (found - wanted).abs().nan_to_num(nan=0.0)
        assert difference.numel() == 0 or difference.max() <= spec.tolerances_of(case)[tensor.name]


def test_the_tables_hold_the_sizes_that_tiles_do_not_divide():
    gemm = KERNELS["gemm"].cases
    assert {c.sizes["K"] for c in gemm} >= {0, 24, 40, 56}
    assert {c.sizes["N"] for c in gemm} >= {70, 104, 129}
    assert {c.sizes["M"] for c in gemm} >= {0, 1, 17, 65}
    epilogues = {(c.options["act"], c.options["bias"]) for c in gemm}
    assert epilogues == {(act, bias) for act in ("none", "gelu", "relu") for bias in (False, True)}
