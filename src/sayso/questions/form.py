"""A form: what an MCP server wants to be told by a person, from its restricted JSON schema (Q-8).

MCP allows one object of primitive fields. Anything else is refused, so that a form never shows less
than what is sent. A field that looks secret by its name, title, description or format is masked, and
an answer to a form with such a field is never stored in the clear.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

import jsonschema_rs

from sayso.core.argument_schema import MAX_PATTERN
from sayso.core.secret_names import SECRET_NAME
from sayso.errors import AnswerInvalid, QuestionInvalid
from sayso.questions.clarification import checked

MOST_FIELDS = 50
MOST_CHOICES = 500
MAX_LABEL = 2000
MAX_FORM = 64 * 1024
"""The most characters of a form's schema, written as JSON."""

MAX_FORM_ANSWER = 64 * 1024
"""The most characters of one answer."""

_SECRET_FORMATS = ("password",)
_ANNOTATIONS = {"title", "description", "default"}
_KEYWORDS = {
    "string": {"minLength", "maxLength", "pattern", "format", "enum", "enumNames", "oneOf"},
    "number": {"minimum", "maximum"},
    "integer": {"minimum", "maximum"},
    "boolean": set[str](),
    "array": {"minItems", "maxItems", "uniqueItems", "items"},
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that can be chosen, and what people read for it."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Field:
    """One field: `kind` is its JSON type, `array` for a choice of several.

    `default` is what stands in it at first, None where nothing does, and never of a secret one.
    """

    name: str
    kind: str
    title: str | None
    description: str | None
    required: bool
    secret: bool
    choices: tuple[Choice, ...] = ()
    format: str | None = None
    default: Any = None


@dataclass(frozen=True, slots=True)
class Form:
    """A form, and the schema that its answers have to fit."""

    fields: tuple[Field, ...]
    schema: Mapping[str, Any]

    @property
    def has_secrets(self) -> bool:
        """Whether an answer may hold a secret, so that it is never kept in the clear."""
        return any(field.secret for field in self.fields)


def read_form(schema: object) -> Form:
    """The form of a requested schema; raises QuestionInvalid for what MCP does not allow in one."""
    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        raise QuestionInvalid("the form is no object", "send a schema of type `object`")
    known = {"type", "properties", "required", "title", "description", "$schema"}
    _only(schema, {*known, "additionalProperties"}, "the form")
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if len(_written(schema)) > MAX_FORM:
        raise QuestionInvalid(f"the form's schema is longer than {MAX_FORM} characters as JSON")
    if not isinstance(properties, Mapping) or len(properties) > MOST_FIELDS:
        raise QuestionInvalid(f"the form's fields are no object of at most {MOST_FIELDS}")
    if not isinstance(required, Sequence) or any(name not in properties for name in required):
        raise QuestionInvalid("the form requires a field that it does not have")
    fields = tuple(_field(name, one, name in required) for name, one in properties.items())
    own = {
        "type": "object",
        "properties": {name: dict(one) for name, one in properties.items()},
        "required": list(required),
        "additionalProperties": False,
    }
    _validator(own)  # a pattern that cannot be read is found now, not at the answer
    return Form(fields, own)


def fill(form: Form, content: object) -> dict[str, Any]:
    """The answer as it is given to the server, if it fits; raises AnswerInvalid, which tells no value."""
    if not isinstance(content, Mapping) or any(not isinstance(name, str) for name in content):
        raise AnswerInvalid("the answer to a form is an object", "give a value for each field")
    answer = {name: value for name, value in content.items() if value is not None}
    faults: list[str] = []
    fields: dict[str, str] = {}
    try:
        if sum(len(str(value)) for value in answer.values()) > MAX_FORM_ANSWER:
            raise AnswerInvalid("the answer is too long", f"at most {MAX_FORM_ANSWER} characters")
        for fault in _validator(form.schema).iter_errors(answer):
            place = ".".join(str(part) for part in fault.instance_path)
            # The mask keeps the value out of the words: it may be a secret, and these are shown and logged.
            faults.append(f"{place}: {fault.message[:200]}" if place else fault.message[:200])
            name = fault.instance_path[0] if place else getattr(fault.kind, "property", None)
            if name in form.schema["properties"]:
                fields.setdefault(str(name), fault.message[:200] if place else "this is required")
    except ValueError:  # not its cause: that tells the value
        raise AnswerInvalid("the answer is not valid Unicode, or no JSON") from None
    if faults:
        said = f"the answer does not fit: {'; '.join(faults[:5])}"
        raise AnswerInvalid(said, "change it", fields=fields)
    return answer


def value_of(field: Field, text: str) -> Any:
    """The value that somebody typed into a field; raises AnswerInvalid where it is none of its kind.

    A choice is taken by the number that stands beside it, or by its label; several with commas between
    them. Its value is on no screen, so that it chooses nothing.
    """
    said = text if field.secret else text.strip()
    match field.kind:
        case "boolean":
            if said.casefold() in ("y", "yes", "true", "1"):
                return True
            if said.casefold() in ("n", "no", "false", "0"):
                return False
            raise AnswerInvalid("yes or no is wanted")
        case "integer" | "number":
            try:
                return int(said) if field.kind == "integer" else float(said)
            except ValueError:  # not its cause: that tells what was typed, which may be a secret
                raise AnswerInvalid(f"a {field.kind} is wanted") from None
        case "array":
            return [_chosen(field, part.strip()) for part in said.split(",") if part.strip()]
    return _chosen(field, said) if field.choices else said


def _chosen(field: Field, said: str) -> str:
    if said.isascii() and said.isdigit():
        number = int(said[:9])
        found = field.choices[number - 1 : number] if number else ()
    else:
        found = tuple(choice for choice in field.choices if choice.label.strip() == said)
    if found:
        return found[0].value
    raise AnswerInvalid("that is none of the choices", "give a number from the list")


def _written(schema: Mapping[str, Any]) -> str:
    try:
        return json.dumps(schema)
    except (TypeError, ValueError, RecursionError) as error:
        raise QuestionInvalid("the form's schema is no JSON") from error


def _validator(schema: Mapping[str, Any]) -> Any:
    try:
        return jsonschema_rs.validator_for(
            dict(schema),
            validate_formats=True,
            mask="this value",
            pattern_options=jsonschema_rs.RegexOptions(
                size_limit=MAX_PATTERN, dfa_size_limit=MAX_PATTERN
            ),
            retriever=_nothing,
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        said = str(error).partition("\n")[0][:300]
        raise QuestionInvalid(f"the form's schema cannot be read: {said}") from error


def _nothing(uri: str) -> Any:
    raise ValueError(f"`{uri[:200]}` is not fetched")


def _field(name: object, schema: object, required: bool) -> Field:
    if not isinstance(name, str) or not name or not isinstance(schema, Mapping):
        raise QuestionInvalid("a field of the form has no name or no schema")
    checked(name, "name of a field", 200)
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _KEYWORDS:
        raise QuestionInvalid(
            f"the field `{name}` is of no type that a form may have",
            f"one of {', '.join(_KEYWORDS)}",
        )
    _only(schema, {"type", *_ANNOTATIONS, *_KEYWORDS[kind]}, f"the field `{name}`")
    title, description = (_label(schema.get(key), name) for key in ("title", "description"))
    shape = schema.get("format")
    if shape is not None and not isinstance(shape, str):
        raise QuestionInvalid(f"the format of the field `{name}` is no text")
    secret = (shape or "").casefold() in _SECRET_FORMATS or any(
        text is not None and SECRET_NAME.search(normalize("NFKC", text))
        for text in (name, title, description)
    )
    choices = _choices(schema if kind == "string" else schema.get("items"), name, kind)
    default = None if secret else schema.get("default")
    if default is not None and not _validator(schema).is_valid(default):
        raise QuestionInvalid(
            f"the default of the field `{name}` is no value that the field may have"
        )
    return Field(name, kind, title, description, required, secret, choices, shape, default)


def _choices(schema: object, name: str, kind: str) -> tuple[Choice, ...]:
    """The values that can be chosen, in any of the ways in which MCP writes them."""
    if kind not in ("string", "array"):
        return ()
    if not isinstance(schema, Mapping):
        raise QuestionInvalid(f"the field `{name}` has no items")
    if kind == "array":
        _only(schema, {"type", "enum", "anyOf", "oneOf"}, f"the items of the field `{name}`")
    values, names = schema.get("enum"), schema.get("enumNames")
    titled = schema.get("oneOf", schema.get("anyOf"))
    if values is None and titled is None:
        if kind == "array":
            raise QuestionInvalid(f"the field `{name}` has no values to choose from")
        return ()
    if titled is not None:
        if not isinstance(titled, Sequence):
            raise QuestionInvalid(f"the choices of the field `{name}` are no list")
        pairs = [
            (one.get("const"), one.get("title", one.get("const")))
            for one in titled
            if isinstance(one, Mapping) and not set(one) - {"const", "title"}
        ]
        if len(pairs) != len(titled):
            raise QuestionInvalid(f"a choice of the field `{name}` is no `const` with a title")
    else:
        labels = values if names is None else names
        if not isinstance(values, Sequence) or not isinstance(labels, Sequence):
            raise QuestionInvalid(f"the choices of the field `{name}` are no list")
        if len(labels) != len(values):
            raise QuestionInvalid(f"the choices of the field `{name}` do not fit their names")
        pairs = list(zip(values, labels, strict=True))
    if len(pairs) > MOST_CHOICES or any(not isinstance(one, str) for pair in pairs for one in pair):
        raise QuestionInvalid(
            f"the choices of the field `{name}` are not at most {MOST_CHOICES} texts"
        )
    for told in zip(*pairs, strict=True):  # the values, then the labels
        if len({one.strip() for one in told}) != len(told):
            raise QuestionInvalid(
                f"two choices of the field `{name}` are the same",
                "give each a value and label of its own",
            )
    return tuple(Choice(str(value), str(label)) for value, label in pairs)


def _label(value: object, name: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise QuestionInvalid(f"a label of the field `{name}` is no text")
    return checked(value, f"label of the field `{name[:40]}`", MAX_LABEL)


def _only(schema: Mapping[str, Any], known: set[str], what: str) -> None:
    strange = sorted(str(key) for key in set(schema) - known if not str(key).startswith("x-"))
    if strange:
        raise QuestionInvalid(
            f"{what} has `{strange[0][:60]}`, which a form may not have",
            "a form is one object of texts, numbers, yes/no fields and choices",
        )
