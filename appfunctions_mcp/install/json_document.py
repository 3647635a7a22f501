"""Edits one server entry in the text of a strict JSON document and leaves every other byte.

The document is parsed to find its faults, then the text itself is spliced: order, indentation,
line ends, a byte order mark and the spelling of numbers stay as they are. Knows nothing of
files and of clients.
"""

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from appfunctions_mcp.install.errors import InstallError

# Numbers stay text: they are never written again, and no size of theirs can end the parser.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)
_BLANKS = re.compile(r"[ \t\r\n]*")
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN)')


@dataclass(frozen=True, slots=True)
class _Member:
    """Where one member of an object stands in the text."""

    key: str
    key_start: int
    value_start: int
    value_end: int


@dataclass(frozen=True, slots=True)
class _Object:
    """Where an object stands in the text, and what is in it."""

    opening: int
    closing: int
    members: tuple[_Member, ...]

    def find(self, key: str) -> _Member | None:
        """The member of this key."""
        return next((member for member in self.members if member.key == key), None)


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """A JSON document whose servers are the members of one object at its root."""

    key: str = "mcpServers"

    def read_entries(self, content: bytes | None, path: Path) -> dict[str, Any]:
        """The server entries by name; none where there is no file or no such object.

        Raises:
            InstallError: The document is no strict JSON object; names file, line and column.
        """
        text = _Text.decode(content, path)
        if text.blank:
            return {}
        servers = self._servers(text)
        if servers is None:
            return {}
        return {member.key: text.value(member) for member in servers.members}

    def with_entry(self, content: bytes | None, path: Path, name: str, entry: Any) -> bytes:
        """The document with this entry put in, or put in the place of the one of its name.

        Raises:
            InstallError: The document is no strict JSON object.
        """
        text = _Text.decode(content, path)
        if text.blank:
            return f"{self.snippet(name, entry)}\n".encode()
        servers = self._servers(text)
        if servers is None:
            return text.insert(text.scan_object(text.root), self.key, {name: entry})
        member = servers.find(name)
        if member is None:
            return text.insert(servers, name, entry)
        value = text.render(entry, text.indentation(member.key_start), servers)
        return text.splice(member.value_start, member.value_end, value)

    def without_entry(self, content: bytes | None, path: Path, name: str) -> bytes:
        """The document without this entry; as it was where the entry is absent.

        Raises:
            InstallError: The document is no strict JSON object.
        """
        text = _Text.decode(content, path)
        servers = None if text.blank else self._servers(text)
        member = servers.find(name) if servers else None
        if servers is None or member is None:
            return content or b""
        index = servers.members.index(member)
        if len(servers.members) == 1:
            return text.splice(servers.opening + 1, servers.closing, "")
        if index == 0:
            return text.splice(member.key_start, servers.members[1].key_start, "")
        return text.splice(servers.members[index - 1].value_end, member.value_end, "")

    def snippet(self, name: str, entry: Any) -> str:
        """A whole document of this entry alone, to be copied by hand."""
        return json.dumps({self.key: {name: entry}}, ensure_ascii=False, indent=2)

    def _servers(self, text: "_Text") -> _Object | None:
        """The object of the servers; a key that stands twice says nothing certain."""
        root = text.scan_object(text.root)
        text.refuse_twins(root, self.key)
        member = root.find(self.key)
        if member is None:
            return None
        if text.text[member.value_start] != "{":
            text.fail(member.value_start, f'"{self.key}" is no object; make it {{ }}')
        servers = text.scan_object(member.value_start)
        for entry in servers.members:
            text.refuse_twins(servers, entry.key)
        return servers


@dataclass(frozen=True, slots=True)
class _Text:
    """The decoded text of a document that has been found to be strict JSON."""

    text: str
    path: Path
    mark: bytes = b""

    @classmethod
    def decode(cls, content: bytes | None, path: Path) -> "_Text":
        """The text of the bytes; blank where there are none."""
        content = content or b""
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise InstallError(f"{path}:1: the file is UTF-16; save it as UTF-8")
        mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
        try:
            decoded = content[len(mark) :].decode()
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise InstallError(f"{path}:{line}: the file is not UTF-8; save it as UTF-8") from error
        text = cls(decoded, path, mark)
        if not text.blank:
            text.check()
        return text

    @property
    def blank(self) -> bool:
        """Whether there is nothing but blanks, which is as good as no file."""
        return self.root == len(self.text)

    @property
    def root(self) -> int:
        """Where the root value begins."""
        return self.skip(0)

    def check(self) -> None:
        """Raises unless the text is one strict JSON object."""
        try:
            root = json.loads(
                self.text, parse_int=str, parse_float=str, parse_constant=self._refuse_constant
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
        """The next position that is no blank."""
        blanks = _BLANKS.match(self.text, position)
        return blanks.end() if blanks else position

    def scan_object(self, opening: int) -> _Object:
        """The places of the members of the object that opens here."""
        members = tuple(self._scan_members(opening))
        last = members[-1].value_end if members else opening + 1
        return _Object(opening, self.skip(last), members)

    def _scan_members(self, opening: int) -> Iterator[_Member]:
        position = self.skip(opening + 1)
        while self.text[position] != "}":
            key, end = _DECODER.raw_decode(self.text, position)
            value_start = self.skip(self.skip(end) + 1)
            _, value_end = _DECODER.raw_decode(self.text, value_start)
            yield _Member(key, position, value_start, value_end)
            position = self.skip(value_end)
            if self.text[position] == ",":
                position = self.skip(position + 1)

    def value(self, member: _Member) -> Any:
        """The value of a member."""
        try:
            return json.loads(self.text[member.value_start : member.value_end])
        except ValueError as error:
            self.fail(member.value_start, f"a value that cannot be read ({error}); correct it")

    def refuse_twins(self, scanned: _Object, key: str) -> None:
        """Raises where a key stands twice in an object."""
        twins = [member for member in scanned.members if member.key == key]
        if len(twins) > 1:
            self.fail(twins[1].key_start, f'"{key}" stands twice in this object; keep one')

    def splice(self, start: int, end: int, replacement: str) -> bytes:
        """The document with a part of its text replaced."""
        return self.mark + (self.text[:start] + replacement + self.text[end:]).encode()

    def insert(self, into: _Object, key: str, value: Any) -> bytes:
        """The document with a member more at the end of an object, in the object's own style."""
        name = json.dumps(key, ensure_ascii=False)
        comma, colon = self._separators(into)
        if not self._is_spread(into):
            rendered = f"{name}{colon}{self.render(value, '', into)}"
            if not into.members:
                return self.splice(into.opening + 1, into.closing, rendered)
            end = into.members[-1].value_end
            return self.splice(end, end, f"{comma}{rendered}")
        outer = self.indentation(into.opening)
        inner = self.indentation(into.members[0].key_start) if into.members else outer + self.unit
        rendered = f"{self.newline}{inner}{name}: {self.render(value, inner, into)}"
        if not into.members:
            closing = f"{self.newline}{outer}"
            return self.splice(into.opening + 1, into.closing, f"{rendered}{closing}")
        end = into.members[-1].value_end
        return self.splice(end, end, f",{rendered}")

    def render(self, value: Any, indentation: str, beside: _Object) -> str:
        """A value as text, on one line or spread, as its neighbours are."""
        if not self._is_spread(beside):
            return json.dumps(value, ensure_ascii=False, separators=self._separators(beside))
        spread = json.dumps(value, ensure_ascii=False, indent=self.unit)
        return spread.replace("\n", self.newline + indentation)

    @property
    def newline(self) -> str:
        """The line end of the document."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @property
    def unit(self) -> str:
        """One step of indentation: that of the first member; two blanks where it shows none."""
        first = _BLANKS.match(self.text, self.root + 1)
        blanks = first.group() if first else ""
        is_member = first is not None and self.text[first.end()] == '"'
        return blanks.rpartition("\n")[2] if is_member and "\n" in blanks else "  "

    def indentation(self, position: int) -> str:
        """The blanks that begin the line of a position."""
        line = self.text[self.text.rfind("\n", 0, position) + 1 : position]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _is_spread(self, scanned: _Object) -> bool:
        """Whether members stand on lines of their own; an empty object does as the root does."""
        if scanned.members:
            return "\n" in self.text[scanned.opening : scanned.members[0].key_start]
        if scanned.opening == self.root:
            return True
        return self._is_spread(self.scan_object(self.root))

    def _separators(self, scanned: _Object) -> tuple[str, str]:
        """Comma and colon as the document's one-line objects have them."""
        member = next(iter(scanned.members or self.scan_object(self.root).members), None)
        tight = member is not None and self.text[member.value_start - 1] == ":"
        return (",", ":") if tight else (", ", ": ")

    def _refuse_constant(self, constant: str) -> NoReturn:
        places = (
            match.start(1) for match in _STRING_OR_CONSTANT.finditer(self.text) if match.group(1)
        )
        self.fail(next(places, 0), f"{constant} is no JSON; write null or a number")

    def _fail_to_parse(self, error: json.JSONDecodeError) -> NoReturn:
        """Raises in the words of somebody who has to correct the file."""
        rest = self.text[error.pos :].lstrip()
        before = self.text[: error.pos].rstrip(" \t\r\n")
        if before.endswith(",") and rest[:1] in {"}", "]"}:
            self.fail(len(before) - 1, "trailing comma; remove it")
        if rest[:1] == "," and rest[1:].lstrip()[:1] in {"}", "]"}:
            self.fail(error.pos, "trailing comma; remove it")
        if rest.startswith(("//", "/*")):
            self.fail(error.pos, "a comment, which strict JSON does not have; remove it")
        self.fail(error.pos, f"no strict JSON ({error.msg}); correct it")
