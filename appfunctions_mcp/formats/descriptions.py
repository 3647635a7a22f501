"""Descriptions of functions for models, within a provider's limit. Knows no provider."""

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["MARK", "described", "shortened"]

MARK = " […]"
"""What a shortened description ends in."""

_SENTENCE_END = regex(r"[.!?\u2026][)\"'\u201d\u2019`]*(?=\s|\Z)|[\u3002\uff01\uff1f]|\n\s*\n")
_BLANK = regex(r"\s")
# A cut at a sentence may lose this much of the room; else it is made between two words.
_KEPT_AT_LEAST = 0.5


def described(function: AppFunctionMetadata) -> str:
    """The whole description of a function, with what is said of its deprecation."""
    if function.deprecated is None:
        return function.description
    return f"{function.description}\n\nDeprecated: {function.deprecated}".strip().rstrip(": ")


def shortened(description: str, most: int) -> str:
    """A description of at most so many characters, cut at the end of a sentence.

    Where no sentence ends in the second half of what fits, the cut is between two words. A cut
    is marked, so that a model knows that there was more (field case F26).

    Args:
        description: The whole text, with the important part first.
        most: How many characters the provider accepts, more than the mark has.
    """
    if len(description) <= most:
        return description
    room = most - len(MARK)
    # One more character, so that a blank behind the last one is seen.
    seen = description[: room + 1]
    ends = [end.end() for end in _SENTENCE_END.finditer(seen) if end.end() <= room]
    if not ends or ends[-1] < room * _KEPT_AT_LEAST:
        ends = [blank.start() for blank in _BLANK.finditer(seen)]
    kept = description[: ends[-1]].rstrip() if ends else ""
    if len(kept) < room * _KEPT_AT_LEAST:
        kept = description[:room].rstrip()
    return kept + MARK
