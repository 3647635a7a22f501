"""The rules of one part of a content for Gemini's generateContent."""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.rule_parts import Findings, at, objects, one_of, shown
from appfunctions_mcp.lazy_regex import regex

__all__ = ["SKIPPED_SIGNATURES", "check_part", "member", "parts_of"]

SKIPPED_SIGNATURES = frozenset(
    {
        "skip_thought_signature_validator",
        "context_engineering_is_the_way_to_go",
        "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
        "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv",
    }
)
"""What stands for a signature in a history from elsewhere; as text, and as base64 of it."""
_NAME = regex(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
_NAME_WORDS = "a letter or '_' and up to 127 letters, digits, '_', '.', ':' and '-'"
_BASE64 = regex(r"[A-Za-z0-9+/_-]+={0,2}")
_CONTENTS = (
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)
_BY_ROLE = {"functionCall": ("model",), "functionResponse": ("user", "function")}
_WORD_START = regex(r"(?<!^)(?=[A-Z])")
Json = Mapping[str, Any]


def member(value: Json, name: str) -> Any:
    """A member by its name in either spelling; None where there is none."""
    found = value.get(name)
    return value.get(_WORD_START.sub("_", name).lower()) if found is None else found


def parts_of(content: Json) -> list[tuple[int, Json]]:
    """The parts of a content with their positions."""
    return list(objects(content.get("parts")))


def check_part(path: str, part: Json, role: str, findings: Findings) -> None:
    """Checks the form of one part.

    Args:
        path: Where it stands.
        part: One of a content.
        role: Of the content.
        findings: Takes what is found.
    """
    kinds = [name for name in _CONTENTS if member(part, name) is not None]
    if len(kinds) != 1:
        there = one_of(kinds) if kinds else "none of them"
        text = f"the part has {there}; exactly one of {one_of(_CONTENTS)} is accepted."
        findings.add(path, "part", text)
        return
    kind = kinds[0]
    _check_signature(path, part, findings)
    accepted = _BY_ROLE.get(kind)
    if accepted and role not in accepted:
        text = f"a part with {shown(kind)} has the role {shown(role)}; {shown(accepted[0])} has it."
        findings.add(path, "part-in-role", text)
    value = member(part, kind)
    if kind == "text":
        if not isinstance(value, str):
            text = f"the text is {shown(value)}; text is accepted."
            findings.add(at(path, "text"), "part", text)
    elif findings.is_object(value, at(path, kind), f"the member '{kind}'"):
        _check_function(at(path, kind), kind, value, findings)


def _check_signature(path: str, part: Json, findings: Findings) -> None:
    signature = member(part, "thoughtSignature")
    if signature is None or (isinstance(signature, str) and signature in SKIPPED_SIGNATURES):
        return
    if not isinstance(signature, str) or not _BASE64.fullmatch(signature):
        text = f"the signature is {shown(signature)}; base64 is accepted, as it came."
        findings.add(at(path, "thoughtSignature"), "thought-signature", text)


def _check_function(path: str, kind: str, value: Json, findings: Findings) -> None:
    if kind not in _BY_ROLE:
        return
    findings.check_name(at(path, "name"), value.get("name"), _NAME, _NAME_WORDS)
    own = value.get("id")
    if own is not None and not isinstance(own, str):
        text = f"the id is {shown(own)}; text is accepted, or none."
        findings.add(at(path, "id"), "call-id", text)
    if kind == "functionCall":
        if value.get("args") is not None:
            findings.check_arguments_object(at(path, "args"), value["args"])
    elif not isinstance(value.get("response"), Mapping):
        text = f"the response is {shown(value.get('response'))}; an object is accepted."
        findings.add(at(path, "response"), "response", text)
