"""Judges whether the Python that runs this file can carry layactl's environment.

Prints its version and path and exits 0, or prints one sentence with the fix and exits 1.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bridge", "venv"))
sys.dont_write_bytecode = True

from interpreter import facts  # noqa: E402

OLDEST, NEWEST = (3, 10), (3, 13)


def problem(python):
    """One sentence, or "" when the interpreter will do."""
    version = tuple(python["version_info"][:2])
    name = "%s (%s %s)" % (python["executable"], python["implementation"], python["version"])
    if python["implementation"] != "CPython" or python["free_threaded"]:
        return name + " is not plain CPython; use CPython with the GIL"
    if not OLDEST <= version <= NEWEST:
        return name + " is not one of Python %d.%d to %d.%d" % (OLDEST + NEWEST)
    if python["bits"] != 64:
        return name + " is a 32-bit build; torch needs a 64-bit one"
    short = "%d.%d" % version
    if not python["libpython"] and python["shared"]:
        return "%s has no %s in %s; apt-get install libpython%s" % (
            name,
            python["library_name"],
            " or ".join(python["searched"]),
            short,
        )
    if not python["libpython"]:
        return "%s was built without a shared library; PYTHON_CONFIGURE_OPTS=--enable-shared pyenv install %s" % (
            name,
            short,
        )
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        return "%s cannot make virtual environments; apt-get install python3-venv (or python%s-venv)" % (name, short)
    return ""


def main():
    python = facts()
    sentence = problem(python)
    # An activated environment may be the very one that is about to be rebuilt: name the interpreter below it.
    print(sentence or "%s %s" % (python["version"], python["base_executable"]))
    return 1 if sentence else 0


if __name__ == "__main__":
    sys.exit(main())
