"""`make docs`: build the documentation as a site of static pages in build/docs/site.

The pages are those of the repository, in a copy with the same folders, so that their links need no change. The pages
of docs/reference/ are generated: the operations of docs/openapi.json, the command line, and the moves of the games.
A warning of Sphinx, such as a link to a missing page or heading, fails the build. `--check` writes no site and only
looks for warnings.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "build" / "docs" / "source"
SITE = ROOT / "build" / "docs" / "site"

COPIED = ("LICENSE", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")

NAVIGATION: Mapping[str, tuple[str, ...]] = {
    "Tutorial": ("docs/tutorial",),
    "Run an installation": (
        "docs/deployment",
        *("docs/scaling", "docs/shards"),
        "docs/operations",
        "docs/runbook",
        "docs/checkpoints",
        "docs/security",
    ),
    "Organize, audit, administer": (
        *("docs/staff-pages", "docs/disputes", "docs/evidence", "docs/audit"),
        *("docs/notifications", "docs/webhooks", "docs/push"),
    ),
    "Extend and contribute": (
        *("docs/bots", "docs/adding-a-game", "docs/translating"),
        *("CONTRIBUTING", "docs/testing", "SECURITY"),
    ),
    "Games": ("docs/rules", "docs/games/*"),
    "Reference": (
        *("docs/api", "docs/reference/rest/index", "docs/clients", "docs/typescript-client", "docs/bot-api"),
        *("docs/errors", "docs/events", "docs/reference/moves"),
        *("docs/reference/cli", "docs/settings", "docs/verification", "docs/verification-procedure"),
        *("docs/glossary", "docs/screens", "docs/licences", "CHANGELOG"),
    ),
    "Explanation": (
        "docs/architecture",
        "docs/secrecy",
        "docs/performance",
        "docs/api-comparison",
        "docs/decisions/README",
    ),
}
"""The sections of the sidebar and their pages. A page in none of them is a warning of Sphinx."""

BELOW = {
    "docs/decisions/README.md": ("*",),
}
"""Pages of the repository that have others below them in the sidebar."""


BUNDLES_ONLY = shutil.ignore_patterns("*.py", "__pycache__")


def toctree(pages: tuple[str, ...], *options: str) -> str:
    return "\n".join(["", "```{toctree}", *(f":{option}:" for option in options), "", *pages, "```", ""])


def assemble() -> None:
    """Write the sources of the site: the repository's pages, and those generated from the code."""
    from tools import reference_pages

    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(ROOT / "docs", SOURCE / "docs", ignore=shutil.ignore_patterns("conf.py"))
    for name in COPIED:
        shutil.copy(ROOT / name, SOURCE / name)
    start = (ROOT / "README.md").read_text(encoding="utf-8")
    trees = (toctree(pages, "hidden", "glob", f"caption: {caption}") for caption, pages in NAVIGATION.items())
    (SOURCE / "index.md").write_text(start + "".join(trees), encoding="utf-8")
    for name, pages in BELOW.items():
        with (SOURCE / name).open("a", encoding="utf-8") as page:
            page.write(toctree(pages, "hidden", "glob"))
    for name, text in reference_pages.pages().items():
        path = SOURCE / "docs" / "reference" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def build(builder: str) -> int:
    """Build the site from the assembled sources. Return the exit code of Sphinx."""
    shutil.rmtree(SITE, ignore_errors=True)
    command = [
        *(sys.executable, "-m", "sphinx", "--builder", builder, "--fail-on-warning", "--keep-going"),
        *("--nitpicky", "--quiet", "--fresh-env", "--conf-dir", str(ROOT / "docs")),
        *("--doctree-dir", str(SOURCE.parent / "doctrees"), str(SOURCE), str(SITE)),
    ]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code == 0 and builder == "html":
        # The paths in docs/vectors/bundles.json are those of these files.
        shutil.copytree(ROOT / "tests" / "golden", SITE / "tests" / "golden", ignore=BUNDLES_ONLY)
        shutil.copytree(ROOT / "docs" / "vectors", SITE / "docs" / "vectors")
    return code


LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc="(?:https?:)?//[^"]*"|<link\b[^>]*\bhref="(?:https?:)?//[^"]*\"|"""
    r"""(?:url\(|@import )["']?(?:https?:)?//[^"')]*"""
)
"""What a page or a style sheet loads from another host."""


def foreign() -> list[str]:
    """Return what the site loads from other hosts, with the file."""
    return [
        f"{path.relative_to(SITE)}: {found[0]}"
        for path in sorted(SITE.rglob("*"))
        if path.suffix in (".html", ".css")
        for found in LOADED.finditer(path.read_text(encoding="utf-8"))
    ]


def main() -> int:
    import django

    sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    assemble()
    checks_only = "--check" in sys.argv[1:]
    code = build("dummy" if checks_only else "html")
    if code == 0 and not checks_only:
        if loaded := foreign():
            print("racecard: the site must load nothing from other hosts", *loaded, sep="\n")
            return 1
        print(f"racecard: the documentation is at {(SITE / 'index.html').relative_to(ROOT)}")
    return code


if __name__ == "__main__":
    sys.exit(main())
