"""The `mcp.json` of Visual Studio Code: servers, and what it asks for their secrets.

An entry that refers to an input of its own (`${input:SERVER-VARIABLE}`) brings that input along,
and takes it away again when it goes.
"""

import json
from pathlib import Path
from typing import Any

from appfunctions_mcp.install.json_comments import JSONC
from appfunctions_mcp.install.json_document import JsonDocument
from appfunctions_mcp.install.json_source import JsonSource
from appfunctions_mcp.install.references import input_id
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.records import record

_INPUT = regex(r"\$\{input:([^}]+)\}")


@record(frozen=True, slots=True)
class VisualStudioCodeDocument:
    """A document of `servers` and `inputs`."""

    servers: JsonDocument = JsonDocument("servers", JSONC)

    def read_entries(self, content: bytes | None, path: Path) -> dict[str, Any]:
        """The server entries by name.

        Raises:
            InstallError: The document is no JSON object; names file, line and column.
        """
        return self.servers.read_entries(content, path)

    def with_entry(self, content: bytes | None, path: Path, name: str, entry: Any) -> bytes:
        """The document with this entry, and with the inputs of its own that are missing.

        Raises:
            InstallError: The document is no JSON object, or its inputs are no list.
        """
        after = self.servers.with_entry(content, path, name, entry)
        for identity in _own_inputs(name, entry):
            after = _with_input(after, path, name, identity)
        return after

    def without_entry(self, content: bytes | None, path: Path, name: str) -> bytes:
        """The document without this entry, and without the inputs that nothing else refers to.

        Raises:
            InstallError: The document is no JSON object, or its inputs are no list.
        """
        entry = self.read_entries(content, path).get(name)
        after = self.servers.without_entry(content, path, name)
        used = {
            identity
            for each in self.read_entries(after, path).values()
            for identity in _INPUT.findall(json.dumps(each))
        }
        for identity in _own_inputs(name, entry):
            if identity not in used:
                after = _without_input(after, path, identity)
        return after

    def snippet(self, name: str, entry: Any) -> str:
        """A whole document of this entry alone, to be copied by hand."""
        return self.with_entry(None, Path("mcp.json"), name, entry).decode().rstrip()


def _own_inputs(name: str, entry: Any) -> list[str]:
    """The inputs that an entry refers to and that belong to it alone."""
    found = dict.fromkeys(_INPUT.findall(json.dumps(entry)))
    return [identity for identity in found if identity.startswith(input_id(name, ""))]


def _with_input(content: bytes, path: Path, name: str, identity: str) -> bytes:
    source = JsonSource.decode(content, path, JSONC)
    question = {
        "type": "promptString",
        "id": identity,
        "description": f"{identity.removeprefix(input_id(name, ''))} of the server {name}",
        "password": True,
    }
    inputs = source.find_root("inputs", "[")
    if inputs is None:
        return source.with_member(source.scan(source.root), "inputs", [question])
    values = map(source.value, inputs.members)
    if any(isinstance(value, dict) and value.get("id") == identity for value in values):
        return content
    return source.with_member(inputs, "", question)


def _without_input(content: bytes, path: Path, identity: str) -> bytes:
    source = JsonSource.decode(content, path, JSONC)
    inputs = source.find_root("inputs", "[")
    for member in inputs.members if inputs else ():
        value = source.value(member)
        if inputs and isinstance(value, dict) and value.get("id") == identity:
            return source.without_member(inputs, member)
    return content
