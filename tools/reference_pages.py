"""The generated pages of the documentation: operations of the API, the command line, and the moves of the games."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tools.reference import API, DESCRIPTION, OPERATION_ROW, PREFIX

Schema = Mapping[str, Any]

DEEPEST = 3
"""How far the tables of a document follow its nested documents."""


def pages() -> dict[str, str]:
    """The Markdown of each page by its path below docs/reference/."""
    return {**_operations(), "cli.md": _command_line(), "moves.md": _moves()}


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows]
    if not lines:
        return ""
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *lines, ""])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


# --- the API ------------------------------------------------------------------------------------------


def _operations() -> dict[str, str]:
    description = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
    schemas = description["components"]["schemas"]
    found: dict[str, str] = {}
    links = []
    for title, listed in _sections():
        name = re.sub(r"\W+", "-", title.lower()).strip("-")
        parts = [f"# {title}\n\n[What these operations do](../../api.md#{name}).\n"]
        for method, path in listed:
            operation = description["paths"].get(PREFIX + path.removeprefix("/"), {}).get(method.lower())
            if operation:
                parts.append(_operation(method, path, operation, schemas))
        if len(parts) > 1:
            found[f"rest/{name}.md"] = "\n".join(parts)
            links.append(name)
    found["rest/index.md"] = "\n".join(
        [
            "# REST operations\n",
            "Every operation with its parameters and documents, as in the OpenAPI description that a server gives at",
            "`/api/v1/schema/`. The [REST API](../../api.md) describes authentication, idempotency, and lists. A",
            "refused request gets a [problem document](../../errors.md). Paths are below `/api/v1/`.\n",
            "```{toctree}",
            ":maxdepth: 1\n",
            *links,
            "```\n",
        ]
    )
    return found


def _sections() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The titles of docs/api.md and the operations that their tables list."""
    for section in API.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        yield title, [(method, path) for method, path, _ in OPERATION_ROW.findall(text)]


def _operation(method: str, path: str, operation: Schema, schemas: Schema) -> str:
    parts = [f"## {method} {path}\n", f"{operation['summary']}.\n"]
    if {} in operation.get("security", [{}]):
        parts.append("No account is needed.\n")
    if text := operation.get("description"):
        parts.append(f"{text}\n")
    parameters = [
        [
            f"`{one['name']}`",
            one["in"],
            _type(one["schema"], schemas) + (", required" if one.get("required") else ""),
            one.get("description", ""),
        ]
        for one in operation.get("parameters", [])
    ]
    if parameters:
        parts.append(_table(("Parameter", "In", "Type", "Meaning"), parameters))
    if body := operation.get("requestBody"):
        parts += ["**Request**\n", _document(body["content"], schemas)]
    for status, response in operation["responses"].items():
        if status != "default":
            content = response.get("content", {})
            parts += [f"**{status}**\n", _document(content, schemas) if content else "No body.\n"]
    return "\n".join(parts)


def _document(content: Schema, schemas: Schema) -> str:
    kind, about = next(iter(content.items()))
    schema = about["schema"]
    rows = list(_members(schema, schemas))
    shown = _table(("Member", "Type", "Meaning"), rows)
    return shown or f"`{kind}`: {_type(schema, schemas)}\n"


def _members(schema: Schema, schemas: Schema, prefix: str = "", depth: int = 1) -> Iterator[list[str]]:
    """Yield a row for each member, and below it those of the document in it."""
    schema = _resolved(schema, schemas)
    if schema.get("type") == "array":
        yield from _members(schema["items"], schemas, f"{prefix}[]", depth)
        return
    required = set(schema.get("required", []))
    for name, inner in schema.get("properties", {}).items():
        path = f"{prefix}.{name}".lstrip(".")
        nullable, inner = _without_null(inner)
        yield [
            f"`{path}`",
            _type(inner, schemas)
            + (" or null" if nullable else "")
            + ("" if name in required else ", optional"),
            inner.get("description", ""),
        ]
        if depth < DEEPEST:
            yield from _members(inner, schemas, path, depth + 1)


def _resolved(schema: Schema, schemas: Schema) -> Schema:
    while True:
        _, schema = _without_null(schema)
        if "$ref" not in schema:
            return schema
        schema = schemas[schema["$ref"].rpartition("/")[2]]


def _without_null(schema: Schema) -> tuple[bool, Schema]:
    """Whether the value may be null, and its schema otherwise, with the description of the whole."""
    for key in ("oneOf", "anyOf"):
        others = [one for one in schema.get(key, []) if one != {"type": "null"}]
        if len(others) == 1 and len(schema[key]) == 2:
            about = {"description": schema["description"]} if "description" in schema else {}
            return True, {**others[0], **about}
    kinds = schema.get("type")
    if isinstance(kinds, list) and "null" in kinds and len(kinds) == 2:
        return True, {**schema, "type": next(kind for kind in kinds if kind != "null")}
    return False, schema


def _type(schema: Schema, schemas: Schema) -> str:
    schema = _resolved(schema, schemas)
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return _values(schema["enum"])
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(_type(one, schemas) for one in schema[key]))
    kind = schema.get("type", "any value")
    if kind == "array":
        return f"list of {_type(schema['items'], schemas)}"
    if isinstance(kind, list):
        return " or ".join(kind)
    extra = [
        *([schema["format"]] if "format" in schema else []),
        *([f"{schema['minimum']}…{schema['maximum']}"] if _is_bounded(schema) else []),
        *([f"at most {schema['maxLength']} characters"] if "maxLength" in schema else []),
        *([f"default `{json.dumps(schema['default'])}`"] if "default" in schema else []),
    ]
    return f"{kind} ({', '.join(extra)})" if extra else str(kind)


def _is_bounded(schema: Schema) -> bool:
    """Whether it has bounds besides those of a whole number in JSON."""
    return "minimum" in schema and "maximum" in schema and schema["maximum"] < 2**53 - 1


def _values(values: Sequence[Any]) -> str:
    cards = [
        one for one in values if isinstance(one, str) and re.fullmatch(r"[A2-9TJQKX][CDHS12](\.\w)?", one)
    ]
    if len(cards) == len(values) and len(values) > 4:
        return "a card"
    return ", ".join(f"`{json.dumps(one) if not isinstance(one, str) else one}`" for one in values)


# --- the command line ---------------------------------------------------------------------------------


def _command_line() -> str:
    import typer.main

    from config.cli.main import COMMANDS, application

    parts = [
        "# Command line\n",
        "`racecard` verifies, simulates, audits, and backs up. `manage.py` runs an installation. In the repository",
        "both are run by the environment's Python: `.venv/bin/racecard` and `.venv/bin/python manage.py`.\n",
        "## racecard\n",
    ]
    for name in COMMANDS:
        app: Any = typer.main.get_command(application(name))
        parts += _command(f"racecard {name}", app.commands[name])
    return "\n".join([*parts, *_management()])


def _command(name: str, command: Any) -> Iterator[str]:
    yield f"### {name}\n"
    yield f"{_paragraphs(command.help or '')}\n"
    rows = [
        [
            ", ".join(f"`{option}`" for option in (*one.opts, *one.secondary_opts))
            if one.param_type_name == "option"
            else f"`{(one.metavar or one.name).upper()}`",
            getattr(one, "help", None) or "",
            "" if one.default in (None, False, [], ()) or callable(one.default) else f"`{one.default}`",
        ]
        for one in command.params
        if one.name != "help"
    ]
    yield _table(("Argument", "Meaning", "Default"), rows)
    for inner, below in getattr(command, "commands", {}).items():
        yield from _command(f"{name} {inner}", below)


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _management() -> Iterator[str]:
    from django.core.management import get_commands, load_command_class

    yield "## manage.py\n"
    yield "Django's own commands, such as `createsuperuser`, exist as well.\n"
    for name, app in sorted(get_commands().items()):
        if not isinstance(app, str) or app.partition(".")[0] not in OWN:
            continue
        command = load_command_class(app, name)
        parser = command.create_parser("manage.py", name)
        yield f"### manage.py {name}\n"
        yield f"{_paragraphs(command.help)}\n"
        yield _table(("Argument", "Meaning", "Default"), _arguments(parser, f"manage.py {name}"))


OWN = (
    "config",
    "accounts",
    "audit",
    "disputes",
    "eventstore",
    "games",
    "jobs",
    "ledger",
    "tournaments",
    "webhooks",
)
"""The applications of the project."""

DJANGO = {
    "help",
    "version",
    "verbosity",
    "settings",
    "pythonpath",
    "traceback",
    "no_color",
    "force_color",
    "skip_checks",
}
"""The options of every command of Django."""


def _arguments(parser: argparse.ArgumentParser, name: str) -> Iterator[list[str]]:
    for one in parser._actions:
        if one.dest in DJANGO:
            continue
        if isinstance(one, argparse._SubParsersAction):
            about = {choice.dest: choice.help or "" for choice in one._choices_actions}
            for inner, below in one.choices.items():
                yield [f"`{inner}`", about.get(inner, ""), ""]
                for option, meaning, default in _arguments(below, f"{name} {inner}"):
                    yield [f"`{inner}` {option}", meaning, default]
            continue
        names = ", ".join(f"`{option}`" for option in one.option_strings) or f"`{one.metavar or one.dest}`"
        choices = f" One of {', '.join(map(str, one.choices))}." if one.choices else ""
        default = "" if one.default in (None, False, "==SUPPRESS==") else f"`{one.default}`"
        yield [names, (one.help or "").replace("%(default)s", str(one.default)) + choices, default]


# --- the games ----------------------------------------------------------------------------------------


def _moves() -> str:
    from games import rules

    parts = [
        "# Configs and moves\n",
        "The config with which a table is opened, and the moves of each game, as `GET /api/v1/rules/` gives them in",
        "JSON Schema. The [rulebook](../rules.md) says what they mean.\n",
    ]
    for game in (rules.get(slug) for slug, _ in rules.names()):
        parts += [
            f"## {game.name}\n",
            f"`{game.slug}`, for {', '.join(map(str, game.seats))} seats.\n",
            _table(("Config", "Type", "Meaning"), _members(game.config_schema, {})),
        ]
        for move in game.move_schema.get("oneOf", [game.move_schema]):
            kind = move["properties"]["type"]["const"]
            rows = [row for row in _members(move, {}) if row[0] != "`type`"]
            parts += [
                f"### {game.slug}: {kind}\n",
                _table(("Member", "Type", "Meaning"), rows) or "No members.\n",
            ]
    return "\n".join(parts)
