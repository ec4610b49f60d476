"""A field takes its own JSON type or refuses; a serializer names what it does not know."""

from __future__ import annotations

import pytest
from rest_framework.exceptions import ValidationError

from rest.fields import (
    PenceField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    StrictUUIDField,
)
from rest.problems import as_problem


class Form(StrictSerializer):
    stake = PenceField()
    note = StrictTextField(required=False)


@pytest.mark.parametrize("value", [True, False, 5.0, "5", None, [5], {"n": 5}, 2, 11])
def test_an_integer_is_a_json_number_within_its_bounds(value: object) -> None:
    with pytest.raises(ValidationError):
        StrictIntegerField(3, 10).run_validation(value)


@pytest.mark.parametrize("value", [0, -520, 10**11 + 1, 5.2, True, "520"])
def test_pence_are_whole_positive_and_bounded(value: object) -> None:
    with pytest.raises(ValidationError):
        PenceField().run_validation(value)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        (StrictTextField(), 5),
        (StrictTextField(), True),
        (StrictBooleanField(), "true"),
        (StrictBooleanField(), 1),
        (StrictUUIDField(), 5),
        (StrictUUIDField(), "0" * 32),
        (StrictChoiceField(["1"]), 1),
        (StrictListField(), {"a": 1}),
        (StrictListField(), "ab"),
    ],
)
def test_no_value_is_converted(field, wrong: object) -> None:
    with pytest.raises(ValidationError):
        field.run_validation(wrong)


def test_text_is_stored_unchanged() -> None:
    assert StrictTextField().run_validation("  é牌 ") == "  é牌 "
    assert StrictIntegerField(3, 10).run_validation(3) == 3
    assert PenceField().run_validation(10**11) == 10**11


def test_unknown_keys_are_refused_by_name_with_what_is_known() -> None:
    form = Form(data={"stake": 5, "stakes": 6})
    with pytest.raises(ValidationError) as refused:
        form.is_valid(raise_exception=True)
    problem = as_problem(refused.value)
    assert problem.code == "invalid-input"
    assert problem.extra["errors"] == {"stakes": ["Unknown field. Known fields: stake, note."]}


@pytest.mark.parametrize("body", [[], [{"stake": 5}], "stake", 5, None, True])
def test_a_body_is_an_object(body: object) -> None:
    form = Form(data=body)
    assert not form.is_valid()
