"""The models that Android's library declares for everybody: texts beside data, and grants.

An author returns them, alone or inside models of their own. Beside the JSON that holds it, each
goes out as a block of its own, which `handed_parts` asks it for. Knows nothing of MCP.
"""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from appfunctions_mcp.media import ResourceLink, TextResource, is_mime_type
from appfunctions_mcp.values import Int32, Uri, app_function_serializable


@app_function_serializable(name="androidx.appfunctions.AppFunctionTextResource", description="")
class AppFunctionTextResource(BaseModel):
    """A text that a client may show as it is, such as a report in Markdown."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    mime_type: str = Field(validation_alias="mimeType", serialization_alias="mimeType")
    content: str

    @field_validator("mime_type")
    @classmethod
    def _require_mime_type(cls, mime_type: str) -> str:
        if not is_mime_type(mime_type):
            raise ValueError("a type of content such as text/markdown is accepted")
        return mime_type

    def __app_function_text__(self, number: int) -> TextResource:
        """The text under an address of its own, which only tells it from others."""
        return TextResource(f"result:/resources/{number}", self.content, self.mime_type)


@app_function_serializable(
    name="androidx.appfunctions.AppFunctionResourceContainer", description="", inline=True
)
class AppFunctionResourceContainer(BaseModel):
    """Data with texts beside it, which a client may show instead (an interface on Android)."""

    resources: list[AppFunctionTextResource] = Field(default_factory=list)


@app_function_serializable(name="androidx.appfunctions.AppFunctionUriGrant", description="")
class AppFunctionUriGrant(BaseModel):
    """Leave to read what stands at an address, for the caller that gets it in a result."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    READ: ClassVar[int] = 1
    """The caller may read it."""
    WRITE: ClassVar[int] = 2
    """The caller may write it on Android; an MCP client cannot."""
    PERSISTABLE: ClassVar[int] = 64
    """It holds until the server ends, not for an hour."""
    PREFIX: ClassVar[int] = 128
    """It holds for every address below this one too."""

    uri: Uri
    mode_flags: Int32 = Field(validation_alias="modeFlags", serialization_alias="modeFlags")

    @field_validator("mode_flags")
    @classmethod
    def _require_access(cls, mode_flags: int) -> int:
        if not mode_flags & (cls.READ | cls.WRITE):
            raise ValueError("mode flags that include READ (1) or WRITE (2) are accepted")
        return mode_flags

    @property
    def may_read(self) -> bool:
        """Whether it is a grant to read."""
        return bool(self.mode_flags & self.READ)

    @property
    def is_prefix(self) -> bool:
        """Whether it is for every address below its own too."""
        return bool(self.mode_flags & self.PREFIX)

    @property
    def is_persistable(self) -> bool:
        """Whether it holds for as long as the server runs."""
        return bool(self.mode_flags & self.PERSISTABLE)

    def __app_function_link__(self, number: int) -> ResourceLink | None:
        """The link that the caller may read; None where it may not."""
        return ResourceLink(self.uri, f"granted_{number}") if self.may_read else None
