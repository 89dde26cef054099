"""What the GPU specialisations say when they are asked for C, and how it is caught."""

import json
import os
import subprocess
import sys

import pytest

from layabridge import probes, toolchain
from layabridge.descriptors import captured
from layabridge.errors import InvalidArgument, UnknownOp

VERSION, EXPECTED = probes.read_table()


@pytest.fixture(scope="module")
def rows():
    """The whole table, observed once: about half a minute."""
    found = probes.run()["rows"]
    return {(r["kind"], r["kernel"], r["dtype"]): r for r in found}


@pytest.mark.parametrize("key", EXPECTED, ids="-".join)
def test_the_table_holds(rows, key):
    row = rows[key]
    if row["verdict"] == probes.SKIPPED:
        pytest.skip(row["reason"])
    assert row["actual"] == row["expected"]
    assert row["verdict"] == probes.MATCH


def test_the_table_has_a_row_for_every_probe():
    assert list(EXPECTED) == [p.key for p in probes.probes()]
    assert {kind: sum(k[0] == kind for k in EXPECTED) for kind in ("gpu", "cpu", "fragment", "rename")} == {
        "gpu": 10,
        "cpu": 10,
        "fragment": 3,
        "rename": 4,
    }


def test_the_table_says_what_is_wrong_with_each_type():
    assert {EXPECTED["cpu", name, "bfloat16"].diagnostic for name in probes.KERNELS} == {
        "Cannot convert type bfloat16 to C type"
    }
    assert {EXPECTED["cpu", name, "float16"] for name in probes.KERNELS} == {probes.Outcome()}


def test_another_tilelang_is_skipped_row_by_row(tmp_path):
    table = json.loads(probes.TABLE.read_text())
    other = tmp_path / "table.json"
    other.write_text(json.dumps({**table, "tilelang": "0.0.1"}))
    found = probes.run(["gemm"], other)["rows"]
    assert [r["verdict"] for r in found] == [probes.SKIPPED] * 5
    installed = toolchain.import_tilelang().__version__
    assert {r["reason"] for r in found} == {f"TileLang {installed} is installed, the table is for 0.0.1"}


def test_a_changed_text_is_a_mismatch(tmp_path):
    table = json.loads(probes.TABLE.read_text())
    table["tilelang"] = toolchain.import_tilelang().__version__
    for row in table["rows"]:
        row["diagnostic"] = row["diagnostic"].replace("CPU fill", "CPU fills")
    changed = tmp_path / "table.json"
    changed.write_text(json.dumps(table))
    (row,) = probes.run(["fill"], changed)["rows"]
    assert row["verdict"] == probes.MISMATCH
    assert row["actual"]["diagnostic"].startswith("CPU fill only")


def test_a_recorded_table_is_the_table(tmp_path):
    made = probes.run(["fill", "reduce_max"], record=True)
    assert {r["verdict"] for r in made["rows"]} == {probes.RECORDED}
    table = tmp_path / "new.json"
    table.write_text(json.dumps(made["table"]))
    version, rows = probes.read_table(table)
    assert version == made["tilelang"]
    if version == VERSION:
        assert rows == {key: EXPECTED[key] for key in rows}


def test_rows_that_need_a_compiler_say_that_there_is_none(monkeypatch):
    monkeypatch.setenv("CXX", "/nowhere/g++")
    found = {r["dtype"]: r for r in probes.run(["rope"])["rows"] if r["kind"] == "gpu"}
    assert found["float16"]["verdict"] == probes.SKIPPED
    assert "/nowhere/g++" in found["float16"]["reason"] or VERSION in found["float16"]["reason"]


@pytest.mark.parametrize(
    "text", ["", "{", '{"schema": "other/1"}', '{"schema": "layactl.probe-table/1", "tilelang": "1"}']
)
def test_what_is_no_table_is_refused(tmp_path, text):
    table = tmp_path / "table.json"
    table.write_text(text)
    with pytest.raises(InvalidArgument, match="probe table"):
        probes.read_table(table)


def test_unknown_kernels_are_refused():
    with pytest.raises(UnknownOp, match="no probe of 'nope'; there are: gemm, geglu"):
        probes.run(["nope"])


def test_descriptors_are_caught_below_python_and_put_back():
    """In a process of its own: the test runner has plans of its own for these descriptors."""
    program = """
import os, subprocess
from layabridge.descriptors import captured
print("before", flush=True)
try:
    with captured() as read:
        print("python")
        os.write(2, b"descriptor\\n")
        subprocess.run(["sh", "-c", "echo child; echo error >&2"])
        raise KeyError("inside")
except KeyError:
    print("after", read())
os.write(2, b"last\\n")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout == "before\nafter ('python\\nchild\\n', 'descriptor\\nerror\\n')\n"
    assert done.stderr == "last\n"


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(probes.tempfile, "tempdir", str(tmp_path))
    before = dict(os.environ)
    descriptors = os.listdir("/proc/self/fd")
    probe = next(p for p in probes.probes() if p.key == ("rename", "gemm", "bfloat16"))
    assert probes.observe(probe).exception == "ValueError"
    assert list(tmp_path.iterdir()) == []
    assert dict(os.environ) == before
    assert len(os.listdir("/proc/self/fd")) == len(descriptors)
    with captured() as read:
        pass
    assert read() == ("", "")
