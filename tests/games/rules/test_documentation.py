"""The rulebook and the pages of the games agree with the code."""

import re
from pathlib import Path

import pytest

import games.rules
from games.rules import catalogue

DOCS = Path(__file__).parents[3] / "docs"
RULEBOOK = (DOCS / "rules.md").read_text()
SOURCES = [path.read_text() for path in Path(games.rules.__file__).parent.rglob("*.py")]
CODES = {
    code
    for source in SOURCES
    for code in re.findall(
        r'(?:Refused\(|return |else \(|or \(|\()\s*"([a-z]+(?:-[a-z]+)+)",\s+(?:Law|[A-Z_]+\b)', source
    )
}


def test_every_refusal_code_is_in_the_rulebook():
    assert len(CODES) > 12
    assert {code for code in CODES if f"`{code}`" not in RULEBOOK} == set()


@pytest.mark.parametrize("section", range(1, 10))
def test_the_rulebook_has_its_sections(section):
    assert re.search(rf"^## {section}\. ", RULEBOOK, re.MULTILINE)


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry["slug"])
def test_every_game_has_a_page_with_every_config_key_move_and_ruling(entry):
    page = (DOCS / "games" / f"{entry['slug']}.md").read_text()
    for key in entry["config_schema"]["properties"]:
        assert f"`{key}`" in page
    for move in entry["move_schema"]["oneOf"]:
        assert f'{{"type":"{move["properties"]["type"]["const"]}"' in page
    for ruling in entry["rulings"]:
        if numbered := re.search(r"\(\d+\)$", ruling["reference"]):
            assert f"| {numbered[0]}" in page


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry["slug"])
def test_references_point_to_rulings_of_the_rulebook(entry):
    for ruling in entry["rulings"]:
        section, number = re.fullmatch(r"RULEBOOK (\d)(?: \((\d+)\))?", ruling["reference"]).groups()
        text = RULEBOOK.split(f"\n## {section}. ")[1].split("\n## ")[0]
        assert number is None or f"({number})" in text


def test_the_note_names_the_available_games():
    for entry in catalogue():
        assert entry["name"] in RULEBOOK.split("## 1.")[0]
