"""Forms of MCP servers: what may stand in one, what looks secret, and what fits."""

from __future__ import annotations

from typing import Any

import pytest

from sayso.errors import AnswerInvalid, QuestionInvalid
from sayso.questions.form import fill, read_form, value_of


def form(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": []}


TEXT = {"type": "string"}


@pytest.mark.spec("Q-8")
def test_what_looks_secret_is_found_by_name_title_description_and_format() -> None:
    secret = {
        "password": TEXT,
        "apiKey": TEXT,
        "x": {"type": "string", "title": "Your access token"},
        "y": {"type": "string", "description": "the PIN of your card"},
        "z": {"type": "string", "format": "password"},
        "otp": {"type": "integer"},
        "f": {"type": "string", "format": "Password"},
    }
    for number, title in enumerate(
        ("API key", "Private key", "Access key", "signing key", "Recovery phrase", "seed phrase",
         "One-time code", "Verification code", "Passwort", "Ｐａｓｓｗｏｒｄ")
    ):  # fmt: skip
        secret[f"v{number}"] = {"type": "string", "title": title}
    plain = {"name": TEXT, "mail": {"type": "string", "format": "email"}, "compass": TEXT}
    read = read_form(form(**secret, **plain))
    assert {field.name for field in read.fields if field.secret} == set(secret)
    assert read.has_secrets
    assert not read_form(form(**plain)).has_secrets
    given = read_form(form(password={"type": "string", "default": "hunter2"}))
    assert given.fields[0].default is None, "a secret is never filled in"


@pytest.mark.spec("Q-8")
def test_choices_are_read_in_each_way_in_which_mcp_writes_them() -> None:
    titled = [{"const": "a", "title": "A!"}, {"const": "b", "title": "B!"}]
    for schema in (
        {"type": "string", "enum": ["a", "b"], "enumNames": ["A!", "B!"]},
        {"type": "string", "oneOf": titled},
        {"type": "array", "items": {"anyOf": titled}},
    ):
        (field,) = read_form(form(x=schema)).fields
        assert [(c.value, c.label) for c in field.choices] == [("a", "A!"), ("b", "B!")]
        wanted: Any = "b" if field.kind == "string" else ["b"]
        assert value_of(field, "2") == value_of(field, "B!") == wanted
        with pytest.raises(AnswerInvalid, match="none of the choices"):
            value_of(field, "3")
    (several,) = read_form(form(x={"type": "array", "items": {"enum": ["a", "b"]}})).fields
    assert value_of(several, "1, b") == ["a", "b"]


@pytest.mark.spec("Q-8")
def test_the_number_on_the_screen_chooses_what_stands_beside_it() -> None:
    turned = [{"const": "2", "title": "Delete"}, {"const": "1", "title": "Keep"}]
    (field,) = read_form(form(x={"type": "string", "oneOf": turned})).fields
    assert (value_of(field, "1"), value_of(field, "2")) == ("2", "1")
    hidden = [{"const": "Keep", "title": "Delete"}, {"const": "no", "title": "Keep"}]
    (field,) = read_form(form(x={"type": "string", "oneOf": hidden})).fields
    assert value_of(field, "Keep") == "no"
    with pytest.raises(AnswerInvalid, match="none of the choices"):
        value_of(field, "no")
    (numbers,) = read_form(form(x={"type": "string", "enum": ["3", "2"]})).fields
    assert value_of(numbers, "2") == "2"
    for text in ("3", "0", "9" * 5000):
        with pytest.raises(AnswerInvalid, match="none of the choices"):
            value_of(numbers, text)
    for pairs in ((("a", "Keep"), ("b", "Keep ")), (("a", "Keep"), ("a", "Delete"))):
        same = [{"const": value, "title": label} for value, label in pairs]
        with pytest.raises(QuestionInvalid, match="are the same"):
            read_form(form(x={"type": "string", "oneOf": same}))


@pytest.mark.spec("Q-8")
def test_what_mcp_does_not_allow_in_a_form_is_refused() -> None:
    for schema, why in (
        ({"type": "array"}, "no object"),
        ("x", "no object"),
        (form(x={"type": "object", "properties": {}}), "no type that a form may have"),
        (form(x={"$ref": "http://example.com"}), "no type that a form may have"),
        (form(x={"type": "string", "if": {}}), "has `if`"),
        (form(x={"type": "array", "items": {"type": "string"}}), "no values to choose from"),
        (form(x={"type": "string", "enum": ["a"], "enumNames": []}), "do not fit"),
        (form(x={"type": "string", "enum": [1]}), "texts"),
        (form(x={"type": "string", "title": 1}), "no text"),
        (form(x={"type": "string", "pattern": "("}), "cannot be read"),
        ({**form(x=TEXT), "required": ["y"]}, "requires a field"),
        ({**form(x=TEXT), "allOf": []}, "has `allOf`"),
        (form(**{f"f{n}": TEXT for n in range(51)}), "at most 50"),
    ):
        with pytest.raises(QuestionInvalid, match=why):
            read_form(schema)


@pytest.mark.spec("Q-8")
def test_an_answer_is_checked_and_no_fault_tells_a_value() -> None:
    read = read_form(
        {
            "type": "object",
            "properties": {
                "password": {"type": "string", "minLength": 9, "maxLength": 20},
                "mail": {"type": "string", "format": "email"},
                "age": {"type": "integer", "minimum": 18},
                "kind": {"type": "string", "enum": ["a", "b"]},
                "day": {"type": "string", "format": "date"},
            },
            "required": ["password"],
        }
    )
    good = {"password": "hunter2-hunter2", "mail": "a@b.example", "age": 20, "kind": "a"}
    assert fill(read, {**good, "day": None}) == good
    for wrong, why in (
        ({}, "required"),
        ({"password": "hunter2"}, "password"),
        ({"password": ["hunter2"]}, "password"),
        ({**good, "mail": "hunter2"}, "mail"),
        ({**good, "age": 17}, "age"),
        ({**good, "kind": "hunter2"}, "kind"),
        ({**good, "day": "31 of May"}, "day"),
        ({**good, "more": "hunter2"}, "more"),
        ({**good, "password": "hunter2" * 10_000}, "too long"),
        ("hunter2", "object"),
    ):
        with pytest.raises(AnswerInvalid, match=why) as refused:
            fill(read, wrong)
        assert "hunter2" not in str(refused.value)
    for unreadable in ({**good, "age": 10**5000}, {**good, "mail": "hunter2\ud800"}):
        with pytest.raises(AnswerInvalid, match="no JSON") as refused:
            fill(read, unreadable)
        assert refused.value.__suppress_context__, "what was typed may be a secret"


@pytest.mark.spec("Q-8")
def test_what_is_wrong_is_said_field_by_field_and_never_with_the_value() -> None:
    read = read_form(form(password={"type": "string", "minLength": 9}, n={"type": "integer"}))
    with pytest.raises(AnswerInvalid) as refused:
        fill(read, {"password": "hunter2", "n": "hunter2", "hunter2": 1})
    assert set(refused.value.fields) == {"password", "n"}
    assert "shorter than 9" in refused.value.fields["password"]
    assert "hunter2" not in str(refused.value.fields)
    needs = read_form({**form(n={"type": "integer"}), "required": ["n"]})
    with pytest.raises(AnswerInvalid) as missing:
        fill(needs, {})
    assert missing.value.fields == {"n": "this is required"}
    with pytest.raises(AnswerInvalid) as none:
        fill(needs, "hunter2")
    assert none.value.fields == {}


@pytest.mark.spec("Q-8")
def test_what_was_typed_becomes_a_value_of_the_fields_kind() -> None:
    read = read_form(
        form(
            ok={"type": "boolean"},
            n={"type": "integer"},
            x={"type": "number"},
            password=TEXT,
            s=TEXT,
        )
    )
    ok, n, x, password, s = read.fields
    assert (value_of(ok, "Yes"), value_of(ok, "n")) == (True, False)
    assert (value_of(n, " 7 "), value_of(x, "1.5")) == (7, 1.5)
    assert (value_of(s, " a "), value_of(password, " a ")) == ("a", " a ")
    for field, text in ((ok, "maybe"), (n, "1.5"), (x, "many")):
        with pytest.raises(AnswerInvalid, match="wanted") as refused:
            value_of(field, text)
        assert refused.value.__cause__ is None, "what was typed may be a secret"
        assert refused.value.__suppress_context__ or field is ok


@pytest.mark.spec("Q-8")
def test_a_form_is_bounded_and_its_defaults_are_values_that_it_may_have() -> None:
    for wrong in (
        {"type": "string", "default": [[["x"]]]},
        {"type": "integer", "default": "7"},
        {"type": "string", "enum": ["a", "b"], "default": "c"},
        {"type": "string", "maxLength": 3, "default": "four"},
    ):
        with pytest.raises(QuestionInvalid, match="the default of the field `n` is no value"):
            read_form(form(n=wrong))
    right = read_form(form(n={"type": "integer", "default": 7}))
    assert right.fields[0].default == 7
    for big in ({"default": "x" * 70_000}, {"x-note": "x" * 70_000}):
        with pytest.raises(QuestionInvalid, match="longer than 65536"):
            read_form(form(n={"type": "string", **big}))
    with pytest.raises(QuestionInvalid, match="no JSON"):
        read_form(form(n={"type": "string", "x-note": {1, 2}}))
