"""`racecard new`: write the skeleton of a plug-in."""

from __future__ import annotations

from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from games.rules.plugins import LONGEST_NAME, is_name
from games.rules.registry import manifests

SKELETON = Path(__file__).with_name("skeleton")
SUFFIX = ".template"

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def _new() -> None:
    """Write the skeleton of a plug-in."""


@app.command()
def game(
    slug: Annotated[str, typer.Argument(metavar="NAME", help="Lower case, with hyphens: go-fish.")],
    into: Annotated[Path, typer.Option(help="The folder in which to make the package's folder.")] = Path(),
) -> None:
    """Write a package with a small game of hidden cards, its bots, its manifest, and tests that pass."""
    if not is_name(slug):
        raise typer.BadParameter(
            f"a name has up to {LONGEST_NAME} lower-case letters, digits, and single hyphens"
        )
    words, folder = slug.split("-"), into / slug
    package = "_".join(words)
    if slug in manifests() or iskeyword(package) or find_spec(package):
        raise typer.BadParameter(f"there is a game or a package {package} already")
    if folder.exists():
        raise typer.BadParameter(f"{folder} exists")
    values = {
        "slug": slug,
        "package": package,
        "name": " ".join(words).title(),
        "Class": "".join(word.title() for word in words),
    }
    for template in sorted(SKELETON.rglob(f"*{SUFFIX}")):
        path = template.relative_to(SKELETON).with_suffix("")
        if path.parts[0] == "package":
            path = Path(values["package"], *path.parts[1:])
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(Template(template.read_text("utf-8")).substitute(values), "utf-8")
    typer.echo(
        f"Written to {folder}. Install it with `pip install --editable {folder}`, and run `pytest {folder}`."
    )
