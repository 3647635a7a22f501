"""Edits one server entry in a JSON document and leaves every other byte.

Knows nothing of files and of clients.
"""

from pathlib import Path
from typing import Any

from appfunctions_mcp.install.json_comments import STRICT, Leniency
from appfunctions_mcp.install.json_source import Container, JsonSource, written_json
from appfunctions_mcp.records import record


@record(frozen=True, slots=True)
class JsonDocument:
    """A JSON document whose servers are the members of one object at its root."""

    key: str = "mcpServers"
    leniency: Leniency = STRICT
    """What the client reads besides strict JSON."""

    def read_entries(self, content: bytes | None, path: Path) -> dict[str, Any]:
        """The server entries by name; none where there is no file or no such object.

        Raises:
            InstallError: The document is no JSON object; names file, line and column.
        """
        source = JsonSource.decode(content, path, self.leniency)
        if source.blank:
            return {}
        servers = self._servers(source)
        if servers is None:
            return {}
        return {member.key: source.value(member) for member in servers.members}

    def with_entry(self, content: bytes | None, path: Path, name: str, entry: Any) -> bytes:
        """The document with this entry put in, or put in the place of the one of its name.

        Raises:
            InstallError: The document is no JSON object.
        """
        source = JsonSource.decode(content, path, self.leniency)
        if source.blank:
            # What there is are comments; they stay above the servers.
            remarks = source.text.rstrip()
            above = f"{remarks}{source.newline}" if remarks else ""
            snippet = self.snippet(name, entry).replace("\n", source.newline)
            return source.mark + f"{above}{snippet}{source.newline}".encode()
        servers = self._servers(source)
        if servers is None:
            return source.with_member(source.scan(source.root), self.key, {name: entry})
        member = servers.find(name)
        if member is None:
            return source.with_member(servers, name, entry)
        value = source.render(entry, source.indentation(member.start), servers)
        return source.spliced((member.value_start, member.value_end, value))

    def without_entry(self, content: bytes | None, path: Path, name: str) -> bytes:
        """The document without this entry; as it was where the entry is absent.

        Raises:
            InstallError: The document is no JSON object.
        """
        source = JsonSource.decode(content, path, self.leniency)
        servers = None if source.blank else self._servers(source)
        member = servers.find(name) if servers else None
        if servers is None or member is None:
            return content or b""
        return source.without_member(servers, member)

    def snippet(self, name: str, entry: Any) -> str:
        """A whole document of this entry alone, to be copied by hand."""
        return written_json({self.key: {name: entry}}, indent=2)

    def _servers(self, source: JsonSource) -> Container | None:
        """The object of the servers, no name of which stands twice."""
        servers = source.find_root(self.key, "{")
        if servers is not None:
            source.refuse_twins(servers)
        return servers
