"""What the framework leaves out of the OpenAPI document: that unknown fields are refused, what a type is."""

from __future__ import annotations

import inspect

import msgspec
from litestar._openapi.schema_generation import SchemaCreator
from litestar._openapi.schema_generation.plugins.struct import StructSchemaPlugin
from litestar.openapi.spec import Schema
from litestar.typing import FieldDefinition


class StrictStructs(StructSchemaPlugin):
    """Schemas of structs, with their docstring, and closed where unknown fields are refused."""

    def to_openapi_schema(
        self, field_definition: FieldDefinition, schema_creator: SchemaCreator
    ) -> Schema:
        """The schema of one struct."""
        schema = super().to_openapi_schema(field_definition, schema_creator)
        kind = field_definition.type_
        schema.description = inspect.getdoc(kind)
        schema.required = [
            field.encode_name for field in msgspec.structs.fields(kind) if field.required
        ]
        if kind.__struct_config__.forbid_unknown_fields:
            schema.additional_properties = False
        return schema
