"""Secrets that this process knows by their value, and texts without them.

Settings that are declared sensitive, bearer tokens and keys are kept here, so that whatever a
library or a crash says, no line that leaves the process shows them. Knows nothing of who writes.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from appfunctions_mcp.metadata import AppSetting

if TYPE_CHECKING:
    import re

HIDDEN = "<redacted>"
SHORTEST_SECRET = 4
"""Shorter values are part of too many words to be looked for."""

_LONGEST_PATTERN = 500
"""Of longer values only the usual forms are looked for: a pattern would take too long to make."""
_PLAIN = frozenset("-._~")
_SLASHES = r"\\{1,4}+"
"""What escapes a character, within texts that were escaped themselves."""
_FURTHER = {
    " ": [r"\+"],
    "&": ["&amp;"],
    "<": ["&lt;"],
    ">": ["&gt;"],
    '"': ["&quot;", "&#34;"],
    "'": ["&#x27;", "&#39;"],
    "\n": [_SLASHES + "n"],
    "\r": [_SLASHES + "r"],
    "\t": [_SLASHES + "t"],
}
"""How forms, pages and Python write some characters."""

_known: dict[str, Callable[[str], str]] = {}


def keep_secret(*values: str | None) -> None:
    """Hides values from now on; one that is too short to be told from other text is left out."""
    for value in values:
        if value is not None and len(value.strip()) >= SHORTEST_SECRET:
            _known.setdefault(value, _hiding(value))


def keep_settings_secret(declared: Iterable[AppSetting], values: Mapping[str, object]) -> None:
    """Hides the values of those settings that are declared sensitive."""
    for setting in declared:
        value = values.get(setting.name)
        if setting.sensitive and value is not None and not isinstance(value, bool):
            keep_secret(str(value))


def without_secrets(text: str, further: Iterable[str] = ()) -> str:
    """A text in which every secret is hidden.

    Args:
        text: What is to be shown.
        further: Values that are secret in this text alone.
    """
    hiding = _known
    own = {value: _hiding(value) for value in further if len(value) >= SHORTEST_SECRET}
    if own:
        hiding = hiding | own
    # The longest first: one secret may be a part of another.
    for value in sorted(hiding, key=len, reverse=True):
        text = hiding[value](text)
    return text


def _hiding(value: str) -> Callable[[str], str]:
    """What hides a value in a text, in all forms in which it may stand there."""
    shown = value.strip()
    if all(map(_is_plain, shown)):
        return lambda text: text.replace(shown, HIDDEN)
    if len(shown) > _LONGEST_PATTERN:
        return lambda text: _without_forms(text, shown)
    pattern: re.Pattern[str] | None = None

    def hide(text: str) -> str:
        nonlocal pattern
        if pattern is None:  # most secrets are looked for in no text at all
            import re

            pattern = re.compile(_pattern_of(shown))
        return pattern.sub(HIDDEN, text)

    return hide


def _is_plain(character: str) -> bool:
    """Whether a character looks the same everywhere."""
    return character.isascii() and (character.isalnum() or character in _PLAIN)


def _pattern_of(value: str) -> str:
    """A value as it stands, and as Python, JSON, URLs, forms and pages write it, also in turn."""
    import re

    parts = []
    for slashes, character in re.findall(r"(\\+)|([^\\])", value, re.DOTALL):
        count = len(slashes)
        parts.append(
            rf"(?:\\{{{count},{4 * count}}}+|(?i:(?:%5c){{{count}}}))"
            if slashes
            else _pattern_of_character(character)
        )
    return "".join(parts)


def _pattern_of_character(character: str) -> str:
    import re

    if _is_plain(character):
        return re.escape(character)
    in_utf8 = character.encode("utf-8", "surrogatepass")
    units = character.encode("utf-16-be", "surrogatepass")
    pairs = [units[i : i + 2].hex() for i in range(0, len(units), 2)]
    escaped = [
        "".join(f"%{byte:02x}" for byte in in_utf8),
        "".join(f"{_SLASHES}x{byte:02x}" for byte in in_utf8),
        "".join(f"{_SLASHES}u{pair}" for pair in pairs),
        f"{_SLASHES}U{ord(character):08x}",
        *([f"{_SLASHES}x{ord(character):02x}"] if ord(character) < 256 else []),
        *_FURTHER.get(character, ()),
    ]
    return rf"(?:\\{{0,4}}{re.escape(character)}|(?i:{'|'.join(escaped)}))"


def _without_forms(text: str, value: str) -> str:
    """A text without a long value as it stands, and as it looks in Python's and JSON's texts."""
    from urllib.parse import quote

    forms = (value, repr(value)[1:-1], json.dumps(value)[1:-1])
    for form in (*forms, json.dumps(value, ensure_ascii=False)[1:-1], quote(value, safe="")):
        text = text.replace(form, HIDDEN)
    return text
