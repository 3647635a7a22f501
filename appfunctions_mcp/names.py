"""Function ids, tool names, and the names that somebody probably meant.

The one owner of the mapping from a function id (`package.module#function`) to the name that
MCP clients and model providers accept. Knows nothing of the functions behind the names.
"""

import re
from collections.abc import Callable, Iterable

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted

TOOL_NAME = regex(r"[A-Za-z_][A-Za-z0-9_-]{0,63}\Z")
"""Every tool name: what Claude Desktop, OpenAI and Gemini all accept."""

_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z]+|[^\W_]")
_NEAR_ENOUGH = 0.6
# A name is at most 64 characters and an id rarely longer; the rest of a hostile one is noise.
_LONGEST_COMPARED = 128


def tool_name_of(function_id: str, prefix: str | None = None) -> str:
    """The tool name of a function id: `<prefix>_<function>`, or what follows the `#`.

    Args:
        function_id: `<module>#<function>`, Android's `package.Class#method`, or a bare name.
        prefix: What the app puts before the names of one module's functions.

    Raises:
        ValueError: No tool name can be made of the id; the message says which characters are
            accepted and what to do.
    """
    function = function_id.rpartition("#")[2]
    name = f"{prefix}_{function}" if prefix else function
    if function and TOOL_NAME.match(name):
        return name
    raise ValueError(
        f"{quoted(function_id)} has no tool name: {_fault_of(name if function else '')}"
    )


def _fault_of(name: str) -> str:
    """What is wrong with a name, and what would be right."""
    if not name:
        return "nothing follows its '#'; end the id with the function's name"
    suggestion = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:64]
    if suggestion and not TOOL_NAME.match(suggestion):
        suggestion = f"_{suggestion}"[:64]
    if len(name) > 64:
        return f"{quoted(name)} has {len(name)} characters; at most 64 are accepted, shorten it"
    advice = f"; {quoted(suggestion)} would do" if suggestion.strip("_-") else ""
    return (
        f"{quoted(name)} is not accepted; a name has the letters A to Z in both cases, digits, "
        f"'_' and '-', and begins with a letter or '_'{advice}"
    )


def nearest_names(name: str, candidates: Iterable[str], limit: int = 3) -> list[str]:
    """The candidates that somebody who wrote `name` probably meant, best first.

    Case, separators and the order of words do not count, nor does what precedes the `#` of an
    id unless it is all that differs.

    Args:
        name: What was written.
        candidates: What exists.
        limit: How many are returned at most; fewer, or none, if little is alike.
    """
    spelling, words = _comparable(name)
    if not spelling:
        return []
    like_spelling, like_words = _likeness_to(spelling), _likeness_to(words)
    scored: list[tuple[float, int, str]] = []
    for position, candidate in enumerate(dict.fromkeys(candidates)):
        other_spelling, other_words = _comparable(candidate)
        score = max(like_spelling(other_spelling), like_words(other_words) - 0.05)
        if score >= _NEAR_ENOUGH:
            scored.append((-score, position, candidate))
    return [candidate for _, _, candidate in sorted(scored)[:limit]]


def _comparable(name: str) -> tuple[str, str]:
    """A name as its letters alone, and as its words in alphabetical order."""
    words = _words(name.rpartition("#")[2][:_LONGEST_COMPARED])
    return "".join(words), " ".join(sorted(words))


def _likeness_to(name: str) -> Callable[[str], float]:
    """How alike a name is to the given one: 1 is the same, 0 is too far to be measured."""
    from difflib import SequenceMatcher

    # The second sequence is the one that is prepared once.
    matcher = SequenceMatcher(b=name, autojunk=False)

    def likeness(other: str) -> float:
        matcher.set_seq1(other)
        near = matcher.real_quick_ratio() >= _NEAR_ENOUGH and matcher.quick_ratio() >= _NEAR_ENOUGH
        return matcher.ratio() if near else 0.0

    return likeness


def name_in_words(name: str) -> str:
    """A name as words, for want of a description: `create_note` is `Create note`.

    Args:
        name: A function's or parameter's name in snake_case, camelCase or kebab-case.
    """
    words = _WORD.findall(name)
    sentence = " ".join(
        word if word.isupper() and len(word) > 1 else word.lower() for word in words
    )
    return sentence[:1].upper() + sentence[1:]


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]
