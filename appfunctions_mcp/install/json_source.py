"""The text of a JSON document, and edits of it that leave every other byte.

The document is parsed to find its faults, then the text itself is spliced: order, indentation,
line ends, a byte order mark, comments and the spelling of numbers stay as they are. Knows
nothing of files, of clients and of servers.
"""

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.json_comments import STRICT, Leniency, blanked, end_of_remark
from appfunctions_mcp.records import record

# Numbers stay text: they are never written again, and no size of theirs can end the parser.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_BLANKS = re.compile(r"[ \t\r\n]*")
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN)')

Edit = tuple[int, int, str]
"""Start, end and what stands there instead."""


@record(frozen=True, slots=True)
class Member:
    """Where one member of an object, or one element of a list, stands in the text."""

    key: str
    """Empty for an element."""
    start: int
    value_start: int
    value_end: int


@record(frozen=True, slots=True)
class Container:
    """Where an object or a list stands in the text, and what is in it."""

    opening: int
    closing: int
    members: tuple[Member, ...]

    def find(self, key: str) -> Member | None:
        """The member of this key."""
        return next((member for member in self.members if member.key == key), None)


@record(frozen=True, slots=True)
class JsonSource:
    """The decoded text of a document that has been found to be one JSON object."""

    text: str
    plain: str
    """The text as strict JSON of the same length."""
    path: Path
    mark: bytes = b""
    """The byte order mark."""

    @classmethod
    def decode(cls, content: bytes | None, path: Path, leniency: Leniency = STRICT) -> "JsonSource":
        """The text of the bytes; blank where there are none.

        Raises:
            InstallError: The bytes are no JSON object; names file, line and column.
        """
        content = content or b""
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise InstallError(f"{path}:1: the file is UTF-16; save it as UTF-8")
        mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
        try:
            decoded = content[len(mark) :].decode()
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise InstallError(f"{path}:{line}: the file is not UTF-8; save it as UTF-8") from error
        source = cls(decoded, blanked(decoded, leniency), path, mark)
        if not source.blank:
            source.check()
        return source

    @property
    def blank(self) -> bool:
        """Whether there is nothing but blanks and comments, which is as good as no file."""
        return self.root == len(self.plain)

    @property
    def root(self) -> int:
        """Where the root value begins."""
        return self.skip(0)

    def check(self) -> None:
        """Raises unless the text is one JSON object."""
        try:
            root = json.loads(
                self.plain, parse_int=str, parse_float=str, parse_constant=self._refuse_constant
            )
        except json.JSONDecodeError as error:
            self._fail_to_parse(error)
        except RecursionError as error:
            raise InstallError(f"{self.path}:1: the file is nested too deeply to edit") from error
        if not isinstance(root, dict):
            self.fail(self.root, "the file holds no JSON object; make it { }")

    def fail(self, position: int, what: str) -> NoReturn:
        """Raises, naming file, line and column."""
        line = self.text.count("\n", 0, position) + 1
        column = position - self.text.rfind("\n", 0, position)
        raise InstallError(f"{self.path}:{line}:{column}: {what}")

    def skip(self, position: int) -> int:
        """The next position that is neither blank nor comment."""
        blanks = _BLANKS.match(self.plain, position)
        return blanks.end() if blanks else position

    def scan(self, opening: int) -> Container:
        """The places of the members of the object, or of the elements of the list, that opens."""
        members = tuple(self._scan_members(opening))
        last = members[-1].value_end if members else opening + 1
        return Container(opening, self.skip(last), members)

    def _scan_members(self, opening: int) -> Iterator[Member]:
        has_keys = self.plain[opening] == "{"
        position = self.skip(opening + 1)
        while self.plain[position] not in "}]":
            key, value_start = "", position
            if has_keys:
                key, end = _DECODER.raw_decode(self.plain, position)
                value_start = self.skip(self.skip(end) + 1)
            _, value_end = _DECODER.raw_decode(self.plain, value_start)
            yield Member(key, position, value_start, value_end)
            position = self.skip(value_end)
            if self.plain[position] == ",":
                position = self.skip(position + 1)

    def value(self, member: Member) -> Any:
        """The value of a member."""
        try:
            return json.loads(self.plain[member.value_start : member.value_end])
        except ValueError as error:
            self.fail(member.value_start, f"a value that cannot be read ({error}); correct it")

    def find_root(self, key: str, opening: str) -> Container | None:
        """The object or list of this key at the root; a key that stands twice says nothing certain.

        Args:
            key: The key.
            opening: `{` or `[`, which the value has to be.
        """
        root = self.scan(self.root)
        self.refuse_twins(root, key)
        member = root.find(key)
        if member is None:
            return None
        if self.plain[member.value_start] != opening:
            wanted = "no object; make it { }" if opening == "{" else "no list; make it [ ]"
            self.fail(member.value_start, f'"{key}" is {wanted}')
        return self.scan(member.value_start)

    def refuse_twins(self, scanned: Container, key: str | None = None) -> None:
        """Raises where a key stands twice in an object; None looks at all of its keys."""
        seen: set[str] = set()
        for member in scanned.members:
            if key is not None and member.key != key:
                continue
            if member.key in seen:
                self.fail(member.start, f'"{member.key}" stands twice in this object; keep one')
            seen.add(member.key)

    def spliced(self, *edits: Edit) -> bytes:
        """The document with parts of its text replaced."""
        text = self.text
        for start, end, replacement in sorted(edits, reverse=True):
            text = text[:start] + replacement + text[end:]
        return self.mark + text.encode()

    def with_member(self, into: Container, key: str, value: Any) -> bytes:
        """The document with a member, or an element, more at the end, in the container's style."""
        comma, colon = self._separators(into)
        is_spread = self._is_spread(into)
        inner = self._inner(into)
        name = f"{written_json(key)}{': ' if is_spread else colon}"
        rendered = self.render(value, inner if is_spread else "", into)
        rendered = f"{name}{rendered}" if self.plain[into.opening] == "{" else rendered
        if is_spread:
            rendered = f"{self.newline}{inner}{rendered}"
        if not into.members:
            return self._filled(into, rendered, is_spread=is_spread)
        end = into.members[-1].value_end
        trailing = self._trailing_comma(end)
        if trailing is not None:
            after = end_of_remark(self.text, trailing + 1) if is_spread else trailing + 1
            return self.spliced((after, after, f"{'' if is_spread else comma[1:]}{rendered},"))
        after = end_of_remark(self.text, end) if is_spread else end
        if after == end:
            return self.spliced((end, end, f"{',' if is_spread else comma}{rendered}"))
        return self.spliced((end, end, ","), (after, after, rendered))

    def _filled(self, into: Container, rendered: str, *, is_spread: bool) -> bytes:
        """The document with a first member in an empty container, behind its comments."""
        body = self.text[into.opening + 1 : into.closing]
        closing = f"{self.newline}{self.indentation(into.opening)}" if is_spread else ""
        start = into.opening + 1 + len(body.rstrip()) if body.strip() else into.opening + 1
        return self.spliced((start, into.closing, f"{rendered}{closing}"))

    def without_member(self, scanned: Container, member: Member) -> bytes:
        """The document without a member or an element, and without its comma."""
        index = scanned.members.index(member)
        is_last = index == len(scanned.members) - 1
        body = slice(scanned.opening + 1, scanned.closing)
        has_comments = self._has_comments(body.start, member.start) or self._has_comments(
            member.value_end, body.stop
        )
        if len(scanned.members) == 1 and not has_comments:
            return self.spliced((body.start, body.stop, ""))
        comma = self._comma(member.value_end)
        end = member.value_end if comma is None else comma + 1
        if index == 0 and not is_last:
            return self.spliced((member.start, self._skip_blanks(end), ""))
        start = self._start_of_cut(member.start, end)
        if not is_last or comma is not None or index == 0:
            return self.spliced((start, end, ""))
        before = self._comma(scanned.members[index - 1].value_end)
        assert before is not None  # noqa: S101 - a comma stands between two members
        return self.spliced((before, before + 1, ""), (max(start, before + 1), end, ""))

    def _start_of_cut(self, start: int, end: int) -> int:
        """Behind what stands before a part that goes; a comment's own line end stays.

        What follows the part on its line would become part of that comment.
        """
        before = len(self.text[:start].rstrip())
        line_end = self.text.find("\n", before, start)
        line_start = self.text.rfind("\n", 0, before) + 1
        follows = self.text[end:].lstrip(" \t\r")[:1]
        if line_end >= 0 and follows != "\n" and self._has_comments(line_start, before):
            return line_end + 1
        return before

    def _comma(self, value_end: int) -> int | None:
        """Where the comma behind a value stands, a trailing one as well."""
        after = self.skip(value_end)
        return after if self.plain[after] == "," else self._trailing_comma(value_end)

    def _trailing_comma(self, value_end: int) -> int | None:
        """Where a trailing comma stands behind the last value of a container."""
        closing = self.skip(value_end)
        rest = _without_comments(self.text[value_end:closing])
        position = rest.find(",")
        return None if position < 0 else value_end + position

    def _has_comments(self, start: int, end: int) -> bool:
        return "/" in self.text[start:end] and self.text[start:end] != self.plain[start:end]

    def _skip_blanks(self, position: int) -> int:
        blanks = _BLANKS.match(self.text, position)
        return blanks.end() if blanks else position

    def render(self, value: Any, indentation: str, beside: Container) -> str:
        """A value as text, on one line or spread, as its neighbours are."""
        if not self._is_spread(beside):
            return written_json(value, separators=self._separators(beside))
        return written_json(value, indent=self.unit).replace("\n", self.newline + indentation)

    @property
    def newline(self) -> str:
        """The line end of the document."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @property
    def unit(self) -> str:
        """One step of indentation: that of the first member; two blanks where it shows none."""
        first = self.skip(self.root + 1)
        is_member = self.plain[first] == '"'
        before = self.plain[self.root + 1 : first]
        return before.rpartition("\n")[2] if is_member and "\n" in before else "  "

    def indentation(self, position: int) -> str:
        """The blanks that begin the line of a position."""
        line = self.text[self.text.rfind("\n", 0, position) + 1 : position]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _inner(self, scanned: Container) -> str:
        """The indentation of the members of a container."""
        if scanned.members:
            return self.indentation(scanned.members[0].start)
        return self.indentation(scanned.opening) + self.unit

    def _is_spread(self, scanned: Container) -> bool:
        """Whether members stand on lines of their own; an empty object does as the root does."""
        if scanned.members:
            return "\n" in self.text[scanned.opening : scanned.members[0].start]
        if scanned.opening == self.root or self._has_comments(scanned.opening, scanned.closing):
            return True
        return self._is_spread(self.scan(self.root))

    def _separators(self, scanned: Container) -> tuple[str, str]:
        """Comma and colon as the document's one-line objects have them."""
        members = [*scanned.members, *self.scan(self.root).members]
        member = next((each for each in members if each.value_start > each.start), None)
        tight = member is not None and self.text[member.value_start - 1] == ":"
        return (",", ":") if tight else (", ", ": ")

    def _refuse_constant(self, constant: str) -> NoReturn:
        places = (
            match.start(1) for match in _STRING_OR_CONSTANT.finditer(self.plain) if match.group(1)
        )
        self.fail(next(places, 0), f"{constant} is no JSON; write null or a number")

    def _fail_to_parse(self, error: json.JSONDecodeError) -> NoReturn:
        """Raises in the words of somebody who has to correct the file."""
        rest = self.plain[error.pos :].lstrip()
        before = self.plain[: error.pos].rstrip(" \t\r\n")
        if before.endswith(",") and rest[:1] in {"}", "]"}:
            self.fail(len(before) - 1, "trailing comma; remove it")
        if rest[:1] == "," and rest[1:].lstrip()[:1] in {"}", "]"}:
            self.fail(error.pos, "trailing comma; remove it")
        if rest.startswith(("//", "/*")):
            self.fail(error.pos, "a comment that the client does not read here; remove it")
        self.fail(error.pos, f"no strict JSON ({error.msg}); correct it")


def written_json(value: Any, **form: Any) -> str:
    """A value as strict JSON that UTF-8 can hold: half a surrogate pair keeps its escape.

    Args:
        value: What `json.loads` gives; a number too large for it has become infinite.
        form: As `json.dumps` takes it.

    Raises:
        InstallError: A number is infinite, which JSON has no word for.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, **form)
    except ValueError as error:
        raise InstallError(f"the entry has a number that is too large ({error})") from error
    return _HALF_PAIR.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _without_comments(text: str) -> str:
    return blanked(text, Leniency(comments=True))
