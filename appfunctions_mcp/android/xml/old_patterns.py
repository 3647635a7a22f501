"""Turns the one regular expression of an older functions XML into Android's pattern matchers.

Only what means exactly the same, for the whole text: alternatives of plain texts, and rows of
characters and sets with counts where it is never in doubt what a count takes, since Android's
globs do not go back. Everything else has no pattern.
"""

import re
from collections.abc import Iterator

from appfunctions_mcp.android.data_types import StringPattern
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.patterns import AppFunctionPatternMatcher, PatternType

_ANCHORED = regex(r"\^(?:\((?:\?:)?(?P<group>[^()]*)\)|(?P<row>[^()|]*))\$\Z")
_PIECE = regex(
    r"""
    (?:
        (?P<plain> [^\\^$.|?*+()\[\]{}] )
        | \\ (?: (?P<escaped> [^A-Za-z0-9\s] ) | (?P<digit> d ) )
        | (?P<set> \[ \^? (?: [A-Za-z0-9\ _@.,:;/] (?: -[A-Za-z0-9] )? )+ -? \] )
    )
    (?P<times> [*+?] | \{ [0-9]{1,3} (?: ,[0-9]{0,3} )? \} )?
    """,
    re.VERBOSE,
)
_ANY_NUMBER_OF_TIMES = regex(r"[*+?]|\{(?!([0-9]+)(?:,\1)?\}).*")
_SPECIAL = regex(r"[\\.*+{}\[\]]")
_ASCII = tuple(map(chr, range(128)))
_OTHER = "\u00e9"  # stands for all that no set names
_MOST_CHARACTERS = 500


def patterns_of(expression: str) -> tuple[StringPattern, ...]:
    """The matchers of which one matches exactly the texts that the expression matches.

    Args:
        expression: A regular expression. Only one with both anchors means the same to those who
            compare it with the whole text and to those who look for it inside.

    Returns:
        The matchers; none, where there are no such.
    """
    anchored = _ANCHORED.match(expression[: _MOST_CHARACTERS + 1])
    if anchored is None:
        return ()
    alternatives = [anchored["row"]] if anchored["group"] is None else anchored["group"].split("|")
    patterns = [_pattern_of(each) for each in alternatives]
    return tuple(each for each in patterns if each is not None) if all(patterns) else ()


def _pattern_of(row: str) -> StringPattern | None:
    pieces = list(_pieces_of(row))
    if "".join(piece[0] for piece in pieces) != row:
        return None
    if all(piece["times"] is None and _literal_of(piece) for piece in pieces):
        return StringPattern("".join(map(_literal_of, pieces)), int(PatternType.LITERAL))
    if not all(_is_settled(pieces[at:]) for at in range(len(pieces))):
        return None
    glob = "".join(map(_glob_of, pieces))
    try:
        AppFunctionPatternMatcher(glob, PatternType.ADVANCED_GLOB)
    except ValueError:
        return None  # no set or count that Android accepts
    return StringPattern(glob, int(PatternType.ADVANCED_GLOB))


def _pieces_of(row: str) -> Iterator[re.Match[str]]:
    at = 0
    while piece := _PIECE.match(row, at):
        yield piece
        at = piece.end()


def _literal_of(piece: re.Match[str]) -> str:
    return piece["plain"] or piece["escaped"] or ""


def _glob_of(piece: re.Match[str]) -> str:
    if piece["digit"] is not None:
        one = "[0-9]"
    elif piece["set"] is not None:
        one = str(piece["set"])
    else:
        one = _SPECIAL.sub(r"\\\g<0>", _literal_of(piece))
    times = piece["times"] or ""
    return one + ("{0,1}" if times == "?" else times)


def _is_settled(pieces: list[re.Match[str]]) -> bool:
    """Whether the first piece, however often it stands there, takes nothing from those after it."""
    if not _ANY_NUMBER_OF_TIMES.match(pieces[0]["times"] or ""):
        return True
    own = _characters_of(pieces[0])
    for piece in pieces[1:]:
        if own & _characters_of(piece):
            return False
        if not re.match(r"[*?]|\{0", piece["times"] or ""):
            break
    return True


def _characters_of(piece: re.Match[str]) -> frozenset[str]:
    """The characters that a piece takes, of ASCII and of one that stands for the rest."""
    literal = _literal_of(piece)
    if literal:
        return frozenset(literal if literal.isascii() else (_OTHER,))
    one = re.compile("[0-9]" if piece["digit"] is not None else str(piece["set"]))
    return frozenset(each for each in (*_ASCII, _OTHER) if one.match(each))
