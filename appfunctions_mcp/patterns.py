"""Android's pattern matchers: the match itself, and the regular expression that tells of it.

A match takes time in proportion to the text, whatever text and pattern hold; the regular
expression is published for agents to read and never used to check anything.
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import lru_cache, reduce
from operator import or_

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.quoting import quoted
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
        return self.type in _GLOBS and _steps_of(self.pattern, self.type).matches(text)

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


class _Steps:
    """A glob as steps, each of which takes one character; a bit of a number stands for each."""

    def __init__(self) -> None:
        self.size = 0
        self._skippable = 0
        self._repeated = 0
        self._taking: dict[_Characters, int] = {}
        """Which steps take one of these characters."""

    def add(self, characters: _Characters, times: int, *, skippable: bool, repeated: bool) -> None:
        """Adds equal steps."""
        added = ((1 << times) - 1) << self.size
        self.size += times
        self._taking[characters] = self._taking.get(characters, 0) | added
        self._skippable |= added * skippable
        self._repeated |= added * repeated

    def matches(self, text: str) -> bool:
        """Follows every way through the steps at once, so no text makes it slow."""
        taking: dict[str, int] = {}
        places = self._with_skips(1)
        for character in text:
            steps = taking.get(character)
            if steps is None:
                steps = taking[character] = self._steps_that_take(character)
            taken = places & steps
            if not taken:
                return False
            places = self._with_skips((taken & ~self._repeated) << 1 | taken & self._repeated)
        return bool(places >> self.size)

    def _steps_that_take(self, character: str) -> int:
        return reduce(
            or_, (s for characters, s in self._taking.items() if character in characters), 0
        )

    def _with_skips(self, places: int) -> int:
        """The places, and those behind them that only skippable steps keep apart.

        A sum carries from a place through the skippable steps that follow it, all at once.
        """
        skippable = self._skippable
        return places | ((places & skippable) + skippable) ^ skippable


@lru_cache(maxsize=256)
def _steps_of(pattern: str, kind: PatternType | int) -> _Steps:
    steps = _Steps()
    for token in _tokens_of(pattern, kind):
        steps.add(token.characters, token.at_least, skippable=False, repeated=False)
        if token.at_most is None:
            steps.add(token.characters, 1, skippable=True, repeated=True)
        else:
            optional = token.at_most - token.at_least
            steps.add(token.characters, optional, skippable=True, repeated=False)
        if steps.size > _MOST_STEPS:
            raise ValueError(f"the pattern {quoted(pattern)} is longer than {_MOST_STEPS} steps")
    return steps


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
            raise ValueError(f"the pattern {quoted(pattern)} ends in a backslash")
        return _single(pattern[at + 1]), at + 2
    if advanced and character == "[":
        return _set_at(pattern, at)
    if advanced and character in "*+{}]":
        raise ValueError(
            f"the pattern {quoted(pattern)} has {character!r} where nothing is to repeat"
        )
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
        raise ValueError(
            f"the pattern {quoted(pattern)} has a set that is empty or not closed by ']'"
        )
    return _Characters(tuple(_ranges_of(members)), negated), end + 1


def _ranges_of(members: list[tuple[str, bool]]) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(members):
        low = members[at][0]
        if at + 2 < len(members) and members[at + 1] == ("-", False):
            high = members[at + 2][0]
            if high < low:
                raise ValueError(
                    f"the range {quoted(low)} to {quoted(high)} of a pattern runs backwards"
                )
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
            f"the pattern {quoted(pattern)} has a count that is not {{m}}, {{m,}} or {{m,n}}"
        )
    at_least = int(count[1])
    at_most = at_least if not count[2] else int(count[3]) if count[3] else None
    if at_most is not None and at_most < at_least:
        raise ValueError(f"the pattern {quoted(pattern)} has a count whose end is below its start")
    return at_least, at_most, count.end()


def _single(character: str) -> _Characters:
    return _Characters(((character, character),))


def _escaped(text: str) -> str:
    """Escapes what JavaScript's and Python's expressions both read as special."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def _escaped_in_set(character: str) -> str:
    return f"\\{character}" if character in "\\]^-[" else character
