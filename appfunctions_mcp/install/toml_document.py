"""Edits one server entry in a TOML document and leaves every other byte.

The text is spliced, not written anew: comments, order, line ends, a byte order mark and the
spelling of values stay. The standard parser reads the result again, and an edit that would
change anything but the entry is refused. Knows nothing of files and of clients.
"""

import codecs
import tomllib
from pathlib import Path
from typing import Any

from appfunctions_mcp.install.errors import InstallError
from appfunctions_mcp.install.toml_source import Statement, find_statements
from appfunctions_mcp.install.toml_values import render_table
from appfunctions_mcp.records import record


@record(frozen=True, slots=True)
class TomlDocument:
    """A TOML document whose servers are the tables in one table."""

    key: str

    def read_entries(self, content: bytes | None, path: Path) -> dict[str, Any]:
        """The server entries by name; none where there is no file or no such table.

        Raises:
            InstallError: The document is no TOML; names file, line and column.
        """
        return dict(self._servers(_Source.decode(content, path)))

    def with_entry(self, content: bytes | None, path: Path, name: str, entry: Any) -> bytes:
        """The document with this entry put in, or put in the place of the one of its name.

        Raises:
            InstallError: The document is no TOML, or cannot take the entry as a table.
        """
        source = _Source.decode(content, path)
        servers = self._servers(source)
        expected = {**source.data, self.key: {**servers, name: entry}}
        block = source.newline.join(render_table((self.key, name), entry)) + source.newline
        mine = self._statements(source, name)
        if mine and mine[0].is_header:
            text = self._replaced(source, mine, block)
        else:
            text = self._without(source, mine) if mine else source.text
            text = _appended(text, block, source.newline)
        return source.encoded(text, expected, "put into")

    def without_entry(self, content: bytes | None, path: Path, name: str) -> bytes:
        """The document without this entry; as it was where the entry is absent.

        Raises:
            InstallError: The document is no TOML, or the entry cannot be cut out of it.
        """
        source = _Source.decode(content, path)
        servers = self._servers(source)
        if name not in servers:
            return content or b""
        text = self._without(source, self._statements(source, name))
        remaining = {key: value for key, value in servers.items() if key != name}
        after = tomllib.loads(text)
        expected = {**source.data, self.key: remaining}
        if not remaining and self.key not in after:
            del expected[self.key]
        return source.encoded(text, expected, "taken out of")

    def snippet(self, name: str, entry: Any) -> str:
        """A whole document of this entry alone, to be copied by hand."""
        return "\n".join(render_table((self.key, name), entry))

    def _servers(self, source: "_Source") -> dict[str, Any]:
        servers = source.data.get(self.key, {})
        if not isinstance(servers, dict):
            raise InstallError(f"{source.path}: {self.key} is no table; make it [{self.key}.NAME]")
        return servers

    def _statements(self, source: "_Source", name: str) -> list[Statement]:
        """The statements that make up an entry."""
        key = (self.key, name)
        return [each for each in find_statements(source.text) if each.is_under(key)]

    def _replaced(self, source: "_Source", mine: list[Statement], block: str) -> str:
        """The text with the entry where its first table stood."""
        first, *others = _runs(source.text, mine)
        text = source.text
        for start, end in reversed(others):
            text = _cut(text, start, end)
        return text[: first[0]] + block + text[first[1] :]

    def _without(self, source: "_Source", mine: list[Statement]) -> str:
        """The text without these statements, and without the blank line above each table."""
        text = source.text
        for start, end in reversed(_runs(text, mine)):
            text = _cut(text, start, end)
        return text


@record(frozen=True, slots=True)
class _Source:
    """The decoded text of a document, and what it means."""

    text: str
    data: dict[str, Any]
    path: Path
    mark: bytes = b""

    @classmethod
    def decode(cls, content: bytes | None, path: Path) -> "_Source":
        content = content or b""
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise InstallError(f"{path}:1: the file is UTF-16; save it as UTF-8")
        mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
        try:
            text = content[len(mark) :].decode()
            return cls(text, tomllib.loads(text), path, mark)
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise InstallError(f"{path}:{line}: the file is not UTF-8; save it as UTF-8") from error
        except tomllib.TOMLDecodeError as error:
            raise InstallError(f"{path}: no TOML ({error}); correct it") from error
        except RecursionError as error:
            raise InstallError(f"{path}:1: the file is nested too deeply to edit") from error

    @property
    def newline(self) -> str:
        """The line end of the document."""
        return "\r\n" if "\r\n" in self.text else "\n"

    def encoded(self, text: str, expected: dict[str, Any], what: str) -> bytes:
        """The bytes of an edited text, if it means what it should.

        Raises:
            InstallError: It does not; the file has the servers in a form that cannot be edited.
        """
        try:
            means = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            means = None
        # Floats that are no numbers equal nothing, themselves included.
        if repr(_ordered(means)) != repr(_ordered(expected)):
            raise InstallError(
                f"{self.path}: the entry cannot be {what} this file without changing the rest; "
                f"edit it by hand with the output of --print"
            )
        return self.mark + text.encode()


def _ordered(value: Any) -> Any:
    """A value whose tables have their keys in one order."""
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(each) for each in value] if isinstance(value, list) else value


def _runs(text: str, statements: list[Statement]) -> list[tuple[int, int]]:
    """Where statements stand that nothing but blank lines and comments separates.

    Comments between two statements of one run belong to it; those behind the last do not.
    """
    runs: list[tuple[int, int]] = []
    for statement in statements:
        between = text[runs[-1][1] : statement.start] if runs else ""
        lines = [line.strip() for line in between.split("\n")]
        if runs and all(not line or line.startswith("#") for line in lines):
            runs[-1] = (runs[-1][0], statement.end)
        else:
            runs.append((statement.start, statement.end))
    return runs


def _cut(text: str, start: int, end: int) -> str:
    """The text without a part, and without one blank line above a table that goes."""
    before = text[:start]
    if text[start:end].lstrip().startswith("["):
        for newline in ("\r\n", "\n"):
            if before.endswith((newline * 2, f"\n{newline}")):
                before = before.removesuffix(newline)
                break
    return before + text[end:]


def _appended(text: str, block: str, newline: str) -> str:
    """The text with a block at its end, a blank line above it."""
    if not text:
        return block
    end = "" if text.endswith("\n") else newline
    return f"{text}{end}{newline}{block}"
