"""What providers remember: signatures that they gave, stored responses, thoughts of calls."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from appfunctions_mcp.formats.gemini.part_rules import SKIPPED_SIGNATURES, member
from appfunctions_mcp.formats.model_format import Violation
from tests.support.providers.requests import Request

Json = dict[str, Any]
_ANY = None


class Memory:
    """Remembers what was said, and checks what comes back."""

    def __init__(self) -> None:
        self._signatures: dict[bytes, Any] = {}
        """Each with the thought or the call's name that it signs; `_ANY` where that is unknown."""
        self._thoughts: set[str] = set()
        """Ids of items of reasoning."""
        self._thought_of: dict[str, str] = {}
        """Ids of items, with the id of the reasoning that they came of."""
        self._stored: dict[str, list[Any]] = {}

    def learn(self, body: Any) -> None:
        """Remembers the signatures and thoughts of a body, an object or the text of a stream."""
        values = _events_of(body) if isinstance(body, str) else [body]
        for value in values:
            for each in _objects(value):
                self._learn_object(each)

    def store(self, request: Request, body: Json) -> None:
        """Keeps a response, so that the next request can go on behind it."""
        if request.format == "openai-responses" and request.body.get("store", True):
            self._stored[body["id"]] = [*self.whole_input(request.body), *body["output"]]

    def has_stored(self, response_id: str) -> bool:
        """Whether there is such a response."""
        return response_id in self._stored

    def whole_input(self, body: Json) -> list[Any]:
        """The input of a request with what was stored before it."""
        items = body.get("input") or []
        text = [{"role": "user", "content": items}] if isinstance(items, str) else []
        listed = items if isinstance(items, list) else text
        return [*self._stored.get(body.get("previous_response_id") or "", []), *listed]

    def violations(self, request: Request) -> Iterator[Violation]:
        """Where a request does not fit what was said before."""
        body = request.body
        match request.format:
            case "anthropic":
                yield from self._check_thinking(body)
            case "gemini":
                yield from self._check_signatures(body)
            case "openai-responses":
                yield from self._check_items(body)

    def _learn_object(self, value: Json) -> None:
        if isinstance(value.get("signature"), str) and value["signature"]:
            known = self._signatures.get(value["signature"].encode(), _ANY)
            self._signatures[value["signature"].encode()] = value.get("thinking", known)
        if value.get("type") == "redacted_thinking":
            self._signatures[str(value.get("data")).encode()] = _ANY
        signature = member(value, "thoughtSignature")
        if isinstance(signature, str):
            call = member(value, "functionCall")
            self._signatures[_decoded(signature)] = call["name"] if call else _ANY
        if isinstance(value.get("output"), list):
            thought = ""
            for item in value["output"]:
                if item.get("type") == "reasoning":
                    thought = item["id"]
                elif thought and "id" in item:
                    self._thought_of[item["id"]] = thought
        if value.get("type") == "reasoning" and "id" in value:
            self._thoughts.add(value["id"])

    def _check_thinking(self, body: Json) -> Iterator[Violation]:
        for path, block in _walk("/messages", body.get("messages")):
            kind = block.get("type")
            if kind not in ("thinking", "redacted_thinking"):
                continue
            signature = str(block.get("signature" if kind == "thinking" else "data")).encode()
            if signature not in self._signatures:
                yield _unknown(path)
            elif self._signatures[signature] not in (_ANY, block.get("thinking")):
                text = "the thought is not the one that was signed; it goes back as it came."
                yield Violation(path, "thought-changed", text)

    def _check_signatures(self, body: Json) -> Iterator[Violation]:
        for path, part in _walk("/contents", body.get("contents")):
            signature = member(part, "thoughtSignature")
            if signature is None or signature in SKIPPED_SIGNATURES:
                continue
            if _decoded(str(signature)) not in self._signatures:
                yield _unknown(path)
                continue
            signed = self._signatures[_decoded(str(signature))]
            if signed is not _ANY and signed != (member(part, "functionCall") or {}).get("name"):
                text = f"the signature belongs to the call of {signed!r}; it goes back there."
                yield Violation(path, "thought-changed", text)

    def _check_items(self, body: Json) -> Iterator[Violation]:
        previous = body.get("previous_response_id")
        if previous and previous not in self._stored:
            text = (
                f"there is no response {previous!r}; stored ones are found, without 'store' none."
            )
            yield Violation("/previous_response_id", "previous-response", text)
        seen: set[str] = set()
        for i, item in enumerate(self.whole_input(body)):
            own = item.get("id") if isinstance(item, dict) else None
            if own is None:
                continue
            seen.add(own)
            if item.get("type") == "reasoning" and own not in self._thoughts:
                yield _unknown(f"/input/{i}")
            wanted = self._thought_of.get(own)
            if wanted and wanted not in seen:
                text = f"the item {own!r} came of the thought {wanted!r}; both or none go back."
                yield Violation(f"/input/{i}", "thought-apart", text)


def _unknown(path: str) -> Violation:
    text = "the signature is not one that this server gave; `server.know(body)` makes it known."
    return Violation(path, "signature-unknown", text)


def _decoded(signature: str) -> bytes:
    """The bytes of a signature, which comes in two alphabets."""
    plain = signature.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4))
    except ValueError:
        return plain.encode()


def _events_of(stream: str) -> list[Any]:
    lines = (line.removeprefix("data: ") for line in stream.splitlines())
    return [json.loads(line) for line in lines if line.startswith("{")]


def _objects(value: Any) -> Iterator[Json]:
    yield from (each for _, each in _walk("", value))


def _walk(path: str, value: Any) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        yield path, value
        for name, each in value.items():
            yield from _walk(f"{path}/{name}", each)
    elif isinstance(value, list):
        for i, each in enumerate(value):
            yield from _walk(f"{path}/{i}", each)
