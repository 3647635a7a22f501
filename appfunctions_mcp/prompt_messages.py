"""The messages of a prompt, as an author writes them and as they go out.

A message has one content: text, or something that goes out as a block of its own. Knows nothing
of MCP.
"""

from appfunctions_mcp.media import Audio, BlobResource, Image, Media, ResourceLink, TextResource
from appfunctions_mcp.records import record

Role = str
"""`user` or `assistant`."""

CONTENTS = (str, Image, Audio, TextResource, BlobResource, ResourceLink)
"""What a message may have as its content."""


@record(frozen=True, slots=True)
class UserMessage:
    """What the user says to the model.

    Example:
        >>> UserMessage("Review this note.").content
        'Review this note.'

    Raises:
        TypeError: The content is neither text nor one of the classes of media.
    """

    content: str | Media
    """Text, Image, Audio, TextResource, BlobResource or ResourceLink."""

    def __post_init__(self) -> None:
        _require_content(self, self.content)


@record(frozen=True, slots=True)
class AssistantMessage:
    """What the model is taken to have answered.

    Raises:
        TypeError: The content is neither text nor one of the classes of media.
    """

    content: str | Media
    """Text, Image, Audio, TextResource, BlobResource or ResourceLink."""

    def __post_init__(self) -> None:
        _require_content(self, self.content)


@record(frozen=True, slots=True)
class PromptMessage:
    """One message of a prompt, ready for any edge."""

    role: Role
    content: str | Media


def _require_content(owner: object, content: object) -> None:
    if not isinstance(content, CONTENTS):
        names = ", ".join(each.__name__ for each in CONTENTS)
        raise TypeError(
            f"{type(owner).__name__}.content takes a {names}; not {type(content).__name__}"
        )
