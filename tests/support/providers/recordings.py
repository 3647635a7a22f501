"""Recorded traffic of the corpus: bodies to replay, and requests to check."""

import json
from pathlib import Path
from typing import Any

from tests.support.corpus import corpus
from tests.support.providers.paths import format_of
from tests.support.providers.script import Recorded


def recorded(name: str, format: str | None = None) -> list[Recorded]:  # noqa: A002 - the word for it
    """The responses of a file of `messages/` in order, of one format where it holds several."""
    entries = json.loads(corpus("messages", name).read_text(encoding="utf-8"))
    formats = [format_of(entry["uri"]) for entry in entries]
    wanted = format or formats[-1]
    return [
        Recorded(entry["response"])
        for entry, each in zip(entries, formats, strict=True)
        if each == wanted
    ]


def recorded_requests() -> list[tuple[str, str, dict[str, Any]]]:
    """Each recorded request: where it stands, its address and its body."""
    return [
        (f"{path.stem}-{i}", entry["uri"], entry["request"])
        for path in sorted(Path(corpus("messages")).glob("*.json"))
        for i, entry in enumerate(json.loads(path.read_text(encoding="utf-8")))
    ]
