"""What a function returns instead of JSON: pictures, sound, resources and links.

An author makes one of these and returns it, or a list of them. They hold plain bytes and text;
base64 and blocks are made at the edge. Knows nothing of MCP.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.marks import MARKS_KEY
from appfunctions_mcp.records import record

_URI = regex(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s]+")
_MIME_TYPE = regex(r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*(;.*)?")

PENDING_INTENT_SECONDS = 300.0
"""How long a step with an action can be taken where its author does not say."""
ACTION_SCHEME = "pending-intent://"
"""What the addresses of steps with an action begin with."""

# The platform's own table differs from one machine to the next, so the usual ones stand here.
_MIME_TYPE_BY_SUFFIX = {
    ".aac": "audio/aac",
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".flac": "audio/flac",
    ".gif": "image/gif",
    ".heic": "image/heic",
    ".ico": "image/vnd.microsoft.icon",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".m4a": "audio/mp4",
    ".mp3": "audio/mpeg",
    ".oga": "audio/ogg",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".wav": "audio/wav",
    ".weba": "audio/webm",
    ".webp": "image/webp",
}


@record(frozen=True, slots=True)
class Image:
    """A picture for the agent to look at.

    Example:
        >>> Image(b"GIF89a", "image/gif").mime_type
        'image/gif'

    Raises:
        TypeError: The content is not bytes.
        ValueError: The type is not a picture's.
    """

    data: bytes
    """The content of the picture's file."""
    mime_type: str = "image/png"
    """What kind of picture it is, `image/…`."""

    def __post_init__(self) -> None:
        _require_bytes(self, self.data)
        _require_mime_type(self, self.mime_type, family="image/")

    @classmethod
    def from_file(cls, path: str | Path, mime_type: str | None = None) -> Self:
        """Reads a picture from a file.

        Args:
            path: The file.
            mime_type: What kind of picture it is; without it, the file's ending decides.

        Raises:
            OSError: The file cannot be read.
            ValueError: The ending is not one of a picture.
        """
        return cls(Path(path).read_bytes(), mime_type or _mime_type_of(cls, path, "image/"))


@record(frozen=True, slots=True)
class Audio:
    """A sound for the agent to listen to.

    Example:
        >>> Audio(b"RIFF", "audio/wav").mime_type
        'audio/wav'

    Raises:
        TypeError: The content is not bytes.
        ValueError: The type is not a sound's.
    """

    data: bytes
    """The content of the sound's file."""
    mime_type: str = "audio/wav"
    """What kind of sound it is, `audio/…`."""

    def __post_init__(self) -> None:
        _require_bytes(self, self.data)
        _require_mime_type(self, self.mime_type, family="audio/")

    @classmethod
    def from_file(cls, path: str | Path, mime_type: str | None = None) -> Self:
        """Reads a sound from a file.

        Args:
            path: The file.
            mime_type: What kind of sound it is; without it, the file's ending decides.

        Raises:
            OSError: The file cannot be read.
            ValueError: The ending is not one of a sound.
        """
        return cls(Path(path).read_bytes(), mime_type or _mime_type_of(cls, path, "audio/"))


@record(frozen=True, slots=True)
class TextResource:
    """A text with an address of its own, sent along with the result.

    Raises:
        TypeError: The text is not a string.
        ValueError: The address or the type has no valid form.
    """

    uri: str
    """The address that names the text, such as `file:///notes/7.md`."""
    text: str
    """The text itself."""
    mime_type: str = "text/plain"
    """What kind of text it is."""

    def __post_init__(self) -> None:
        _require_uri(self, self.uri)
        _require_text(self, "text", self.text)
        _require_mime_type(self, self.mime_type)


@record(frozen=True, slots=True)
class BlobResource:
    """Bytes with an address of their own, sent along with the result.

    Raises:
        TypeError: The content is not bytes.
        ValueError: The address or the type has no valid form.
    """

    uri: str
    """The address that names the content, such as `file:///notes/7.pdf`."""
    data: bytes
    """The content itself."""
    mime_type: str = "application/octet-stream"
    """What kind of content it is."""

    def __post_init__(self) -> None:
        _require_uri(self, self.uri)
        _require_bytes(self, self.data)
        _require_mime_type(self, self.mime_type)


@record(frozen=True, slots=True)
class ResourceLink:
    """The address of something that the client or the user can fetch.

    Raises:
        TypeError: The name, the title or the description is not a string, or the size no number.
        ValueError: The address or the type has no valid form, or the name is empty.
    """

    uri: str
    """Where it is."""
    name: str
    """What it is called."""
    title: str | None = None
    """What a person reads instead of the name."""
    description: str | None = None
    """What it is good for."""
    mime_type: str | None = None
    """What kind of content stands there."""
    size: int | None = None
    """How many bytes stand there."""

    def __post_init__(self) -> None:
        _require_uri(self, self.uri)
        _require_text(self, "name", self.name)
        for field in ("title", "description"):
            text = getattr(self, field)
            if text is not None:
                _require_text(self, field, text)
        size: object = self.size
        if size is not None and (not isinstance(size, int) or isinstance(size, bool)):
            raise TypeError(f"ResourceLink.size takes an int, not {type(size).__name__}")
        if not self.name:
            raise ValueError("ResourceLink.name is empty; give it the name of what stands there")
        if self.mime_type is not None:
            _require_mime_type(self, self.mime_type)


@record(frozen=True, slots=True)
class PendingIntent:
    """A step that only the user can take (Android: PendingIntent).

    Returned by a function, it reaches the agent as a link with the instructions. With an address
    of your own nothing is opened, and nobody learns whether the user has taken the step. With an
    `action` the link is one of this server's: reading it takes the step, once. As a parameter it
    is a handle, as an earlier result has given it.

    Example:
        >>> PendingIntent("https://example.org/pay/7", "Pay the bill.").uri
        'https://example.org/pay/7'
        >>> PendingIntent(action=lambda: "paid", instructions="Pay the bill.").expires_in
        300.0

    Raises:
        TypeError: The instructions are not a string, or the action cannot be called.
        ValueError: The address has no valid form, there is an action too, or neither, or the
            time is none.
    """

    uri: str = ""
    """What the user opens, such as `https://example.org/pay/7`; made here for an action."""
    instructions: str = "The user has to take this step to go on."
    """What the agent tells the user."""
    title: str | None = None
    """A few words for the link."""
    action: Callable[..., Any] | None = None
    """What the step does; takes nothing or the context, and may be async. What it returns is
    read."""
    expires_in: float | None = None
    """How many seconds the link holds; five minutes for an action, else None: nobody knows."""

    def __post_init__(self) -> None:
        _require_text(self, "instructions", self.instructions)
        if self.action is not None:
            if self.uri and not self.uri.startswith(ACTION_SCHEME):
                raise ValueError("PendingIntent takes a uri or an action, not both")
            if not callable(self.action):
                raise TypeError(
                    f"PendingIntent.action takes a function, not {type(self.action).__name__}"
                )
            object.__setattr__(self, "uri", self.uri or ACTION_SCHEME + _unguessable())
            if self.expires_in is None:
                object.__setattr__(self, "expires_in", PENDING_INTENT_SECONDS)
        _require_uri(self, self.uri)
        if self.expires_in is not None and not 0 < self.expires_in < math.inf:
            raise ValueError(
                f"PendingIntent.expires_in is {self.expires_in!r}; a number of seconds above 0 "
                "is accepted"
            )

    @property
    def limits(self) -> str:
        """How often and how long the link holds, in words; empty where nobody knows."""
        if self.expires_in is None:
            return ""
        once = "once, " if self.action is not None else ""
        return f"It works {once}within {time_in_words(self.expires_in)}."

    def to_resource_link(self) -> ResourceLink:
        """The link that stands for the step in a result."""
        return ResourceLink(
            uri=self.uri,
            name="pending_intent",
            title=self.title,
            description=f"{self.instructions} {self.limits}".rstrip(),
        )

    def __app_function_link__(self, _number: int) -> ResourceLink:
        return self.to_resource_link()

    @classmethod
    def from_handle(cls, handle: object) -> "PendingIntent":
        """The step that a handle stands for, as an agent passes it on.

        Raises:
            ValueError: It is no address.
        """
        if isinstance(handle, cls):
            return handle
        if not isinstance(handle, str) or not _URI.fullmatch(handle):
            raise ValueError("no handle of a pending step")
        return cls(handle)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> dict[str, Any]:
        # The first key is that of `values`, which imports this module.
        return {
            "type": "function-plain",
            "function": {"type": "no-info", "function": cls.from_handle},
            "serialization": {"type": "function-plain", "function": _handle_of},
            "metadata": {
                "appfunctions_mcp_form": "pending-intent",
                MARKS_KEY: {"parcelable": "android.app.PendingIntent"},
            },
        }


def _unguessable() -> str:
    from secrets import token_urlsafe  # costs a start more than all of this module

    return token_urlsafe(24)


def _handle_of(intent: object) -> str:
    if not isinstance(intent, PendingIntent):
        raise TypeError(f"{type(intent).__name__} is no PendingIntent")
    return intent.uri


def time_in_words(seconds: float) -> str:
    """A time in the largest unit that it is a whole number of: `5 minutes`, `90 seconds`."""
    for unit, name in ((3600, "hour"), (60, "minute")):
        if seconds >= unit and seconds % unit == 0:
            return f"{seconds / unit:g} {name}{'s' * (seconds != unit)}"
    return f"{seconds:g} second{'s' * (seconds != 1)}"


Media = Image | Audio | TextResource | BlobResource | ResourceLink
"""Everything that goes out as a block of its own, never inside JSON."""


def is_mime_type(mime_type: object, family: str = "") -> bool:
    """Whether something is a type of content, of a family such as `image/` where one is named."""
    valid = isinstance(mime_type, str) and _MIME_TYPE.fullmatch(mime_type)
    return bool(valid) and str(mime_type).lower().startswith(family)


def _require_bytes(owner: object, content: object) -> None:
    if not isinstance(content, bytes):
        raise TypeError(
            f"{type(owner).__name__}.data takes bytes, not {type(content).__name__}; "
            "for a file use Path(…).read_bytes()"
        )


def _require_text(owner: object, field: str, text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{type(owner).__name__}.{field} takes a str, not {type(text).__name__}")


def _require_uri(owner: object, uri: object) -> None:
    if not isinstance(uri, str) or not _URI.fullmatch(uri):
        raise ValueError(
            f"{type(owner).__name__}.uri is {uri!r}; an absolute address such as "
            "'https://example.org/x' or 'file:///x' is accepted"
        )


def _require_mime_type(owner: object, mime_type: object, family: str = "") -> None:
    if not is_mime_type(mime_type, family):
        example = next(m for m in _MIME_TYPE_BY_SUFFIX.values() if m.startswith(family))
        raise ValueError(
            f"{type(owner).__name__}.mime_type is {mime_type!r}; "
            f"a type such as {example!r} is accepted"
        )


def _mime_type_of(owner: type, path: str | Path, family: str) -> str:
    mime_type = _MIME_TYPE_BY_SUFFIX.get(Path(path).suffix.lower(), "")
    if not mime_type.startswith(family):
        known = ", ".join(s for s, m in _MIME_TYPE_BY_SUFFIX.items() if m.startswith(family))
        raise ValueError(
            f"the kind of {owner.__name__} cannot be told from the name {Path(path).name!r}; "
            f"give mime_type, or use one of the endings {known}"
        )
    return mime_type
