"""What an attribute of the metadata XML may hold: one parser a kind of value.

A parser returns the value, or raises ValueError whose text says what is accepted. The XSD
beside the sample's metadata says the same. Knows nothing of elements.
"""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeVar, get_args

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import OptionalDefaults, UnknownArguments
from appfunctions_mcp.quoting import with_escapes

T = TypeVar("T")
Parser = Callable[[str], T]

OnError = Literal["fail", "skip"]
SettingType = Literal["string", "number", "boolean", "file", "directory"]

MAX_NUMBER = 2_147_483_647
MAX_SECONDS = 1_000_000

_NUMBER = regex(r"[0-9]{1,9}(\.[0-9]{1,9})?\Z")
_INTEGER = regex(r"[0-9]{1,10}\Z")
_SERVER_NAME = regex(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}\Z")
_PREFIX = regex(r"[A-Za-z_][A-Za-z0-9_-]{0,61}\Z")
_ANDROID_PACKAGE = regex(r"(?=.{1,223}\Z)[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)*\Z")
_ENVIRONMENT_NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_WORD = regex(r"\S{1,64}\Z")
_RULE_ID = regex(r"AF[0-9]{3}\Z")
_FUNCTION_ID = regex(r"\S{1,512}\Z")
_WEB_ADDRESS = regex(r"https?://[^\s/?#]+\S*\Z", re.IGNORECASE)
_SCHEME = regex(r"([A-Za-z][A-Za-z0-9+.-]+):")
_MIME_TYPE = regex(r"[A-Za-z0-9][\w.+-]*/[A-Za-z0-9][\w.+-]*\Z", re.ASCII)
_SIZES = regex(r"(any|[1-9][0-9]{0,4}x[1-9][0-9]{0,4})( +(any|[1-9][0-9]{0,4}x[1-9][0-9]{0,4}))*\Z")


def _pattern(pattern: re.Pattern[str], accepted: str) -> Parser[str]:
    def parse(text: str) -> str:
        if not pattern.match(text):
            raise ValueError(accepted)
        return text

    return parse


def one_of(values: Sequence[T]) -> Parser[T]:
    """A parser of one of several words."""
    by_name = {str(value): value for value in values}

    def parse(text: str) -> T:
        if text not in by_name:
            *others, last = (f"'{name}'" for name in by_name)
            raise ValueError(f"{', '.join(others)} or {last}")
        return by_name[text]

    return parse


def boolean(text: str) -> bool:
    """`true` or `false`."""
    if text not in {"true", "false"}:
        raise ValueError("'true' or 'false'")
    return text == "true"


def on_off(text: str) -> bool:
    """`on` or `off`."""
    if text not in {"on", "off"}:
        raise ValueError("'on' or 'off'")
    return text == "on"


def seconds(text: str) -> float:
    """A number of seconds above 0."""
    if not _NUMBER.match(text) or not 0 < float(text) <= MAX_SECONDS:
        raise ValueError(f"a number of seconds above 0, at most {MAX_SECONDS}")
    return float(text)


def positive(text: str) -> int:
    """A whole number above 0."""
    if not _INTEGER.match(text) or not 0 < int(text) <= MAX_NUMBER:
        raise ValueError(f"a whole number from 1 to {MAX_NUMBER}")
    return int(text)


def count(text: str) -> int:
    """A whole number, 0 too."""
    if not _INTEGER.match(text) or int(text) > MAX_NUMBER:
        raise ValueError(f"a whole number from 0 to {MAX_NUMBER}")
    return int(text)


server_name = _pattern(
    _SERVER_NAME, "up to 64 letters A to Z, digits, '.', '-' and '_', not beginning with '.' or '-'"
)
tool_prefix = _pattern(
    _PREFIX, "up to 62 letters A to Z, digits, '-' and '_', beginning with a letter or '_'"
)
android_package = _pattern(
    _ANDROID_PACKAGE, "the name of an Android package, such as 'com.example.notes'"
)
version = _pattern(_WORD, "up to 64 characters without blanks, such as '1.0.0'")
function_id = _pattern(_FUNCTION_ID, "a function's id, such as 'package.module#function'")
scope = _pattern(_FUNCTION_ID, "one scope, without blanks")
web_address = _pattern(_WEB_ADDRESS, "an address that begins with https:// or http://")
mime_type = _pattern(_MIME_TYPE, "a media type such as 'image/png'")
sizes = _pattern(_SIZES, "sizes such as '64x64', several with blanks between them, or 'any'")
optional_defaults: Parser[OptionalDefaults] = one_of(get_args(OptionalDefaults))
unknown_arguments: Parser[UnknownArguments] = one_of(get_args(UnknownArguments))
on_error: Parser[OnError] = one_of(get_args(OnError))
setting_type: Parser[SettingType] = one_of(get_args(SettingType))


def rule_ids(text: str) -> tuple[str, ...]:
    """Ids of lint's rules, with blanks between them."""
    ids = tuple(text.replace(",", " ").split())
    if not ids or not all(_RULE_ID.match(each) for each in ids):
        raise ValueError("the ids of rules such as 'AF012', several with blanks between them")
    return ids


def module_name(text: str) -> str:
    """The full name of a Python module."""
    if not all(part.isidentifier() for part in text.split(".")):
        raise ValueError("the full name of a Python module, such as 'package.module'")
    return text


def target(text: str) -> str:
    """`package.module:name`."""
    module, colon, name = text.partition(":")
    if not colon or not name.isidentifier():
        raise ValueError("'package.module:name'")
    try:
        module_name(module)
    except ValueError:
        raise ValueError("'package.module:name'") from None
    return text


def environment_name(text: str) -> str:
    """The name of an environment variable that is free for the app."""
    if not _ENVIRONMENT_NAME.match(text):
        raise ValueError("the name of an environment variable: letters A to Z, digits and '_'")
    if text.upper().startswith("APPFUNCTIONS_"):
        raise ValueError("a name that does not begin with APPFUNCTIONS_, which is ours")
    return text


def number_text(text: str) -> str:
    """The text of a number."""
    if not _NUMBER.match(text.removeprefix("-")):
        raise ValueError("a number")
    return text


def boolean_text(text: str) -> str:
    """The text of a boolean."""
    boolean(text)
    return text


def any_text(text: str) -> str:
    """Any text."""
    return text


def existing_file(folder: Path) -> Parser[Path]:
    """A parser of files, relative to a folder."""

    def parse(text: str) -> Path:
        path = _resolved(folder, text)
        if not os.path.isfile(path):  # noqa: PTH113 - answers whatever the path is
            raise ValueError(f"an existing file; there is none at {with_escapes(str(path))}")
        return path

    return parse


def existing_folder(folder: Path) -> Parser[Path]:
    """A parser of folders, relative to a folder."""

    def parse(text: str) -> Path:
        path = _resolved(folder, text)
        if not os.path.isdir(path):  # noqa: PTH112 - answers whatever the path is
            raise ValueError(f"an existing folder; there is none at {with_escapes(str(path))}")
        return path

    return parse


def path_text(folder: Path) -> Parser[str]:
    """A parser of paths, relative to a folder; they need not exist and `~` is the user's home."""

    def parse(text: str) -> str:
        return text if text.startswith("~") else str(_resolved(folder, text))

    return parse


def icon_source(folder: Path) -> Parser[str]:
    """A parser of a picture: an address or `data:` as it is, a file relative to a folder."""
    file = existing_file(folder)

    def parse(text: str) -> str:
        scheme = _SCHEME.match(text)
        if scheme is None:
            return str(file(text))
        if scheme[1].lower() == "data" or _WEB_ADDRESS.match(text):
            return text
        raise ValueError("a file, an https:// or http:// address, or a data: address")

    return parse


def _resolved(folder: Path, text: str) -> Path:
    """An absolute path; what no file system can hold is left as it is."""
    try:
        return Path(os.path.realpath(folder / text))
    except (OSError, ValueError):
        return folder / text
