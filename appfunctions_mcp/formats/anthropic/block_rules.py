"""The rules of the blocks of one message for Anthropic's Messages."""

from collections.abc import Mapping, Sequence
from typing import Any

from appfunctions_mcp.formats.rule_parts import Findings, at, objects, one_of, shown
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

__all__ = ["SERVER_PREFIX", "blocks_of", "check_content"]

SERVER_PREFIX = "srvtoolu_"
"""How the ids of calls begin that the provider runs itself."""
_NAME = regex(r"[a-zA-Z0-9_-]{1,128}")
_NAME_WORDS = "1 to 128 of the letters a-z and A-Z, digits, '_' and '-'"
_ID = regex(r"[a-zA-Z0-9_-]+")
_THOUGHTS = ("thinking", "redacted_thinking")
_SHARED = ("text", "image", "document", "search_result", "container_upload")
_BY_ROLE = {
    "user": (*_SHARED, "tool_result"),
    "assistant": (*_SHARED, *_THOUGHTS, "tool_use", "server_tool_use", "mcp_tool_use"),
    "system": ("text",),
}
_IN_RESULTS = ("text", "image", "document", "search_result", "tool_reference", "browser_state")
Json = Mapping[str, Any]


def blocks_of(message: Json) -> list[tuple[int, Json]]:
    """The blocks of a message with their positions; none where its content is text."""
    return list(objects(message.get("content")))


def check_content(
    path: str,
    content: Any,
    role: str,
    findings: Findings,
    may_be_empty: bool,  # noqa: FBT001 - one caller, beside it
) -> None:
    """Checks the content of a message.

    Args:
        path: Where it stands.
        content: Any JSON value.
        role: Of the message.
        findings: Takes what is found.
        may_be_empty: Whether it is the reply that the model goes on with.
    """
    if may_be_empty and content in ("", []):
        return
    if isinstance(content, str):
        _check_text(path, content, findings)
        return
    if not isinstance(content, list | tuple) or not content:
        text = f"the content is {shown(content)}; text or a list of blocks is accepted"
        findings.add(path, "content", f"{text}, neither of them empty.")
        return
    for i, block in enumerate(content):
        if findings.is_object(block, at(path, i), "the block"):
            _check_block(at(path, i), block, role, findings)
    if role == "assistant":
        _check_thoughts(path, content, findings)


def _check_text(path: str, text: Any, findings: Findings) -> None:
    if not isinstance(text, str) or not text.strip():
        said = f"the text is {shown(text)}; text with more than white space is accepted."
        findings.add(path, "empty-text", said)


def _check_block(path: str, block: Json, role: str, findings: Findings) -> None:
    kind = block.get("type")
    is_of_server = isinstance(kind, str) and kind.endswith("_tool_result")
    if kind not in _BY_ROLE[role] and not (role == "assistant" and is_of_server):
        text = f"the block is of the type {shown(kind)}"
        text += f"; a message of the role {quoted(role)} takes {one_of(_BY_ROLE[role])}."
        findings.add(path, "content-block", text)
        return
    match kind:
        case "text":
            _check_text(at(path, "text"), block.get("text"), findings)
        case "thinking" | "redacted_thinking":
            _check_thought(path, block, findings)
        case "tool_use":
            _check_call(path, block, findings)
        case "server_tool_use":
            if not str(block.get("id")).startswith(SERVER_PREFIX):
                text = f"the id is {shown(block.get('id'))}; {quoted(SERVER_PREFIX)} begins it."
                findings.add(at(path, "id"), "call-id", text)
        case "tool_result":
            _check_result(path, block, findings)


def _check_thought(path: str, block: Json, findings: Findings) -> None:
    if block["type"] == "redacted_thinking":
        findings.is_text(at(path, "data"), block.get("data"), "thought-signature", "the data")
        return
    if not isinstance(block.get("thinking"), str):
        text = f"the thought is {shown(block.get('thinking'))}; text is accepted."
        findings.add(at(path, "thinking"), "content-block", text)
    where = at(path, "signature")
    findings.is_text(where, block.get("signature"), "thought-signature", "the signature")


def _check_call(path: str, block: Json, findings: Findings) -> None:
    own = block.get("id")
    if not isinstance(own, str) or not _ID.fullmatch(own) or own.startswith(SERVER_PREFIX):
        text = f"the id is {shown(own)}; letters, digits, '_' and '-' are accepted"
        findings.add(at(path, "id"), "call-id", f"{text}, and {quoted(SERVER_PREFIX)} begins none.")
    findings.check_name(at(path, "name"), block.get("name"), _NAME, _NAME_WORDS)
    findings.check_arguments_object(at(path, "input"), block.get("input"))


def _check_result(path: str, block: Json, findings: Findings) -> None:
    findings.is_text(at(path, "tool_use_id"), block.get("tool_use_id"), "call-id", "the id")
    content, where = block.get("content"), at(path, "content")
    is_error = block.get("is_error")
    if is_error not in (None, True, False):
        text = f"'is_error' is {shown(is_error)}; true and false are accepted."
        findings.add(at(path, "is_error"), "content-block", text)
    if is_error and not content:
        text = "the result is an error and empty; an error has text."
        findings.add(where, "error-content", text)
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list | tuple):
        text = f"the content is {shown(content)}; text or a list of blocks is accepted."
        findings.add(where, "content", text)
        return
    for i, part in enumerate(content):
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind not in _IN_RESULTS:
            text = f"the block is {shown(kind)}; a result takes {one_of(_IN_RESULTS)}."
            findings.add(at(where, i), "content-block", text)
        elif kind == "text":
            _check_text(at(where, i, "text"), part.get("text"), findings)
        elif is_error:
            text = f"the result is an error with a block of the type {shown(kind)}"
            findings.add(at(where, i), "error-content", f"{text}; errors have text alone.")


def _check_thoughts(path: str, content: Sequence[Any], findings: Findings) -> None:
    """Thoughts come first in a turn, and something comes of them."""
    kinds = [block.get("type") if isinstance(block, Mapping) else None for block in content]
    thoughts = [i for i, kind in enumerate(kinds) if kind in _THOUGHTS]
    if not thoughts:
        return
    if kinds[0] not in _THOUGHTS:
        text = f"the turn has a thought and begins with {shown(kinds[0])}; thoughts come first."
        findings.add(at(path, thoughts[0]), "thought-first", text)
    for i in thoughts:
        if "tool_use" in kinds[:i] and kinds[0] in _THOUGHTS:
            text = "the thought stands behind a call; it comes before the calls of its turn."
            findings.add(at(path, i), "thought-first", text)
    if kinds[-1] in _THOUGHTS:
        text = "the turn ends with a thought; what came of it follows, or the turn is left out."
        findings.add(at(path, len(kinds) - 1), "thought-last", text)
