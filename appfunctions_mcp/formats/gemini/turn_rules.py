"""How turns, calls, responses and signatures stand to each other for Gemini's generateContent."""

from collections.abc import Mapping, Sequence
from typing import Any

from appfunctions_mcp.formats.gemini.part_rules import member, parts_of
from appfunctions_mcp.formats.rule_parts import Findings, at, duplicates, shown, unpaired
from appfunctions_mcp.lazy_regex import regex

__all__ = ["check_signatures", "check_turns"]

_MODEL_VERSION = regex(r"gemini-(\d+)")
_FIRST_THAT_WANTS_SIGNATURES = 3
Json = Mapping[str, Any]
Turns = Sequence[tuple[int, Json]]
Functions = list[tuple[str, Json]]


def check_turns(turns: Turns, findings: Findings) -> None:
    """Checks that the responses to a turn's calls follow it, all of them and nothing else.

    Args:
        turns: The contents with their positions.
        findings: Takes what is found.
    """
    before: Json | None = None
    waiting: Functions = []
    for i, content in turns:
        path = at("/contents", i)
        calls, responses = _functions(path, content)
        if before is None and _role(content) == "model":
            text = "the first content is of the role 'model'; 'user' is accepted."
            findings.add(path, "first-turn", text)
        elif before is not None and calls and _role(before) == "model":
            text = "a turn with calls follows a turn of the model"
            text += "; it follows one of the user or responses."
            findings.add(path, "call-turn", text)
        if waiting:
            _check_responses(path, content, waiting, responses, findings)
        elif responses:
            text = f"{len(responses)} responses follow no call; they stand right behind the calls."
            findings.add(path, "result-without-call", text)
        _check_ids(calls, findings)
        before, waiting = content, calls
    for where, call in waiting:
        text = f"the call of {shown(call.get('name'))} has no response; the next content has it."
        findings.add(where, "call-without-result", text)


def _role(content: Json) -> Any:
    return content.get("role", "user")


def _functions(path: str, content: Json) -> tuple[Functions, Functions]:
    """The calls and the responses of a content, each with where it stands."""
    found: dict[str, Functions] = {"functionCall": [], "functionResponse": []}
    for k, part in parts_of(content):
        for name, listed in found.items():
            value = member(part, name)
            if isinstance(value, Mapping):
                listed.append((at(path, "parts", k, name), value))
    return found["functionCall"], found["functionResponse"]


def _check_responses(
    path: str, content: Json, calls: Functions, responses: Functions, findings: Findings
) -> None:
    if len(calls) != len(responses):
        text = f"{len(responses)} responses follow {len(calls)} calls; there is one for each call."
        findings.add(path, "result-count", text)
        return
    if len(parts_of(content)) != len(responses):
        text = "other parts stand beside the responses; they have a content of their own."
        findings.add(path, "result-alone", text)
    names = [call.get("name") for _, call in calls]
    for k in unpaired([r.get("name") for _, r in responses], names):
        text = f"the response is of {shown(responses[k][1].get('name'))}, which is not called"
        findings.add(at(responses[k][0], "name"), "result-name", f"{text}; names are the calls'.")
    ids = [response.get("id") for _, response in responses]
    with_id = [(where, call["id"]) for where, call in calls if call.get("id")]
    for k in unpaired([own for _, own in with_id], ids):
        text = f"no response has the id {shown(with_id[k][1])}; the ids of calls are given back."
        findings.add(with_id[k][0], "result-id", text)


def _check_ids(calls: Functions, findings: Findings) -> None:
    for k in duplicates([call.get("id") for _, call in calls]):
        where, call = calls[k]
        text = f"the id {shown(call['id'])} has come before; each call has its own."
        findings.add(at(where, "id"), "duplicate-call-id", text)


def check_signatures(turns: Turns, model: str, findings: Findings) -> None:
    """Checks that the first call of each step of the current turn has its signature.

    Only the current turn is looked at: what follows the last content with which the user began.

    Args:
        turns: The contents with their positions.
        model: The model that the request goes to; empty where it is not known.
        findings: Takes what is found.
    """
    steps: list[tuple[str, list[Json]]] = []
    for i, content in turns:
        path = at("/contents", i)
        calls, responses = _functions(path, content)
        if _role(content) != "model" and not responses:
            steps = []
        elif calls:
            steps.append((path, [part for _, part in parts_of(content)]))
    signed = [[bool(member(p, "thoughtSignature")) for p in _calls(parts)] for _, parts in steps]
    version = _MODEL_VERSION.search(model)
    if version:
        is_wanted = int(version[1]) >= _FIRST_THAT_WANTS_SIGNATURES
    else:
        is_wanted = any(any(step) for step in signed)
    for (path, _), step in zip(steps, signed, strict=True):
        if is_wanted and not step[0]:
            text = "the first call of the step has no signature; it goes back in the part in which"
            text += " it came, or 'skip_thought_signature_validator' stands for it."
            findings.add(path, "thought-signature", text)


def _calls(parts: Sequence[Json]) -> list[Json]:
    return [part for part in parts if isinstance(member(part, "functionCall"), Mapping)]
