"""`make lock`: write the hashed requirements from pyproject.toml, for every platform and without an index address.

Versions do not change unless `--upgrade` is given.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GROUPS = {
    "run": ["setup"],
    "client": ["setup", "client"],
    "dev": ["setup", "client", "docs", "dev"],
    "bench": ["setup", "client", "bench"],
}
"""The dependency groups in each file besides the project's own; shared packages have one version."""
CLUSTER = "cluster"
"""The group of `make cluster`: programs with an environment of their own, without the project."""


def compile_requirements(target: str, sources: list[str], given: str | None = None) -> None:
    command = [
        *(sys.executable, "-m", "uv", "--system-certs", "pip", "compile"),
        *("--quiet", "--universal", "--python-version", "3.11"),
        *(
            "--generate-hashes",
            "--no-emit-index-url",
            "--no-header",
            "--output-file",
            f"requirements/{target}.txt",
        ),
        *sys.argv[1:],
        *sources,
    ]
    print(f"racecard: requirements/{target}.txt", flush=True)
    subprocess.run(command, cwd=ROOT, input=given, text=True, check=True)


def main() -> None:
    for target, groups in GROUPS.items():
        chosen = [word for group in groups for word in ("--group", group)]
        constraint = [] if target == "run" else ["--constraint", "requirements/run.txt"]
        compile_requirements(target, ["pyproject.toml", *chosen, *constraint])
    compile_requirements("uv", ["-"], given="uv\n")
    compile_requirements(CLUSTER, ["--group", CLUSTER])
    for target in (*GROUPS, "uv", CLUSTER):
        text = (ROOT / "requirements" / f"{target}.txt").read_text()
        if "://" in text or "--index" in text:
            sys.exit(f"racecard: requirements/{target}.txt names an address; locks must work with any index")


if __name__ == "__main__":
    main()
