"""What lists of the back office have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import get_fields_from_path
from django.core.exceptions import BadRequest, FieldDoesNotExist, ValidationError
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst

from api.keyset import LARGEST_ID, KeysetList


class TickedRows:
    """For a `ModelAdmin` with actions: what is ticked are ids such as the page has; others are a bad request."""

    model: Any

    def response_action(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        key = self.model._meta.pk
        for ticked in request.POST.getlist(ACTION_CHECKBOX_NAME):
            try:
                id = key.to_python(ticked)
            except ValidationError:
                raise BadRequest("What is ticked is none of these rows.") from None
            if "\0" in ticked or (isinstance(id, int) and abs(id) > LARGEST_ID):
                raise BadRequest("What is ticked is none of these rows.")
        return super().response_action(request, *args, **kwargs)  # type: ignore[misc]


class NothingIsWritten:
    """Rows are read here and come about elsewhere."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnly(TickedRows, NothingIsWritten, admin.ModelAdmin):  # type: ignore[type-arg]  # not subscriptable
    """A list that goes on behind its last row, however long it is, and pages of its rows."""

    list_per_page = 50
    list_max_show_all = 0
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # they count the whole table, for each filter once

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[KeysetList]:
        return KeysetList

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Only what `list_filter` offers. Django allows any lookup on the model's own columns.

        A prefix lookup on a column that no page shows would read it letter by letter.
        """
        filters = self.list_filter if request is None else self.get_list_filter(request)
        return lookup in {name for each in filters for name in _parameters(self.model, each)}

    def prepare(self, rows: Sequence[Any]) -> None:
        """Look up for all rows of a page at once what a column shows of each."""

    def get_sortable_by(self, request: HttpRequest) -> list[Any]:
        """The columns of the table itself; a relation would be ordered by what another table has."""
        return [name for name in self.get_list_display(request) if self._is_own_column(name)]

    def _is_own_column(self, name: Any) -> bool:
        try:
            return not self.model._meta.get_field(name).is_relation
        except FieldDoesNotExist:
            shown = getattr(self, name, None) or getattr(self.model, name, None)
            return isinstance(getattr(shown, "admin_order_field", None), str)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        shown = {"title": capfirst(str(self.model._meta.verbose_name)), **(extra_context or {})}
        return super().change_view(request, object_id, form_url, shown)


def _parameters(model: type[Model], declared: Any) -> set[str]:
    """The query parameters by which a filter of `list_filter` chooses rows."""
    if isinstance(declared, type) and issubclass(declared, admin.SimpleListFilter):
        return {str(declared.parameter_name)}
    path, kind = declared if isinstance(declared, (tuple, list)) else (declared, None)
    if kind is admin.EmptyFieldListFilter:
        return {f"{path}__isempty"}
    field: Any = get_fields_from_path(model, path)[-1]
    if field.is_relation:
        return {f"{path}__{field.target_field.name}__exact", f"{path}__isnull"}
    return {path, f"{path}__exact", f"{path}__in", f"{path}__isnull"}
