"""What a running function may ask its caller's side: its user, its model, its folders.

Plain records of a question, and of what came back. How a question travels is the matter of the
channel that carries it.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from appfunctions_mcp.media import Audio, Image
from appfunctions_mcp.prompt_messages import AssistantMessage, UserMessage
from appfunctions_mcp.records import record

Role = Literal["user", "assistant"]
SampleContent: TypeAlias = str | Image | Audio
"""What a model reads and writes."""
SampleInput: TypeAlias = SampleContent | UserMessage | AssistantMessage
"""One message of what a model is to answer: a bare text, picture or sound is the user's."""

TITLES_KEYWORD = "appfunctionsTitles"
"""Where a schema keeps the titles of its values; never published."""
CONFIRMATION_FORM: Mapping[str, Any] = {"type": "object", "properties": {}}
"""A form without fields: accepting it is the answer."""


@record(frozen=True, slots=True)
class UserQuestion:
    """A question for the user: a message, and a form to fill in."""

    message: str
    schema: Mapping[str, Any]
    """The form: an object with flat properties."""
    key: str | None = None
    """The author's own name of the question; without one it is made of the question itself."""

    capability = "elicitation"

    def __post_init__(self) -> None:
        message: object = self.message
        if not isinstance(message, str):
            raise TypeError(f"a question is a text, not {type(message).__name__}")


@record(frozen=True, slots=True)
class SampleMessage:
    """One message that the caller's model reads."""

    role: Role
    content: SampleContent


@record(frozen=True, slots=True)
class SampleRequest:
    """A text to be written by the model of the caller's program."""

    messages: tuple[SampleMessage, ...]
    max_tokens: int
    system: str | None = None
    temperature: float | None = None
    stop_sequences: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    """Names of models, or parts of names, the best one first."""
    key: str | None = None

    capability = "sampling"


@record(frozen=True, slots=True)
class RootsRequest:
    """The folders and files that the caller's program works on."""

    key: str | None = None

    capability = "roots"


Question: TypeAlias = UserQuestion | SampleRequest | RootsRequest


@record(frozen=True, slots=True)
class Sample:
    """What the model of the caller's program wrote."""

    text: str
    """All of its text."""
    content: tuple[SampleContent, ...]
    """Text, pictures and sound in order."""
    model: str
    """The name of the model."""
    stop_reason: str | None = None
    """Why it stopped, such as `endTurn` or `maxTokens`."""


@record(frozen=True, slots=True)
class Root:
    """A folder or a file that the caller's program works on."""

    uri: str
    name: str | None = None

    @property
    def path(self) -> str:
        """Where it lies on this machine.

        Raises:
            ValueError: The address is not one of a file.
        """
        from urllib.parse import unquote, urlsplit

        parts = urlsplit(self.uri)
        if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
            raise ValueError(f"{self.uri!r} is no file of this machine; file:///… is")
        path = unquote(parts.path)
        is_drive = len(path) > 2 and path[0] == "/" and path[2] == ":"
        return path[1:] if is_drive else path


@record(frozen=True, slots=True)
class Choices:
    """The titles of an enumeration's values, for a form: `Annotated[str, Choices({...})]`.

    In a list, `Annotated[list[str], Choices({...})]`, several may be chosen.

    Raises:
        ValueError: There are none.
    """

    titles: Mapping[str, str]
    """From each value to what the user reads."""

    def __post_init__(self) -> None:
        if not self.titles:
            raise ValueError("choices need at least one value with its title")

    def __get_pydantic_core_schema__(self, source: Any, _handler: Any) -> Any:
        """Lets pydantic read the values as an enumeration."""
        from typing import get_args, get_origin

        from appfunctions_mcp.values import KEYWORDS_KEY

        one = {
            "type": "literal",
            "expected": list(self.titles),
            "metadata": {KEYWORDS_KEY: {TITLES_KEYWORD: dict(self.titles)}},
        }
        if source is str:
            return one
        if get_origin(source) is list and get_args(source) == (str,):
            return {"type": "list", "items_schema": one}
        raise TypeError(f"Choices stand with str or list[str], not with {source!r}")


def sample_messages(messages: SampleInput | Iterable[SampleInput]) -> tuple[SampleMessage, ...]:
    """Makes the messages of a request of what an author gives.

    Raises:
        TypeError: Something is no message.
        ValueError: There is none.
    """
    if isinstance(messages, str) or not isinstance(messages, Iterable):
        messages = (messages,)
    made = tuple(map(_message, messages))
    if not made:
        raise ValueError("a model needs at least one message")
    return made


def _message(message: object) -> SampleMessage:
    content = message
    if isinstance(message, UserMessage | AssistantMessage):
        content = message.content
    if not isinstance(content, str | Image | Audio):
        raise TypeError(
            f"a model reads text, Image and Audio, alone or in a UserMessage or an "
            f"AssistantMessage; not {type(content).__name__}"
        )
    return SampleMessage("assistant" if isinstance(message, AssistantMessage) else "user", content)


def read_sample(answer: Mapping[str, Any]) -> Sample:
    """Reads a model's answer, as its channel has checked it."""
    blocks = answer["content"]
    content = tuple(map(_content_of, blocks if isinstance(blocks, list) else [blocks]))
    text = "".join(part for part in content if isinstance(part, str))
    return Sample(text, content, answer["model"], answer.get("stopReason"))


def read_roots(answer: Mapping[str, Any]) -> list[Root]:
    """Reads the folders that a caller's program works on, as its channel has checked them."""
    return [Root(root["uri"], root.get("name")) for root in answer["roots"]]


def _content_of(block: Mapping[str, Any]) -> SampleContent:
    import base64

    if block["type"] == "text":
        return str(block["text"])
    kind = Image if block["type"] == "image" else Audio
    return kind(base64.b64decode(block["data"]), block["mimeType"])
