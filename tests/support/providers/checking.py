"""All rules that a request is held to: the documented ones and what the server remembers."""

from importlib import import_module
from typing import Any

from appfunctions_mcp.formats.model_format import Violation
from tests.support.providers.memory import Memory
from tests.support.providers.requests import Request


def rules_of(format: str, body: Any, model: str = "") -> list[Violation]:  # noqa: A002 - the word for it
    """Where a body breaks the documented rules of a format."""
    module = import_module(f"appfunctions_mcp.formats.{format.replace('-', '_')}.request_rules")
    named = {"model": model} if format == "gemini" else {}
    found: list[Violation] = module.request_violations(body, **named)
    return found


def all_violations(request: Request, memory: Memory) -> list[Violation]:
    """Where a request breaks a rule, as the provider's own server would see it."""
    documented = [
        *_members_missing(request),
        *rules_of(request.format, _with_stored(request, memory), request.model),
    ]
    return documented or list(memory.violations(request))


def _members_missing(request: Request) -> list[Violation]:
    """Members that a request needs beside its history."""
    missing = []
    if not request.model:
        missing.append(Violation("/model", "model", "the request names no model."))
    limit = request.body.get("max_tokens")
    if request.format == "anthropic" and not (isinstance(limit, int) and limit > 0):
        text = f"'max_tokens' is {limit!r}; a number above 0 is accepted."
        missing.append(Violation("/max_tokens", "max-tokens", text))
    messages = request.body.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    role = last.get("role") if isinstance(last, dict) and not last.get("prefix") else "user"
    if request.format == "mistral" and role not in ("user", "tool"):
        text = f"the last message is of the role {role!r}; 'user' and 'tool' are accepted."
        missing.append(Violation("/messages", "last-turn", text))
    return missing


def _with_stored(request: Request, memory: Memory) -> dict[str, Any]:
    """A request that goes on behind a stored response is checked with that response."""
    previous = request.body.get("previous_response_id")
    is_stored = request.format == "openai-responses" and memory.has_stored(str(previous))
    if not is_stored or not isinstance(request.body.get("input", []), str | list):
        return request.body
    rest = {k: v for k, v in request.body.items() if k != "previous_response_id"}
    return {**rest, "input": memory.whole_input(request.body)}
