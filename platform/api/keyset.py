"""Lists of the back office that go on behind their last row, as those of REST do, and are never counted to the end.

A page by number makes the database count and skip all rows before it, and shows rows twice while others come in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import F, Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.text import capfirst

AFTER = "after"
"""The parameter with the primary key of the last row that was seen."""

COUNTED = 1000
"""Rows are counted up to this; of more the list says so."""

LARGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Key:
    """One of the columns that a list is ordered by; what is empty comes last."""

    path: str
    descending: bool
    nullable: bool

    @property
    def order(self) -> Any:
        if not self.nullable:
            return f"-{self.path}" if self.descending else self.path
        column = F(self.path)
        return column.desc(nulls_last=True) if self.descending else column.asc(nulls_last=True)

    def beyond(self, value: Any) -> Q | None:
        """The rows that this column alone puts behind one with the value; None where there are none."""
        if value is None:
            return None
        behind = Q(**{f"{self.path}__{'lt' if self.descending else 'gt'}": value})
        return behind | Q(**{f"{self.path}__isnull": True}) if self.nullable else behind

    def same(self, value: Any) -> Q:
        return Q(**{f"{self.path}__isnull": True} if value is None else {self.path: value})

    def not_before(self, value: Any) -> Q:
        """Says once more what follows from the rest, in the form for which an index is used."""
        if self.nullable or value is None:
            return Q()
        return Q(**{f"{self.path}__{'lte' if self.descending else 'gte'}": value})


def keys_of(model: type[Model], ordering: Sequence[Any]) -> list[Key]:
    """The columns of an ordering that ends with one by which every row differs."""
    named = [part for part in ordering if isinstance(part, str)]
    return [
        Key(path := part.removeprefix("-"), part.startswith("-"), _may_be_empty(model, path))
        for part in named
    ]


def _may_be_empty(model: type[Model], path: str) -> bool:
    """Also whether a relation on the way to the column may be."""
    step: Any = model
    for name in path.split("__"):
        try:
            field = step._meta.pk if name == "pk" else step._meta.get_field(name)
        except FieldDoesNotExist:  # an annotation, such as a count
            return False
        if field.null:
            return True
        step = field.related_model
    return False


def behind(rows: QuerySet[Any], keys: Sequence[Key], values: Sequence[Any]) -> QuerySet[Any]:
    """Those of the rows that come after the one with these values."""
    found, same = Q(pk__in=[]), Q()
    for key, value in zip(keys, values, strict=True):
        if (beyond := key.beyond(value)) is not None:
            found |= same & beyond
        same &= key.same(value)
    return rows.filter(keys[0].not_before(values[0]), found)


class KeysetList(ChangeList):
    """`told`, `is_one`, `is_paged`, `first_page` and `next_page` are for the template of its foot."""

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        self.title = capfirst(str(self.opts.verbose_name_plural))

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        self.params.pop(AFTER, None)
        self.filter_params.pop(AFTER, None)
        return super().get_queryset(request, exclude_parameters)

    def get_results(self, request: HttpRequest) -> None:
        keys = keys_of(self.model, self.queryset.query.order_by)
        rows = self.queryset.order_by(*(key.order for key in keys))
        after = request.GET.get(AFTER, "")
        page = behind(rows, keys, self._values(after, keys)) if after else rows
        found = list(page[: self.list_per_page + 1])
        self.result_list = found[: self.list_per_page]
        self.model_admin.prepare(self.result_list)  # type: ignore[attr-defined]  # of ReadOnly
        self.is_paged = bool(after)
        self.next_page = ""
        if len(found) > self.list_per_page:
            self.next_page = self.get_query_string({AFTER: str(self.result_list[-1].pk)})
        self.first_page = self.get_query_string()
        counted = rows.order_by()[: COUNTED + 1].count()
        self.told = f"more than {COUNTED}" if counted > COUNTED else str(counted)
        self.is_one = counted == 1
        self.result_count = self.full_result_count = len(self.result_list)
        self.show_full_result_count = self.can_show_all = self.multi_page = False
        self.show_admin_actions = True

    def _values(self, after: str, keys: Sequence[Key]) -> tuple[Any, ...]:
        """Of the row behind which the page begins; raises for what is none of these rows."""
        try:
            id = self.lookup_opts.pk.to_python(after)
        except ValidationError as error:
            raise IncorrectLookupParameters(error) from error
        if isinstance(id, int) and abs(id) > LARGEST_ID:
            raise IncorrectLookupParameters("no such row")
        row = self.root_queryset.filter(pk=id).values_list(*(key.path for key in keys)).first()
        if row is None:
            raise IncorrectLookupParameters("no such row")
        return tuple(row)
