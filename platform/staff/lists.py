"""Common parts of lists on staff pages."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.templatetags import admin_list
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.main import ORDER_VAR, ChangeList
from django.core.exceptions import BadRequest, FieldDoesNotExist, ValidationError
from django.db import connection
from django.db.models import F, Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst

from staff import subjects
from staff.columns import NOTHING, TECHNICAL, WORDED, name_subjects


def yes_or_no(value: bool | None) -> str:
    """Return how lists and facts show a truth value; a dash for None."""
    return NOTHING if value is None else "yes" if value else "no"


# Django's icons are green and red, so that a no looks like a fault. It has no setting for them.
admin_list._boolean_icon = yes_or_no  # type: ignore[attr-defined]


class TickedRows:
    """For a `ModelAdmin` with actions: refuses selected ids that cannot be rows of the page."""

    model: Any

    def response_action(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        key = self.model._meta.pk
        for ticked in request.POST.getlist(ACTION_CHECKBOX_NAME):
            try:
                id = key.to_python(ticked)
            except ValidationError:
                raise BadRequest("The selection contains an invalid row.") from None
            if "\0" in ticked or (isinstance(id, int) and abs(id) > LARGEST_ID):
                raise BadRequest("The selection contains an invalid row.")
        return super().response_action(request, *args, **kwargs)  # type: ignore[misc]


class NothingIsWritten:
    """A read-only admin: rows are written elsewhere."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


_DRAWINGS = {
    "accounts": "people", "disputes": "scales", "games": "cards", "ledger": "coins", "tournaments": "trophy",
}  # fmt: skip
"""What an empty list of an app's rows shows, of static/racecard/drawings.svg."""


class ReadOnly(TickedRows, NothingIsWritten, admin.ModelAdmin):  # type: ignore[type-arg]  # not subscriptable
    """A keyset-paged list of any length, and read-only pages of its rows.

    What a list reads depends on its page and not on the length of its table: its order is fixed, and an index of the
    model carries it, also behind each filter and each search.
    """

    list_per_page = 50
    sortable_by = ()
    list_max_show_all = 0
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # they count the whole table, once per filter
    change_list_template = "staff/change_list.html"
    technical: Collection[str] = TECHNICAL
    """Fields that a record shows folded, below the others."""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        drawing = _DRAWINGS.get(self.opts.app_label, "clear")
        return super().changelist_view(request, {"empty_drawing": drawing, **(extra_context or {})})

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[KeysetList]:
        return KeysetList

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Allow only the lookups of `list_filter`. Django allows any lookup on the model's own columns.

        A prefix lookup on a hidden column would reveal it letter by letter.
        """
        filters = self.list_filter if request is None else self.get_list_filter(request)
        return lookup in {name for each in filters for name in _parameters(self.model, each)}

    def prepare(self, rows: Sequence[Any]) -> None:
        """Load the data that a column shows, for all rows of a page at once."""

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        return [WORDED.get(each, each) for each in super().get_list_display(request)]

    def sections(self, request: HttpRequest, row: Any) -> Iterable[tuple[Any, Mapping[str, Any]]]:
        """Return the titles and fields of a record."""
        return super().get_fieldsets(request, row)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the sections of a record with its fields in words, and its technical fields in a folded section."""
        folded: list[Any] = []
        shown: list[Any] = []
        for title, section in self.sections(request, obj):
            fields = [WORDED.get(each, each) for each in section["fields"] if each not in self.technical]
            folded += [each for each in section["fields"] if each in self.technical]
            shown += [(title, {**section, "fields": fields})] if fields else []
        details = ("Technical details", {"fields": folded, "classes": ("technical",)})
        return [*shown, *([details] if folded else ())]

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        found = super().get_object(request, object_id, from_field)
        if found is not None:
            found.reader = request.user  # whose links the page shows
        return found

    def subtitle(self, row: Any) -> str:
        """Return the name of a row below the title of its page: by default that of its subject."""
        subject = getattr(row, "subject", "")
        return subjects.link(subject).text if subject else str(row)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Return the rows of the first search field that has the value, so that one index finds them.

        `=field` is the exact value and `^field` its beginning.
        """
        text = search_term.strip()
        if not text:
            return queryset, False
        for name in self.search_fields:
            where = _searched(self.model, name, text)
            if where is not None and self.model._default_manager.filter(where).exists():
                return queryset.filter(where), False
        return queryset.none(), False

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        title = capfirst(str(self.model._meta.verbose_name))
        return super().change_view(request, object_id, form_url, {"title": title, **(extra_context or {})})

    def row_context(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """Return what the page of a row shows besides its fields."""
        return {"subtitle": self.subtitle(row)}

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Any = None,
    ) -> HttpResponse:
        context |= self.row_context(request, obj)
        return super().render_change_form(request, context, add, change, form_url, obj)


def _searched(model: type[Model], name: str, text: str) -> Q | None:
    """The condition of a search field; None if the text cannot be one of its values."""
    path = name[1:]
    field: Any = get_fields_from_path(model, path)[-1]
    try:
        value = field.to_python(text)
    except ValidationError:
        return None
    if isinstance(value, int) and abs(value) > LARGEST_ID:
        return None
    if name.startswith("="):
        return Q(**{path: value})
    if connection.vendor == "sqlite":  # whose LIKE ignores case, and so uses no index
        return Q(**{f"{path}__gte": value, f"{path}__lt": f"{value}{chr(sys.maxunicode)}"})
    return Q(**{f"{path}__startswith": value})


class FixedChoices(admin.SimpleListFilter):
    """A filter with choices that are known without reading the table. `choices_of` makes subclasses."""

    known: Callable[[], Iterable[tuple[str, str]]]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(type(self).known())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(**{str(self.parameter_name): self.value()}) if self.value() else queryset


def choices_of(
    column: str, choices: Callable[[], Iterable[tuple[str, str]]], title: str = ""
) -> type[FixedChoices]:
    """Return a filter of a column, whose values and their names `choices` returns."""
    members = {"title": title or column, "parameter_name": column, "known": staticmethod(choices)}
    return type("ChoicesFilter", (FixedChoices,), members)


def named_filter(column: str, title: str) -> tuple[str, type[admin.FieldListFilter]]:
    """Return a filter of a truth value with a title in words."""

    class NamedFilter(admin.BooleanFieldListFilter):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.title = title

    return column, NamedFilter


def whether(column: str, empty: str, filled: str) -> tuple[str, type[admin.FieldListFilter]]:
    """Return a filter by whether a column is empty, with the names of both choices."""

    class WhetherFilter(admin.EmptyFieldListFilter):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.title = "state"

        def choices(self, changelist: Any) -> Iterator[Any]:
            for choice, label in zip(super().choices(changelist), ("All", empty, filled), strict=True):
                yield {**choice, "display": label}

    return column, WhetherFilter


def _parameters(model: type[Model], declared: Any) -> set[str]:
    """The query parameters with which a filter of `list_filter` selects rows."""
    if isinstance(declared, type) and issubclass(declared, admin.SimpleListFilter):
        return {str(declared.parameter_name)}
    path, kind = declared if isinstance(declared, (tuple, list)) else (declared, None)
    if kind is not None and issubclass(kind, admin.EmptyFieldListFilter):
        return {f"{path}__isempty"}
    field: Any = get_fields_from_path(model, path)[-1]
    if field.is_relation:
        return {f"{path}__{field.target_field.name}__exact", f"{path}__isnull"}
    return {path, f"{path}__exact", f"{path}__in", f"{path}__isnull"}


AFTER = "after"
"""The parameter with the primary key of the last row seen."""

COUNTED = 1000
"""Rows are counted up to this number; beyond it the list shows "more than"."""

LARGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Key:
    """One column of an ordering; empty values come last."""

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
        """The rows that this column alone places after a value; None if there are none."""
        if value is None:
            return None
        behind = Q(**{f"{self.path}__{'lt' if self.descending else 'gt'}": value})
        return behind | Q(**{f"{self.path}__isnull": True}) if self.nullable else behind

    def same(self, value: Any) -> Q:
        return Q(**{f"{self.path}__isnull": True} if value is None else {self.path: value})

    def not_before(self, value: Any) -> Q:
        """A redundant condition in the form for which the database uses an index."""
        if self.nullable or value is None:
            return Q()
        return Q(**{f"{self.path}__{'lte' if self.descending else 'gte'}": value})


def keys_of(model: type[Model], ordering: Sequence[Any]) -> list[Key]:
    """The columns of an ordering that ends with a unique one."""
    named = [part for part in ordering if isinstance(part, str)]
    return [
        Key(path := part.removeprefix("-"), part.startswith("-"), _may_be_empty(model, path))
        for part in named
    ]


def _may_be_empty(model: type[Model], path: str) -> bool:
    """Whether the column, or a relation on the path to it, may be null."""
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
    """The rows that come after the row with these values."""
    found, same = Q(pk__in=[]), Q()
    for key, value in zip(keys, values, strict=True):
        if (beyond := key.beyond(value)) is not None:
            found |= same & beyond
        same &= key.same(value)
    return rows.filter(keys[0].not_before(values[0]), found)


class KeysetList(ChangeList):
    """`count_text`, `is_one`, `is_paged`, `first_page`, and `next_page` are for the template of its footer."""

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        self.title = capfirst(str(self.opts.verbose_name_plural))

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        self.params.pop(AFTER, None)
        self.params.pop(ORDER_VAR, None)  # no index would carry it
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
        columns = (getattr(self.model_admin, str(each), each) for each in self.list_display)
        name_subjects(self.result_list, columns, request.user)
        self.is_paged = bool(after)
        self.next_page = ""
        if len(found) > self.list_per_page:
            self.next_page = self.get_query_string({AFTER: str(self.result_list[-1].pk)})
        self.first_page = self.get_query_string()
        # The key alone, so that nothing is computed or compared for the rows that are only counted.
        counted = rows.order_by().values("pk")[: COUNTED + 1].count()
        self.count_text = f"more than {COUNTED}" if counted > COUNTED else str(counted)
        self.is_one = counted == 1
        self.result_count = self.full_result_count = len(self.result_list)
        self.show_full_result_count = self.can_show_all = self.multi_page = False
        self.show_admin_actions = True

    def _values(self, after: str, keys: Sequence[Key]) -> tuple[Any, ...]:
        """The key values of the row after which the page begins. Raises for an unknown row."""
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
