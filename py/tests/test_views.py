"""Ops of a user's module: which module, which view of a tensor, and what is not imported for it."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy
import pytest
import torch

from layabridge.boundary import Boundary
from layabridge.errors import InvalidTensor
from layabridge.views import Operand

DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")
SHAPES = ((), (1,), (3, 5), (0,), (128, 0))
SIZES = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "int16": 2}


def operand(dtype, shape, writable=True):
    n = SIZES.get(dtype, 1)
    for d in shape:
        n *= d
    return Operand("x", dtype, shape, memoryview(bytearray(n)), writable)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_view_has_dtype_and_shape_and_shares_the_bytes(dtype, shape):
    x = operand(dtype, shape)
    tensor = x.view(torch.Tensor)
    assert tensor.dtype is getattr(torch, dtype)
    assert tensor.shape == shape
    if dtype != "bfloat16":
        array = x.view(numpy.ndarray)
        assert array.dtype == dtype
        assert array.shape == shape
        if array.size:
            array[...] = 1
            assert bool((tensor == 1).all())
    if dtype not in ("bfloat16", "float16"):
        view = x.view(memoryview)
        assert view.itemsize == SIZES.get(dtype, 1)
        assert view.shape == (shape if 0 not in shape else (0,))


def test_what_cannot_be_viewed_is_a_sentence():
    with pytest.raises(InvalidTensor, match="tensor x is bfloat16, which numpy lacks; annotate it as"):
        operand("bfloat16", (2,)).view(numpy.ndarray)
    for dtype in ("bfloat16", "float16"):
        with pytest.raises(InvalidTensor, match=f"tensor x is {dtype}, which a memoryview lacks"):
            operand(dtype, (2,)).view(memoryview)


def test_a_tensor_that_is_not_writable_cannot_be_written_to():
    x = operand("float32", (2,), writable=False)
    with pytest.raises(ValueError, match="read-only"):
        x.view(numpy.typing.NDArray[numpy.float32])[0] = 1
    with pytest.raises(TypeError):
        x.view(memoryview)[0] = 1.0


def serve(folder, source, name="mine.py"):
    (folder / name).write_text(textwrap.dedent(source))
    return Boundary(str(folder / name), 2)


def answer(text):
    decoded = json.loads(text)
    return decoded.get("result"), decoded.get("error")


def test_a_file_is_served_with_its_neighbours(tmp_path):
    (tmp_path / "neighbour_of_mine.py").write_text("FACTOR = 3\n")
    boundary = serve(
        tmp_path,
        """
        from __future__ import annotations
        import numpy as np
        from neighbour_of_mine import FACTOR
        from layabridge.ops import op

        @op
        def scale(x: np.ndarray, *, by: float = 1.0) -> float:
            "Scales x in place.\\n\\nMore."
            x *= by * FACTOR
            return float(x.sum())
        """,
    )
    info, error = answer(boundary.info())
    assert error is None
    assert info["name"] == "mine"
    assert info["ops"] == [
        {"name": "scale", "doc": "Scales x in place.", "parameters": [{"name": "by", "type": "float", "default": 1.0}]}
    ]
    memory = bytearray(numpy.ones(4, "float32").tobytes())
    tensors = (("x", "float32", (4,), memoryview(memory), True),)
    assert answer(boundary.call(1, "scale", '{"by": 2}', tensors)) == (24.0, None)
    assert numpy.frombuffer(memory, "float32").tolist() == [6, 6, 6, 6]


@pytest.mark.parametrize(
    ("source", "code", "kind", "text"),
    [
        ("import nothing_of_that_name", "remote", "ModuleNotFoundError", "nothing_of_that_name"),
        ("raise RuntimeError('not today')", "remote", "RuntimeError", "not today"),
        ("import sys; sys.exit(3)", "remote", "SystemExit", "3"),
        ("x = = 1", "remote", "SyntaxError", "mine.py, line 1"),
        ("x = 1", "invalid_argument", "InvalidArgument", "has no op"),
    ],
)
def test_a_module_that_cannot_be_served_says_why(tmp_path, source, code, kind, text):
    before = list(sys.path)
    _, error = answer(serve(tmp_path, source).info())
    assert error["code"] == code
    assert error["type"].endswith(kind)
    assert text in error["message"]
    if code == "remote":
        assert "mine.py" in error["traceback"]
        assert sys.path == before


@pytest.mark.parametrize("module", ["no_such_module", "layabridge.no_such_module", "/nowhere/ops.py"])
def test_a_missing_module(module):
    _, error = answer(Boundary(module, 2).info())
    assert error["code"] == "plugin_not_found"
    assert f"no module {module}" in error["message"]


@pytest.mark.parametrize("annotation", ["memoryview", "numpy.ndarray"])
def test_torch_is_not_imported_for_a_module_without_it(tmp_path, annotation):
    (tmp_path / "ops.py").write_text(
        f"import {annotation.partition('.')[0] if '.' in annotation else 'math'}\n"
        "from layabridge.ops import op\n"
        "@op\n"
        f"def first(x: {annotation}) -> float:\n"
        "    return float(x[0])\n"
    )
    program = textwrap.dedent(
        """
        import json, struct, sys
        from layabridge.boundary import Boundary
        served = Boundary(sys.argv[1], 2)
        json.loads(served.info())["result"]
        x = ("x", "float32", (2,), memoryview(bytearray(struct.pack("2f", 1.5, 2))), True)
        print(served.call(1, "first", "{}", (x,)), "torch" in sys.modules)
        """
    )
    out = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "ops.py")],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert out.stdout.strip() == '{"result": 1.5} False'


GOLDENS = json.loads((Path(__file__).parents[2] / "bridge" / "testdata" / "tensors.json").read_text())


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda g: f"{g['dtype']}{g['shape']}")
def test_the_bytes_that_go_reads_are_read_alike(golden):
    x = Operand("x", golden["dtype"], tuple(golden["shape"]), memoryview(bytearray.fromhex(golden["hex"])), True)
    assert x.view(torch.Tensor).double().flatten().tolist() == golden["values"]
    if golden["dtype"] != "bfloat16":
        assert x.view(numpy.ndarray).flatten().tolist() == golden["values"]
