"""Reads past what some clients allow in their JSON: comments and trailing commas.

The text is blanked, not shortened, so that every place found in the blanked text is the same
place in the text itself. Knows nothing of documents.
"""

import re

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.records import record

_STRING = r'"(?:[^"\\\r\n]|\\.)*"'
_STRING_OR_COMMENT = regex(rf"{_STRING}|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING_OR_COMMA = regex(rf"{_STRING}|,(?=[ \t\r\n]*[}}\]])")
_REST_OF_LINE = regex(r"(?:[ \t]*/\*[^\r\n]*?\*/)*(?:[ \t]*//[^\r\n]*)?[ \t]*(?=\r?\n)")
_NOT_A_LINE_END = regex(r"[^\r\n]")


@record(frozen=True, slots=True)
class Leniency:
    """What a client reads besides strict JSON."""

    comments: bool = False
    trailing_commas: bool = False


STRICT = Leniency()
"""JSON as the standard has it."""

COMMENTED = Leniency(comments=True)
"""JSON with comments."""

JSONC = Leniency(comments=True, trailing_commas=True)
"""JSON as Visual Studio Code writes it."""


def blanked(text: str, leniency: Leniency) -> str:
    """The text as strict JSON of the same length, what the client reads past made blank.

    Args:
        text: The text of a document; a faulty one stays faulty.
        leniency: What the client reads past.
    """
    if leniency.comments:
        text = _STRING_OR_COMMENT.sub(_blank_comment, text)
    if leniency.trailing_commas:
        text = _STRING_OR_COMMA.sub(_blank_comma, text)
    return text


def end_of_remark(text: str, position: int) -> int:
    """Where the comments end that follow a position on its own line; the position if none do."""
    remark = _REST_OF_LINE.match(text, position)
    return remark.end() if remark and remark.group().strip() else position


def _blank_comment(found: re.Match[str]) -> str:
    token = found.group()
    return token if token.startswith('"') else _NOT_A_LINE_END.sub(" ", token)


def _blank_comma(found: re.Match[str]) -> str:
    if found.group() != ",":
        return found.group()
    before = found.string[: found.start()].rstrip()[-1:]
    # A comma behind nothing is a fault everywhere.
    return "," if before in {"", "{", "[", ",", ":"} else " "
