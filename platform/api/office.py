"""What lists of the back office have in common."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest, ValidationError
from django.http import HttpRequest

LARGEST_ID = 2**63 - 1


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
