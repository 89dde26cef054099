"""Timing a kernel: what the record holds, and that optimisation is worth its name."""

import pytest

from layabridge import bench
from layabridge.errors import InvalidArgument
from layabridge.specs import KERNELS


def test_flags_are_worth_eight_times_at_least():
    gemm = KERNELS["gemm"]
    record = bench.kernel(gemm, gemm.case("16x768x768-none"), rounds=3)
    assert set(record["times_us"]) == {"kernel", "unoptimised", "torch"}
    assert set(record["ratios"]) == {"unoptimised", "torch"}
    assert record["times_us"]["kernel"]["min"] <= record["times_us"]["kernel"]["median"]
    assert record["ratios"]["unoptimised"]["median"] < 1 / 8


def test_unknown_baseline_is_refused():
    gemm = KERNELS["gemm"]
    with pytest.raises(InvalidArgument, match="no baseline 'numpy'; baselines: unoptimised, torch"):
        bench.kernel(gemm, gemm.cases[0], baselines=("numpy",))
