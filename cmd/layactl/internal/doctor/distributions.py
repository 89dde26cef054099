"""Says which versions are installed and which layabridge pins, as JSON. Imports none of them but layabridge itself."""

import sys

sys.path[:] = [folder for folder in sys.path if folder]  # not the working folder

import contextlib  # noqa: E402
import importlib.metadata as metadata  # noqa: E402
import importlib.util  # noqa: E402
import json  # noqa: E402
import re  # noqa: E402


def installed() -> dict:
    versions = {}
    for name in ("torch", "tilelang", "layabridge"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


def pinned() -> dict:
    try:
        requirements = metadata.requires("layabridge") or []
    except metadata.PackageNotFoundError:
        return {}
    pins = (re.match(r"([\w.-]+)==([^;\s]+)", requirement) for requirement in requirements)
    return {pin[1]: pin[2] for pin in pins if pin}


answer = {"installed": installed(), "pinned": pinned(), "layabridge": "", "error": ""}
try:
    found = importlib.util.find_spec("layabridge.boundary")
    if found is None or found.origin is None:
        answer["error"] = "it has no module boundary"
    else:
        answer["layabridge"] = found.origin
except Exception as error:
    answer["error"] = f"{type(error).__name__}: {error}"
print(json.dumps(answer))
