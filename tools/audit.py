"""Check the runtime dependencies for known vulnerabilities.

An unreachable advisory service is reported but is not a failure, so that lint works on a closed network.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parent.parent / "requirements" / "run.txt"


def main() -> int:
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(REQUIREMENTS)]
    options = [
        "--require-hashes",
        "--disable-pip",
        "--format",
        "json",
        "--progress-spinner",
        "off",
        "--timeout",
        "5",
    ]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        reason = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        print(f"racecard: DEPENDENCIES NOT AUDITED: the advisory service cannot be had here ({reason[:120]})")
        return 0
    audited = [package for package in packages if "skip_reason" not in package]
    vulnerable = [package for package in audited if package["vulns"]]
    for package in vulnerable:
        for vulnerability in package["vulns"]:
            fixed = ", ".join(vulnerability["fix_versions"]) or "no version yet"
            print(f"{package['name']} {package['version']}: {vulnerability['id']}, fixed in {fixed}")
    if len(audited) < len(packages):
        missed = len(packages) - len(audited)
        print(
            f"racecard: {missed} OF {len(packages)} DEPENDENCIES NOT AUDITED: no advisories for them can be had here"
        )
    print(f"racecard: {len(audited)} dependencies audited, {len(vulnerable)} vulnerable")
    return 1 if vulnerable else 0


if __name__ == "__main__":
    sys.exit(main())
