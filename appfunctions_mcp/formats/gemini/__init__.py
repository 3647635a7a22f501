"""Google's generateContent."""

from collections.abc import Sequence
from typing import Literal

from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.provider_format import ProviderFormat
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["GeminiFormat", "SchemaMember"]

SchemaMember = Literal["parameters", "parametersJsonSchema"]
"""The member of a function declaration that has the schema."""


class GeminiFormat(ProviderFormat):
    """The `ModelFormat` of Google's generateContent.

    Args:
        schema_member: Where schemas stand, and so their dialect: `parameters`, which every model
            reads, or `parametersJsonSchema`, which also says maps and choices of numbers.
    """

    name = "gemini"

    def __init__(self, schema_member: SchemaMember = "parameters") -> None:
        super().__init__(self.name)
        self._schema_member: SchemaMember = schema_member

    def export_tools(
        self, functions: Sequence[AppFunctionMetadata], *, strict: bool | None = None
    ) -> ExportedTools:
        """Functions in the provider's form; as in `ModelFormat`."""
        from appfunctions_mcp.formats.gemini.tools import export_tools

        return export_tools(functions, strict=strict, schema_member=self._schema_member)
