"""Columns and constraints that Django's own fields cannot declare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models.constraints import BaseConstraint
from django.utils.deconstruct import deconstructible

if TYPE_CHECKING:
    BigIntegerField = models.BigIntegerField[int, int]
else:
    BigIntegerField = models.BigIntegerField


class IdentityField(BigIntegerField):
    """A number that PostgreSQL assigns and that cannot be chosen; on SQLite the INSERT computes it."""

    def db_type_suffix(self, connection: Any) -> str | None:
        return "GENERATED ALWAYS AS IDENTITY" if connection.vendor == "postgresql" else None


@deconstructible(path="eventstore.fields.CurrentTransaction")
class CurrentTransaction(models.Func):
    """The id of PostgreSQL's current transaction as a `bigint`; 0 on SQLite, which has one writer at a time."""

    output_field = models.BigIntegerField()
    template = "0"

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="pg_current_xact_id()::text::bigint", **context)


class CompositeForeignKey(BaseConstraint):
    """FOREIGN KEY (fields) REFERENCES the columns `to_fields` of the model that `via` points to; PostgreSQL only.

    `via` is a foreign key among `fields`. On SQLite a trigger enforces this constraint.
    """

    def __init__(self, *, fields: tuple[str, ...], via: str, to_fields: tuple[str, ...], name: str) -> None:
        super().__init__(name=name)
        self.fields = tuple(fields)
        self.via = via
        self.to_fields = tuple(to_fields)

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        path, args, kwargs = super().deconstruct()
        return path, args, kwargs | {"fields": self.fields, "via": self.via, "to_fields": self.to_fields}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CompositeForeignKey) and self.deconstruct() == other.deconstruct()

    __hash__ = BaseConstraint.__hash__

    def _reference(self, model: type[models.Model], editor: BaseDatabaseSchemaEditor) -> str | None:
        if editor.connection.vendor != "postgresql":
            return None
        target = model._meta.get_field(self.via).related_model
        if not isinstance(target, type) or not issubclass(target, models.Model):
            raise FieldDoesNotExist(f"{self.via} is not a foreign key of {model._meta.label}")

        def columns(of: type[models.Model], names: tuple[str, ...]) -> str:
            found = {field.name: field.column for field in of._meta.concrete_fields}
            return ", ".join(editor.quote_name(str(found[name])) for name in names)

        table = editor.quote_name(target._meta.db_table)
        return (
            f"CONSTRAINT {editor.quote_name(self.name)} FOREIGN KEY ({columns(model, self.fields)}) "
            f"REFERENCES {table} ({columns(target, self.to_fields)})"
        )

    def constraint_sql(  # type: ignore[override]
        self, model: type[models.Model] | None, schema_editor: BaseDatabaseSchemaEditor | None
    ) -> str | None:
        assert model is not None
        assert schema_editor is not None
        return self._reference(model, schema_editor)

    def create_sql(  # type: ignore[override]
        self, model: type[models.Model] | None, schema_editor: BaseDatabaseSchemaEditor | None
    ) -> str | None:
        assert model is not None
        assert schema_editor is not None
        reference = self._reference(model, schema_editor)
        table = schema_editor.quote_name(model._meta.db_table)
        return reference and f"ALTER TABLE {table} ADD {reference}"

    def remove_sql(  # type: ignore[override]
        self, model: type[models.Model] | None, schema_editor: BaseDatabaseSchemaEditor | None
    ) -> str | None:
        assert model is not None
        assert schema_editor is not None
        if schema_editor.connection.vendor != "postgresql":
            return None
        table, name = schema_editor.quote_name(model._meta.db_table), schema_editor.quote_name(self.name)
        return f"ALTER TABLE {table} DROP CONSTRAINT {name}"

    def validate(self, *args: Any, **kwargs: Any) -> None:
        """Validated by the database."""
