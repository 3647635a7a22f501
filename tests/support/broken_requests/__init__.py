"""For each rule of each provider a request that breaks it, and one beside it that does not."""

from tests.support.broken_requests import (
    anthropic,
    gemini,
    mistral,
    ollama,
    openai_chat,
    openai_responses,
)
from tests.support.broken_requests.cases import Case

CASES: dict[str, list[Case]] = {
    "openai-chat": openai_chat.CASES,
    "openai-responses": openai_responses.CASES,
    "anthropic": anthropic.CASES,
    "gemini": gemini.CASES,
    "mistral": mistral.CASES,
    "ollama": ollama.CASES,
}

__all__ = ["CASES", "Case"]
