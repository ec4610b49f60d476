"""`{% load lists %}`: parts of lists on staff pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst

from staff.columns import NOTHING

register = template.Library()

_CELL = re.compile(r"<(?:td|th)(?=[ >])")


@register.filter
def labelled(cell: SafeString, title: str) -> SafeString:
    """`{{ cell|labelled:header.text }}`: a cell with the title of its column, which a narrow screen shows beside it.

    A cell without a value has no title.
    """
    if "action-checkbox" in cell or f">{NOTHING}</" in cell:
        return cell
    label = escape(capfirst(title))
    return mark_safe(_CELL.sub(lambda found: f'{found[0]} data-label="{label}"', cell, count=1))  # noqa: S308


@register.filter
def zipped(some: Iterable[Any], others: Iterable[Any]) -> Iterable[tuple[Any, Any]]:
    """`{% for one, other in some|zipped:others %}`"""
    return zip(some, others, strict=True)
