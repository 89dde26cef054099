"""Forgets packages that an interrupted installation left half-way, so that pip installs them again.

pip takes a package for installed once its METADATA is there, which is before its last file is. Run by the environment's
own Python; prints each package it forgot.
"""

import csv
import shutil
import sys
import sysconfig
from pathlib import Path


def complete(info: Path) -> bool:
    """Whether every file that RECORD names is there with its size. RECORD itself is written last."""
    record = info / "RECORD"
    if not record.is_file():
        return False
    with record.open(newline="", encoding="utf-8") as rows:
        for name, _, size in csv.reader(rows):
            path = info.parent / name
            if size and not (path.is_file() and path.stat().st_size == int(size)):
                return False
    return True


def main() -> int:
    site = Path(sysconfig.get_paths()["purelib"])
    for left_over in site.glob("~*"):  # pip renames a package to this while it replaces it
        shutil.rmtree(left_over, ignore_errors=True)
    for info in sorted(site.glob("*.dist-info")):
        if not complete(info):
            print(f"{info.name.removesuffix('.dist-info')} was only half installed; installing it again")
            shutil.rmtree(info)
    return 0


if __name__ == "__main__":
    sys.exit(main())
