"""Secrets that stand in a text: keys and tokens of known forms, and passwords in addresses.

What is a placeholder, such as `sk-…your-key…` or `AKIAIOSFODNN7EXAMPLE`, is none. Knows no rule.
"""

from collections.abc import Iterator

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.lint.texts import Span

__all__ = ["secrets_in"]

_FORMS = (
    ("a private key", regex(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----")),
    ("an OpenAI or Anthropic key", regex(r"\bsk-(?:ant-|proj-|live-)?[A-Za-z0-9_-]{20,200}")),
    ("a GitHub token", regex(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})")),
    ("an AWS key", regex(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("a Google key", regex(r"\bAIza[0-9A-Za-z_-]{35}\b")),
    ("a Slack token", regex(r"\bxox[abeprs]-[0-9A-Za-z-]{10,}")),
    ("a Stripe key", regex(r"\b[rs]k_live_[0-9A-Za-z]{16,}")),
    ("a GitLab token", regex(r"\bglpat-[0-9A-Za-z_-]{20,}")),
    ("an npm token", regex(r"\bnpm_[A-Za-z0-9]{36}\b")),
    ("a PyPI token", regex(r"\bpypi-AgE[0-9A-Za-z_-]{20,}")),
    ("a Hugging Face token", regex(r"\bhf_[A-Za-z0-9]{30,}\b")),
    ("a SendGrid key", regex(r"\bSG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}")),
    ("a Telegram token", regex(r"\b\d{8,10}:AA[0-9A-Za-z_-]{32,34}\b")),
    ("an Azure key", regex(r"\bAccountKey=[0-9A-Za-z+/]{40,}")),
    ("a JSON web token", regex(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[\w-]{10,}")),
    (
        "a password in an address",
        regex(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"]{1,80}:(?P<value>[^\s@/,:'\"]{6,80})@"),
    ),
    (
        "a password",
        regex(
            r"\b(?:password|passwd|api[_-]?key|secret|access[_-]?token|пароль)\s*[=:]\s*"
            r"['\"]?(?P<value>(?=[^\s'\"]{0,80}[A-Za-z])(?=[^\s'\"]{0,80}\d)[^\s'\",;<>{}()]{10,80})"
        ),
    ),
)
_PLACEHOLDER = regex(
    r"(?i)(?:example|your|xxx|placeholder|sample|dummy|test|changeme|redacted|\.\.\.|<|\$\{|\*\*|"
    r"password|secret|user|1234567|abcdef)"
)
_FEWEST_DIFFERENT = 6


def secrets_in(text: str) -> Iterator[tuple[Span, str]]:
    """The secrets in a text, each with what it is.

    Args:
        text: Any text.
    """
    for what, form in _FORMS:
        for found in form.finditer(text):
            value = found.groupdict().get("value") or found[0]
            is_key = what == "a private key"
            if is_key or not (_PLACEHOLDER.search(value) or len(set(value)) < _FEWEST_DIFFERENT):
                yield Span(found[0], found.start()), what
