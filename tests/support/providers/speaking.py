"""What each format needs to say a reply or an error: a body, the events of a stream, an error."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.support.providers.requests import Request
from tests.support.providers.script import Ids, Reply

Json = dict[str, Any]
CREATED = 1_790_000_000


@dataclass(frozen=True, slots=True)
class Speaker:
    """One format's way of speaking."""

    body: Callable[[Reply, Request, Ids], Json]
    """The whole body of a reply."""
    events: Callable[[Reply, Request, Json], Iterator[bytes]]
    """The same body as the pieces of a stream."""
    error: Callable[[int, str], Json]
    """The body of an error."""
    stream_type: str = "text/event-stream; charset=utf-8"


def event(value: Json, name: str = "") -> bytes:
    """One server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()
