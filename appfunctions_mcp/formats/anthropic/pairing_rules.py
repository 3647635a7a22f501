"""How calls and results stand to each other in a request for Anthropic's Messages."""

from collections.abc import Mapping, Sequence
from typing import Any

from appfunctions_mcp.formats.anthropic.block_rules import SERVER_PREFIX, blocks_of
from appfunctions_mcp.formats.rule_parts import Findings, at
from appfunctions_mcp.quoting import quoted

__all__ = ["check_pairs"]

Json = Mapping[str, Any]


def check_pairs(turns: Sequence[tuple[int, Json]], findings: Findings) -> None:
    """Checks that the message behind calls begins with their results, one for each.

    Args:
        turns: The messages with their positions.
        findings: Takes what is found.
    """
    seen: set[str] = set()
    open_calls: dict[str, str] = {}
    for i, message in turns:
        path = at("/messages", i, "content")
        blocks = blocks_of(message)
        _check_results(path, blocks, open_calls, findings)
        open_calls = {}
        for k, block in blocks:
            call_id = block.get("id")
            if block.get("type") != "tool_use" or not isinstance(call_id, str):
                continue
            if call_id in seen:
                text = f"the id {quoted(call_id)} has come before; each call has its own."
                findings.add(at(path, k, "id"), "duplicate-call-id", text)
            seen.add(call_id)
            open_calls[call_id] = at(path, k)
    for call_id, where in open_calls.items():
        _miss_result(where, call_id, findings)


def _check_results(
    path: str,
    blocks: Sequence[tuple[int, Json]],
    open_calls: Mapping[str, str],
    findings: Findings,
) -> None:
    answered: set[str] = set()
    begun_otherwise = ""
    for k, block in blocks:
        if block.get("type") != "tool_result":
            begun_otherwise = begun_otherwise or str(block.get("type"))
            continue
        _check_result(at(path, k), block.get("tool_use_id"), open_calls, answered, findings)
        if begun_otherwise:
            text = f"the result stands behind a block of the type {quoted(begun_otherwise)}"
            findings.add(at(path, k), "results-first", f"{text}; results come first.")
    for call_id, where in open_calls.items():
        if call_id not in answered:
            _miss_result(where, call_id, findings)


def _check_result(
    path: str,
    call_id: Any,
    open_calls: Mapping[str, str],
    answered: set[str],
    findings: Findings,
) -> None:
    if not isinstance(call_id, str) or not call_id:
        return
    if call_id.startswith(SERVER_PREFIX):
        text = f"the result is for {quoted(call_id)}, a call that the provider runs itself"
        findings.add(path, "server-call-answered", f"{text}; only its own blocks answer it.")
    elif call_id in answered:
        text = f"the call {quoted(call_id)} has two results; one is accepted."
        findings.add(path, "duplicate-result", text)
    elif call_id not in open_calls:
        text = f"the result is for {quoted(call_id)}, which the message before does not call"
        findings.add(path, "result-without-call", f"{text}; results stand right behind their call.")
    answered.add(call_id)


def _miss_result(where: str, call_id: str, findings: Findings) -> None:
    text = f"the call {quoted(call_id)} has no result in the message behind it"
    findings.add(where, "call-without-result", f"{text}; there is one for each call.")
