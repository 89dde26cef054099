"""The set-up: which Pythons it takes, what an interrupted installation leaves, what the lock holds."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
GOOD = {
    "executable": "/opt/py/bin/python3",
    "base_executable": "/opt/py/bin/python3",
    "version": "3.11.7",
    "version_info": [3, 11, 7],
    "implementation": "CPython",
    "free_threaded": False,
    "bits": 64,
    "shared": True,
    "libpython": "/opt/py/lib/libpython3.11.so.1.0",
    "library_name": "libpython3.11.so.1.0",
    "searched": ["/opt/py/lib", "/opt/py/lib64"],
}
REFUSED = [
    ({"implementation": "PyPy"}, "is not plain CPython"),
    ({"free_threaded": True}, "is not plain CPython"),
    ({"version_info": [3, 9, 18]}, "is not one of Python 3.10 to 3.13"),
    ({"version_info": [3, 14, 0]}, "is not one of Python 3.10 to 3.13"),
    ({"version_info": [2, 7, 18]}, "is not one of Python 3.10 to 3.13"),
    ({"bits": 32}, "is a 32-bit build"),
    ({"libpython": ""}, "has no libpython3.11.so.1.0 in /opt/py/lib or /opt/py/lib64; apt-get install libpython3.11"),
    ({"libpython": "", "shared": False}, "PYTHON_CONFIGURE_OPTS=--enable-shared pyenv install 3.11"),
]


def script(name: str) -> ModuleType:
    """A file of scripts/ as a module."""
    found = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def find_python(python: str | None, path: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": path, "HOME": "/nowhere", **({"PYTHON": python} if python else {})}
    command = [shutil.which("bash") or "bash", str(ROOT / "scripts" / "find-python.sh")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("change", "sentence"), REFUSED)
def test_pythons_that_will_not_do(change: dict[str, Any], sentence: str) -> None:
    assert sentence in script("probe_python").problem({**GOOD, **change})


def test_a_python_that_will_do() -> None:
    assert script("probe_python").problem(GOOD) == ""


def test_find_python_takes_the_named_one() -> None:
    done = find_python(sys.executable, os.environ["PATH"])
    assert (done.returncode, done.stderr) == (0, "")
    assert os.path.realpath(done.stdout.strip()) == os.path.realpath(sys.executable)


def test_find_python_refuses_a_bad_name_with_the_reason() -> None:
    done = find_python("/nowhere/python3", os.environ["PATH"])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "PYTHON=/nowhere/python3 will not do: /nowhere/python3 is not there or not executable\n"


def test_find_python_says_what_it_tried(tmp_path: Path) -> None:
    for tool in ("dirname", "timeout", "cat"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or tool)
    broken = tmp_path / "python3"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    done = find_python(None, str(tmp_path))
    assert done.returncode == 1
    assert "python3: python3 does not run" in done.stderr
    assert "python3.13: python3.13 is not there or not executable" in done.stderr
    assert "apt-get install python3 python3-venv" in done.stderr


def distribution(site: Path) -> Path:
    """A small installed package, complete."""
    info = site / "small-1.0.dist-info"
    info.mkdir()
    (site / "small.py").write_text("x = 1\n")
    (info / "METADATA").write_text("Name: small\nVersion: 1.0\n")
    (info / "RECORD").write_text(
        "small.py,sha256=x,6\nsmall-1.0.dist-info/METADATA,sha256=y,25\nsmall-1.0.dist-info/RECORD,,\n"
    )
    return info


def test_whole_packages_are_kept(tmp_path: Path) -> None:
    assert script("drop_half_installed").complete(distribution(tmp_path))


@pytest.mark.parametrize("damage", ["no record", "file missing", "file cut short"])
def test_half_installed_packages_are_noticed(tmp_path: Path, damage: str) -> None:
    info = distribution(tmp_path)
    if damage == "no record":
        (info / "RECORD").unlink()
    elif damage == "file missing":
        (tmp_path / "small.py").unlink()
    else:
        (tmp_path / "small.py").write_text("x")
    assert not script("drop_half_installed").complete(info)


def test_the_lock_pins_everything_and_names_no_address() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    assert "://" not in lock
    assert "--index" not in lock
    blocks = re.findall(r"^(\S+?)==(\S+) .*\\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", lock, re.MULTILINE)
    names = re.findall(r"^([a-z0-9][\w.-]*)", lock, re.MULTILINE)
    assert [name for name, _, _ in blocks] == names
    pins = {name: version for name, version, _ in blocks}
    project = (ROOT / "pyproject.toml").read_text()
    for name in ("torch", "tilelang", "transformers"):
        assert f'"{name}=={pins[name]}"' in project
