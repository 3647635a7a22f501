"""Which format a path or an address asks for."""

import re

_FORMATS = (
    (r"/mistral/v1/chat/completions", "mistral"),
    (r"/chat/completions", "openai-chat"),
    (r"/responses", "openai-responses"),
    (r"/messages", "anthropic"),
    (r"/models/([^/:]+):(?:generateContent|streamGenerateContent)", "gemini"),
    (r"/api/chat", "ollama"),
)


def format_of(address: str) -> str | None:
    """The name of the format, None where no provider has such an address."""
    path = address.partition("?")[0]
    return next((name for end, name in _FORMATS if re.search(f"{end}$", path)), None)


def model_of(address: str) -> str:
    """The model that stands in the address, as Gemini's has it."""
    found = re.search(r"/models/([^/:]+):", address)
    return found[1] if found else ""
