"""Installs the distribution of this folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent / "package"


def install(folder: Path, package: Path = PACKAGE) -> Path:
    """Install a package into a folder, to be put on the path of a process."""
    options = ["--quiet", "--offline", "--no-deps", "--no-build-isolation", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", "uv", "pip", "install", *options, str(package)], check=True)
    return folder
