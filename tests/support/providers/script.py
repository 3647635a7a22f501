"""What a scripted provider does with a request, in words that know no provider."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from appfunctions_mcp.formats.messages import ReplyStop, Usage
from tests.support.providers.requests import Request

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the model asks for.

    Args:
        name: The exported name.
        arguments: Text is sent as it is, also where it is no JSON.
        id: Made up where it is empty.
    """

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = ""

    @property
    def text(self) -> str:
        """The arguments as text."""
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(self.arguments, separators=(",", ":"), ensure_ascii=False)

    @property
    def object(self) -> dict[str, Any]:
        """The arguments as an object, empty where they are none."""
        try:
            value = json.loads(self.text)
        except json.JSONDecodeError:
            return {}
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Thought:
    """A thought with a signature; made up where it is empty."""

    text: str
    signature: str = ""


Part = str | Call | Thought


@dataclass(frozen=True, slots=True, init=False)
class Reply:
    """One turn of the model: its parts in order."""

    parts: tuple[Part, ...]
    stop: ReplyStop
    usage: Usage

    def __init__(
        self, *parts: Part, stop: ReplyStop | None = None, usage: Usage | None = None
    ) -> None:
        has_calls = any(isinstance(part, Call) for part in parts)
        stopped = ReplyStop.CALLS if has_calls else ReplyStop.END
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "stop", stop or stopped)
        object.__setattr__(self, "usage", usage or Usage(input_tokens=120, output_tokens=24))

    @property
    def text(self) -> str:
        """All text of the reply."""
        return "".join(part for part in self.parts if isinstance(part, str))

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, Call))


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer with a status that tells of a failure."""

    status: int
    message: str = ""
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer, or none after some events of a stream."""

    reply: Reply | None = None
    after: int = 0


@dataclass(frozen=True, slots=True)
class Dropped:
    """The connection ends after some events of a stream, or in the middle of a body."""

    reply: Reply
    after: int = 1


@dataclass(frozen=True, slots=True)
class Recorded:
    """A body as it was recorded: an object, or the text of a stream."""

    body: Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class Always:
    """A step for this request and all that follow."""

    step: "Step"


Step = str | Reply | Failure | Hang | Dropped | Recorded | Always | Callable[[Request], "Step"]
Answer = Reply | Failure | Hang | Dropped | Recorded


class Ids:
    """Makes up ids that look like a provider's; each is made once, and the same in every run."""

    def __init__(self) -> None:
        self._made = 0

    def make(self, prefix: str, length: int) -> str:
        """The prefix and so many letters and digits."""
        self._made += 1
        digest = hashlib.sha512(f"{prefix} {self._made}".encode()).digest()
        return prefix + "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:length])


def pieces(text: str, length: int = 9) -> list[str]:
    """A text as it comes in a stream."""
    return [text[i : i + length] for i in range(0, len(text), length)]
