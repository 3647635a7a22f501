"""JSON text to values and back, for every edge that carries messages.

The fast parser and writer of pydantic_core are tried first; what they refuse although it is JSON
(half a surrogate, deep nesting) goes to the standard library's. What neither takes is one error,
`JsonTextError`. Knows nothing of messages.
"""

import json
from typing import Any, Never

from pydantic_core import PydanticSerializationError, from_json, to_json

MAX_JSON_DEPTH = 900
"""How deep arrays and objects may be nested in text that is read."""
_ALWAYS_FINITE = (str, int)


class JsonTextError(ValueError):
    """A text is no JSON, or a value has no JSON form; the message says which and where."""


def read_json(text: bytes | str) -> Any:
    """Reads one JSON value.

    A byte order mark and white space around the value are skipped; of a repeated key the last
    one counts. A number that overflows is infinite, for the arguments' check to refuse.

    Args:
        text: UTF-8 bytes, or text.

    Returns:
        The value: dict, list, str, int, float, bool or None.

    Raises:
        JsonTextError: It is not JSON, not UTF-8, nested deeper than `MAX_JSON_DEPTH`, or holds
            a bare NaN or Infinity or an integer of more than 4,300 digits.
    """
    bare = _without_byte_order_mark(text)
    try:
        return from_json(bare, allow_inf_nan=False)
    except (ValueError, TypeError):  # TypeError: a str that UTF-8 cannot hold
        return _read_patiently(bare)


def write_json(value: Any) -> bytes:
    """Writes a JSON value as one compact line of UTF-8, without a line feed at its end.

    U+2028, U+2029 and U+0085 are escaped, since readers of lines split there. Half a surrogate
    becomes U+FFFD.

    Args:
        value: A JSON value: dict with text as keys, list, str, int, float, bool or None.

    Raises:
        JsonTextError: The value holds NaN, Infinity or something that is no JSON value, contains
            itself, or is nested too deeply for the standard encoder.
    """
    try:
        line = to_json(value)
    except (PydanticSerializationError, ValueError, RecursionError):
        line = _write_patiently(value)
    else:
        if not isinstance(value, _ALWAYS_FINITE) and (b"NaN" in line or b"Infinity" in line):
            line = _write_patiently(value)
    return escaped(line)


def escaped(line: bytes) -> bytes:
    """JSON text with U+2028, U+2029 and U+0085 escaped; they can only stand inside strings."""
    if line.isascii():
        return line
    return (
        line.replace(b"\xe2\x80\xa8", rb"\u2028")
        .replace(b"\xe2\x80\xa9", rb"\u2029")
        .replace(b"\xc2\x85", rb"\u0085")
    )


def without_half_surrogates(text: str) -> str:
    """The text as UTF-8 can hold it: pairs of surrogates joined, half ones as U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def is_deeper_than(value: Any, limit: int) -> bool:
    """Whether lists and dicts are nested deeper than the limit; a scalar has depth 0.

    It goes level by level, so that neither depth nor a value that contains itself overflows the
    stack or runs for ever.
    """
    level = [value] if isinstance(value, dict | list | tuple) else []
    for _ in range(limit):
        if not level:
            return False
        below: dict[int, Any] = {}
        for container in level:
            members = container.values() if isinstance(container, dict) else container
            below.update((id(m), m) for m in members if isinstance(m, dict | list | tuple))
        level = list(below.values())
    return bool(level)


def _without_byte_order_mark(text: bytes | str) -> bytes | str:
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    return text.removeprefix(b"\xef\xbb\xbf")


def _read_patiently(text: bytes | str) -> Any:
    try:
        # json.loads on bytes would guess UTF-16 and let raw surrogates through.
        characters = text if isinstance(text, str) else text.decode("utf-8")
        value = json.loads(characters, parse_constant=_refuse_constant)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise JsonTextError(f"not JSON: {error}") from error
    if is_deeper_than(value, MAX_JSON_DEPTH):
        raise _too_deep()
    return value


def _refuse_constant(name: str) -> Never:
    raise ValueError(f"{name} is no JSON number")


def _too_deep() -> JsonTextError:
    return JsonTextError(f"not readable: nested deeper than {MAX_JSON_DEPTH}")


def _write_patiently(value: Any) -> bytes:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except RecursionError:
        raise JsonTextError("no JSON form: nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise JsonTextError(f"no JSON form: {error}") from error
    return without_half_surrogates(text).encode("utf-8")
