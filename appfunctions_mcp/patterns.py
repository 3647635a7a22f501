"""Android's pattern matchers: the match itself, and the regular expression that tells of it.

A match takes time in proportion to text and pattern, whatever they hold; the regular
expression is published for agents to read and never used to check anything.
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import lru_cache

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.records import record

_MOST_STEPS = 2048
_SPECIAL = regex(r"[\\^$.|?*+()\[\]{}/]")
_COUNT = regex(r"\{(\d{1,4})(,(\d{1,4})?)?\}")


class PatternType(IntEnum):
    """How a pattern is read (android.os.PatternMatcher)."""

    LITERAL = 0
    PREFIX = 1
    SIMPLE_GLOB = 2
    ADVANCED_GLOB = 3
    SUFFIX = 4


_GLOBS = frozenset({PatternType.SIMPLE_GLOB, PatternType.ADVANCED_GLOB})


@record(frozen=True, slots=True)
class AppFunctionPatternMatcher:
    r"""One pattern that a text may match (Android's annotation).

    In a simple glob `.` is any character, `*` repeats what stands before it any number of times
    and `\` takes the next character as it is; as on Android none is refused: a `*` with nothing
    before it stands for itself, and a `\` at the end for NUL. An advanced glob knows `[a-z]`,
    `[^a-z]`, `+` and `{m,n}` as well.

    Example:
        >>> AppFunctionPatternMatcher("note-[0-9]+", PatternType.ADVANCED_GLOB).matches("note-12")
        True

    Args:
        pattern: The pattern.
        type: How it is read; with a number that no `PatternType` has, it matches nothing.

    Raises:
        ValueError: The pattern is no glob that Android accepts.
    """

    pattern: str
    type: PatternType | int = PatternType.LITERAL

    def __post_init__(self) -> None:
        if self.type in _GLOBS:
            _steps_of(self.pattern, self.type)

    def matches(self, text: str) -> bool:
        """Whether the whole text matches; a prefix or suffix looks at its end only."""
        if self.type == PatternType.LITERAL:
            return text == self.pattern
        if self.type == PatternType.PREFIX:
            return text.startswith(self.pattern)
        if self.type == PatternType.SUFFIX:
            return text.endswith(self.pattern)
        return self.type in _GLOBS and _walk(_steps_of(self.pattern, self.type), text)

    @property
    def regex(self) -> str | None:
        """An anchored regular expression that accepts the same texts; None for an unknown type."""
        if self.type == PatternType.LITERAL:
            return f"^{_escaped(self.pattern)}$"
        if self.type == PatternType.PREFIX:
            return f"^{_escaped(self.pattern)}"
        if self.type == PatternType.SUFFIX:
            return f"{_escaped(self.pattern)}$"
        if self.type not in _GLOBS:
            return None
        return f"^{''.join(t.regex for t in _tokens_of(self.pattern, self.type))}$"


def regex_of(matchers: Iterable[AppFunctionPatternMatcher]) -> str | None:
    """One regular expression for several matchers, of which any may match.

    None where one of them is of an unknown type, as Android derives none then.
    """
    regexes = [matcher.regex for matcher in matchers]
    if None in regexes:
        return None
    return regexes[0] if len(regexes) == 1 else "|".join(f"(?:{regex})" for regex in regexes)


@record(frozen=True, slots=True)
class _Characters:
    """A set of characters as ranges; everything else, if negated."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool = False

    def __contains__(self, character: str) -> bool:
        return self.negated != any(low <= character <= high for low, high in self.ranges)

    @property
    def regex(self) -> str:
        if not self.ranges:
            return "."
        if not self.negated and len(self.ranges) == 1 and self.ranges[0][0] == self.ranges[0][1]:
            return _escaped(self.ranges[0][0])
        parts = (
            _escaped_in_set(low)
            if low == high
            else f"{_escaped_in_set(low)}-{_escaped_in_set(high)}"
            for low, high in self.ranges
        )
        return f"[{'^' if self.negated else ''}{''.join(parts)}]"


@record(frozen=True, slots=True)
class _Token:
    """Characters and how often one of them may stand there."""

    characters: _Characters
    at_least: int = 1
    at_most: int | None = 1

    @property
    def regex(self) -> str:
        times = {(1, 1): "", (0, None): "*", (1, None): "+"}.get((self.at_least, self.at_most))
        if times is None:
            most = "" if self.at_most is None else str(self.at_most)
            times = (
                f"{{{self.at_least}}}"
                if most == str(self.at_least)
                else f"{{{self.at_least},{most}}}"
            )
        return self.characters.regex + times


@record(frozen=True, slots=True)
class _Step:
    """One character of a match: needed, or skippable, or repeated."""

    characters: _Characters
    skippable: bool = False
    repeats: bool = False


@lru_cache(maxsize=256)
def _steps_of(pattern: str, kind: PatternType | int) -> tuple[_Step, ...]:
    steps: list[_Step] = []
    for token in _tokens_of(pattern, kind):
        steps += [_Step(token.characters)] * token.at_least
        if token.at_most is None:
            steps.append(_Step(token.characters, skippable=True, repeats=True))
        else:
            optional = _Step(token.characters, skippable=True)
            steps += [optional] * (token.at_most - token.at_least)
        if len(steps) > _MOST_STEPS:
            raise ValueError(f"the pattern {pattern!r} is longer than {_MOST_STEPS} steps")
    return tuple(steps)


def _walk(steps: tuple[_Step, ...], text: str) -> bool:
    """Follows every way through the steps at once, so no text makes it slow."""
    places = _with_skips(steps, {0})
    for character in text:
        reached = {
            place if steps[place].repeats else place + 1
            for place in places
            if place < len(steps) and character in steps[place].characters
        }
        if not reached:
            return False
        places = _with_skips(steps, reached)
    return len(steps) in places


def _with_skips(steps: tuple[_Step, ...], places: set[int]) -> set[int]:
    found = set(places)
    for place in places:
        at = place
        while at < len(steps) and steps[at].skippable:
            at += 1
            if at in found:
                break
            found.add(at)
    return found


def _tokens_of(pattern: str, kind: PatternType | int) -> Iterator[_Token]:
    at = 0
    while at < len(pattern):
        characters, at = _characters_at(pattern, at, kind)
        at_least, at_most, at = _times_at(pattern, at, kind)
        yield _Token(characters, at_least, at_most)


def _characters_at(pattern: str, at: int, kind: PatternType | int) -> tuple[_Characters, int]:
    character = pattern[at]
    advanced = kind == PatternType.ADVANCED_GLOB
    if character == ".":
        return _Characters((), negated=True), at + 1
    if character == "\\":
        if at + 1 == len(pattern) and not advanced:
            return _single("\0"), at + 1
        if at + 1 == len(pattern):
            raise ValueError(f"the pattern {pattern!r} ends in a backslash")
        return _single(pattern[at + 1]), at + 2
    if advanced and character == "[":
        return _set_at(pattern, at)
    if advanced and character in "*+{}]":
        raise ValueError(f"the pattern {pattern!r} has {character!r} where nothing is to repeat")
    return _single(character), at + 1


def _set_at(pattern: str, at: int) -> tuple[_Characters, int]:
    end = at + 1
    negated = pattern[end : end + 1] == "^"
    end += negated
    members: list[tuple[str, bool]] = []
    while end < len(pattern) and pattern[end] != "]":
        escaped = pattern[end] == "\\"
        end += escaped
        members.append((pattern[end : end + 1], escaped))
        end += 1
    if end >= len(pattern) or not members or not members[-1][0]:
        raise ValueError(f"the pattern {pattern!r} has a set that is empty or not closed by ']'")
    return _Characters(tuple(_ranges_of(members)), negated), end + 1


def _ranges_of(members: list[tuple[str, bool]]) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(members):
        low = members[at][0]
        if at + 2 < len(members) and members[at + 1] == ("-", False):
            high = members[at + 2][0]
            if high < low:
                raise ValueError(f"the range {low}-{high} of a pattern runs backwards")
            yield low, high
            at += 3
        else:
            yield low, low
            at += 1


def _times_at(pattern: str, at: int, kind: PatternType | int) -> tuple[int, int | None, int]:
    following = pattern[at : at + 1]
    if following == "*":
        return 0, None, at + 1
    if kind == PatternType.SIMPLE_GLOB:
        return 1, 1, at
    if following == "+":
        return 1, None, at + 1
    if following != "{":
        return 1, 1, at
    count = _COUNT.match(pattern, at)
    if count is None:
        raise ValueError(
            f"the pattern {pattern!r} has a count that is not {{m}}, {{m,}} or {{m,n}}"
        )
    at_least = int(count[1])
    at_most = at_least if not count[2] else int(count[3]) if count[3] else None
    if at_most is not None and at_most < at_least:
        raise ValueError(f"the pattern {pattern!r} has a count whose end is below its start")
    return at_least, at_most, count.end()


def _single(character: str) -> _Characters:
    return _Characters(((character, character),))


def _escaped(text: str) -> str:
    """Escapes what JavaScript's and Python's expressions both read as special."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def _escaped_in_set(character: str) -> str:
    return f"\\{character}" if character in "\\]^-[" else character
