"""Says what kind of Python runs this file, as one JSON object on standard output.

Any Python from 2.7 on can run it, so that an interpreter which is too old is told from one that is broken.
"""

import json
import os
import platform
import struct
import sys
import sysconfig


def _library_name(var):
    name = var("INSTSONAME") or ""
    if ".so" in name or ".dylib" in name:
        return name
    # Some static builds (conda's) carry the library all the same.
    return "libpython%d.%d%s.so.1.0" % (sys.version_info[0], sys.version_info[1], getattr(sys, "abiflags", ""))


def _library_folders(var, base_prefix):
    """Folders of this very installation: a library of the same name elsewhere may be of another patch version."""
    roots = [var("LIBDIR"), os.path.join(base_prefix, "lib"), os.path.join(base_prefix, "lib64")]
    folders = []
    for root in roots:
        for folder in (root, os.path.join(root or "", var("MULTIARCH") or "")):
            if folder and os.path.isdir(folder) and os.path.normpath(folder) not in folders:
                folders.append(os.path.normpath(folder))
    return folders


def facts():
    """The facts as a dict. "libpython" is "" when the library is not found; "searched" lists the folders looked in."""
    var = sysconfig.get_config_var
    base_prefix = getattr(sys, "base_prefix", sys.prefix)
    name = _library_name(var)
    folders = _library_folders(var, base_prefix)
    found = [path for path in (os.path.join(folder, name) for folder in folders) if os.path.isfile(path)]
    paths = sysconfig.get_paths()
    return {
        "executable": sys.executable or "",
        "prefix": sys.prefix,
        "base_prefix": base_prefix,
        "base_executable": getattr(sys, "_base_executable", None) or sys.executable or "",
        "version": "%d.%d.%d" % sys.version_info[:3],
        "version_info": list(sys.version_info[:3]),
        "implementation": platform.python_implementation(),
        "bits": struct.calcsize("P") * 8,
        "shared": bool(var("Py_ENABLE_SHARED")),
        "free_threaded": bool(var("Py_GIL_DISABLED")),
        "libpython": found[0] if found else "",
        "library_name": name,
        "searched": folders,
        "is_venv": sys.prefix != base_prefix,
        "site_packages": sorted({paths["purelib"], paths["platlib"]}),
    }


if __name__ == "__main__":
    json.dump(facts(), sys.stdout)
