"""The folder of compiled kernels and the compilers behind it: private, repaired, shared, and named when wrong."""

import os
import re
import shutil
import stat
import subprocess
import sys
import threading

import pytest
import torch

from layabridge import toolchain
from layabridge.compile import compile_cpu
from layabridge.errors import CompileFailed, UnsupportedHere
from layabridge.kernels import gemm_kernel

COMPILE = "from layabridge.kernels import compile_cpu, gemm_kernel; compile_cpu(gemm_kernel, 5, 3)"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache and an empty temporary folder, for this process and its children."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setenv("LAYACTL_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache with one entry that another process made: a library that is loaded here must not be damaged."""
    folder = tmp_path_factory.mktemp("filled")
    environment = {**os.environ, "LAYACTL_CACHE_DIR": str(folder)}
    subprocess.run([sys.executable, "-c", COMPILE], env=environment, timeout=120, check=True)
    return folder


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A function that makes an executable shell script on PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def make(name, text):
        file = folder / name
        file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        file.chmod(0o755)
        return file

    return make


def works(kernel):
    A, W, C = torch.randn(2, 3), torch.randn(5, 3), torch.full((2, 5), torch.nan)
    kernel(A, W, torch.empty(5), C)
    torch.testing.assert_close(C, A @ W.T, rtol=0, atol=2e-5)
    return True


def test_entries_are_private_and_nothing_else_is_left(cache):
    kernel = compile_cpu(gemm_kernel, 5, 3)
    assert works(kernel)
    entry = kernel.library.parent
    assert sorted(f.name for f in entry.iterdir()) == ["kernel.cpp", "kernel.json", "kernel.so"]
    assert entry.parent.parent == cache / "cache" / "tilelang"
    for folder in (entry, *entry.parents[:3]):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700, folder
    assert list(entry.parent.iterdir()) == [entry]
    assert list((cache / "temporary").iterdir()) == []
    assert kernel.source == (entry / "kernel.cpp").read_text(encoding="utf-8")


def test_an_open_folder_is_closed(cache):
    folder = compile_cpu(gemm_kernel, 5, 3).library.parents[1]
    folder.chmod(0o755)
    compile_cpu(gemm_kernel, 5, 3)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_an_entry_is_used_again(cache):
    first = compile_cpu(gemm_kernel, 5, 3).library
    before = first.stat().st_mtime_ns
    assert compile_cpu(gemm_kernel, 5, 3).library == first
    assert first.stat().st_mtime_ns == before


@pytest.mark.parametrize("damage", ["truncated", "flipped", "record", "source", "missing", "file"])
def test_a_damaged_entry_is_compiled_again_once(cache, filled, damage):
    shutil.copytree(filled, cache / "cache")
    (entry,) = toolchain.cache_folder().iterdir()
    library, record = entry / "kernel.so", entry / "kernel.json"
    if damage == "truncated":
        library.write_bytes(library.read_bytes()[:100])
    elif damage == "flipped":
        content = bytearray(library.read_bytes())
        content[len(content) // 2] ^= 1
        library.write_bytes(bytes(content))
    elif damage == "record":
        record.write_text("{", encoding="utf-8")
    elif damage == "source":
        (entry / "kernel.cpp").write_text("", encoding="utf-8")
    elif damage == "missing":
        library.unlink()
    else:
        shutil.rmtree(entry)
        entry.write_text("not a folder", encoding="utf-8")
    assert works(compile_cpu(gemm_kernel, 5, 3))
    repaired = library.stat().st_mtime_ns
    compile_cpu(gemm_kernel, 5, 3)
    assert library.stat().st_mtime_ns == repaired
    assert list(entry.parent.iterdir()) == [entry]


def test_two_processes_compile_the_same_kernel(cache):
    running = [subprocess.Popen([sys.executable, "-c", COMPILE], stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    kernel = compile_cpu(gemm_kernel, 5, 3)
    assert works(kernel)
    assert list(kernel.library.parents[1].iterdir()) == [kernel.library.parent]
    assert list((cache / "temporary").iterdir()) == []


def test_two_threads_compile_at_once(cache):
    found = []
    threads = [threading.Thread(target=lambda n=n: found.append(works(compile_cpu(gemm_kernel, 5, n)))) for n in (3, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True, True]


def test_a_compiler_behind_a_wrapper(cache, monkeypatch, program):
    program("ccache", 'exec "$@"')
    monkeypatch.setenv("CXX", "ccache g++")
    assert works(compile_cpu(gemm_kernel, 5, 3))


@pytest.mark.parametrize(
    ("cxx", "text"),
    [
        ("no-such-compiler", "CXX='no-such-compiler': 'no-such-compiler' is not an executable"),
        ("ccache no-such-compiler", "CXX='ccache no-such-compiler': 'no-such-compiler' is not an executable"),
    ],
)
def test_a_named_compiler_that_is_not_there(cache, monkeypatch, program, cxx, text):
    program("ccache", 'exec "$@"')
    monkeypatch.setenv("CXX", cxx)
    with pytest.raises(UnsupportedHere, match=text):
        compile_cpu(gemm_kernel, 5, 3)


def test_no_compiler_at_all(cache, monkeypatch):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(cache))
    with pytest.raises(UnsupportedHere, match=re.escape("no C++ compiler: none of g++, clang++, c++ is on PATH")):
        compile_cpu(gemm_kernel, 5, 3)


def test_a_compiler_without_its_back_end(cache, monkeypatch, program):
    program(
        "halfg++",
        'case "$*" in *--version*) echo "halfg++ 1.0"; exit 0;; esac\n'
        "echo \"g++: fatal error: cannot execute 'cc1plus': No such file or directory\" >&2; exit 1",
    )
    monkeypatch.setenv("CXX", "halfg++")
    with pytest.raises(CompileFailed, match=r"halfg\+\+ ended with status 1: .*cannot execute 'cc1plus'"):
        compile_cpu(gemm_kernel, 5, 3)
    assert not list(toolchain.cache_folder().iterdir())


def test_a_cache_folder_that_cannot_be_made(cache, monkeypatch):
    blocker = cache / "file"
    blocker.write_text("", encoding="utf-8")
    monkeypatch.setenv("LAYACTL_CACHE_DIR", str(blocker))
    with pytest.raises(UnsupportedHere, match=r"cache folder .* cannot be used: .*; set LAYACTL_CACHE_DIR"):
        compile_cpu(gemm_kernel, 5, 3)


def test_first_diagnostic_is_the_line_that_says_what_is_wrong():
    text = (
        "In file included from a.h:3:\na.cpp: In function 'f':\na.cpp:7:3: error: 'x' was not declared\nnote: see b\n"
    )
    assert toolchain.first_diagnostic(text) == "a.cpp:7:3: error: 'x' was not declared"
    assert toolchain.first_diagnostic("") == "no diagnostic"
