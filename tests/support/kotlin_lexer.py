"""A lexer for Kotlin, which tells code from comments, strings and back-quoted names.

It knows what generated files hold and raises on anything else, so that nothing is taken for code
that the compiler takes for a text, or the other way round.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["comment", "string", "quoted", "word", "number", "mark"]

_WORD = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"-?\d+(\.\d+)?[fL]?")
_MARK = re.compile(r"[@()\[\]{}<>:,.?=]")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", '"': '"', "'": "'", "\\": "\\", "$": "$"}


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a file; of a string, what it stands for."""

    kind: Kind
    text: str


def tokens_of(source: str) -> list[Token]:
    """The words of a Kotlin file, without the blanks between them.

    Raises:
        ValueError: Something does not end, or is no word that generated files have.
    """
    return list(_Lexer(source).all())


class _Lexer:
    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0

    def all(self) -> Iterator[Token]:
        while self._at < len(self._source):
            if self._source[self._at] in " \n":
                self._at += 1
            else:
                yield self._next()

    def _next(self) -> Token:
        source, start = self._source, self._at
        if source.startswith("//", start):
            return self._cut("comment", (source + "\n").index("\n", start))
        if source.startswith("/*", start):
            return self._cut("comment", self._end_of_comment())
        if source.startswith('"""', start):
            raise ValueError("a raw string")
        if source[start] == '"':
            return self._string()
        if source[start] == "`":
            return self._name()
        kinds: tuple[tuple[Kind, re.Pattern[str]], ...] = (
            ("number", _NUMBER),
            ("word", _WORD),
            ("mark", _MARK),
        )
        for kind, pattern in kinds:
            if found := pattern.match(source, start):
                return self._cut(kind, found.end())
        raise ValueError(f"{source[start]!r} is no code")

    def _name(self) -> Token:
        end = self._source.index("`", self._at + 1)
        name = self._source[self._at + 1 : end]
        if "\n" in name:
            raise ValueError("a name that does not end")
        self._at = end + 1
        return Token("quoted", name)

    def _cut(self, kind: Kind, end: int) -> Token:
        token = Token(kind, self._source[self._at : end])
        self._at = end
        return token

    def _end_of_comment(self) -> int:
        """Comments of Kotlin stand in each other."""
        depth, at = 0, self._at
        while True:
            if self._source.startswith("/*", at):
                depth, at = depth + 1, at + 2
            elif self._source.startswith("*/", at):
                depth, at = depth - 1, at + 2
            elif at >= len(self._source):
                raise ValueError("a comment that does not end")
            else:
                at += 1
            if not depth:
                return at

    def _string(self) -> Token:
        parts: list[str] = []
        self._at += 1
        while (character := self._source[self._at]) != '"':
            if character == "$":
                raise ValueError("a template")
            if character == "\n" or not character.isprintable():
                raise ValueError(f"{character!r} in a string")
            parts.append(self._escape() if character == "\\" else character)
            self._at += 1
        self._at += 1
        units = "".join(parts).encode("utf-16-le", "surrogatepass")
        return Token("string", units.decode("utf-16-le", "surrogatepass"))

    def _escape(self) -> str:
        self._at += 1
        character = self._source[self._at]
        if character != "u":
            return _ESCAPED[character]
        code = self._source[self._at + 1 : self._at + 5]
        self._at += 4
        return chr(int(code, 16))
