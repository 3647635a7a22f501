"""What the pages about models talk to in place of the real providers.

A page is run as a reader types it: the clients of the providers find the server by the variables
that they honour themselves, and the addresses that stand in a page are replaced by the server's.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from appfunctions_mcp.assistant.providers import named
from tests.support.providers import (
    Always,
    Call,
    ProviderServer,
    Reply,
    Request,
    Step,
    provider_server,
)

FORMATS_OF: Mapping[str, set[str]] = {
    "openai.md": {"openai-responses", "openai-chat"},
    "anthropic.md": {"anthropic"},
    "gemini.md": {"gemini"},
    "mistral-and-ollama.md": {"mistral", "openai-chat", "ollama"},
}
"""What has to be asked for by the code of a page."""
ANSWER = "Three apples cost 1.5 euros, and a pear 0.75."


def answered(request: Request) -> Step:
    """Asks for two prices at once, one with a null for what is left out, and tells them."""
    if request.result_texts:
        apples, pear = (re.findall(r"\d+\.\d+", text)[0] for text in request.result_texts)
        return f"Three apples cost {apples} euros, and a pear {pear}."
    if "get_price" in request.tool_names:
        return Reply(
            "I look. ",
            Call("get_price", {"product": "apple", "quantity": 3}),
            Call("get_price", {"product": "pear", "quantity": None}),
        )
    return "I have no function to look with."


@contextmanager
def documented_provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    """A provider that every client finds."""
    with provider_server(Always(answered)) as server:
        for provider in ("OPENAI", "ANTHROPIC", "GEMINI", "MISTRAL"):
            monkeypatch.setenv(f"{provider}_API_KEY", "any")
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.anthropic_url)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.gemini_url)
        monkeypatch.setattr(named, "MISTRAL_URL", server.mistral_url)
        monkeypatch.setattr(named, "OLLAMA_URL", f"{server.ollama_url}/v1")
        yield server


def addresses_of(server: ProviderServer) -> dict[str, str]:
    """The addresses that may stand in a page, with the server's that take their place."""
    return {
        "https://api.mistral.ai/v1": server.mistral_url,
        "http://127.0.0.1:11434": server.ollama_url,
    }
