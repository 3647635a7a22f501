"""What the MCP registry takes as a `server.json`, condensed to what is written here.

After the schema of 2025-12-11 and the registry's own checks beyond it, both in
modelcontextprotocol/registry. Unknown members are refused here, which the registry does not: what
this program writes has none.
"""

import re
from typing import Any

import jsonschema

_TEXT = {"type": "string"}
_ADDRESS = {"type": "string", "pattern": r"^https://[^\s/]+[^\s]*$"}
_VARIABLE = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "description": _TEXT,
        "isRequired": {"type": "boolean"},
        "isSecret": {"type": "boolean"},
        "format": {"enum": ["string", "number", "boolean", "filepath"]},
        "default": _TEXT,
    },
}
_PACKAGE = {
    "type": "object",
    "required": ["registryType", "identifier", "transport", "fileSha256"],
    "additionalProperties": False,
    "properties": {
        "registryType": {"const": "mcpb"},
        "identifier": {**_ADDRESS, "allOf": [{"pattern": "[Mm][Cc][Pp]"}]},
        "version": {"type": "string", "minLength": 1, "not": {"const": "latest"}},
        "fileSha256": {"type": "string", "pattern": "^[a-f0-9]{64}$"},
        "transport": {"const": {"type": "stdio"}},
        "environmentVariables": {"type": "array", "items": _VARIABLE},
    },
}
_PART = "[a-zA-Z0-9]([a-zA-Z0-9{}-]*[a-zA-Z0-9])?"
SERVER_JSON = {
    "type": "object",
    "required": ["$schema", "name", "description", "version", "packages"],
    "additionalProperties": False,
    "properties": {
        "$schema": {
            "const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
        },
        "name": {
            "type": "string",
            "minLength": 3,
            "maxLength": 200,
            "pattern": f"^{_PART.format('.')}/{_PART.format('._')}$",
        },
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "title": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": r"\S"},
        "version": {"type": "string", "maxLength": 255},
        "websiteUrl": _ADDRESS,
        "packages": {"type": "array", "minItems": 1, "items": _PACKAGE},
    },
}
_RANGE = re.compile(r"^\s*(?:[\^~<>=]|.*(?:\|\|| - |[xX*](?:\.|$)))")


def require_server_json(document: Any) -> None:
    """Raises where the registry would refuse a document."""
    jsonschema.validate(document, SERVER_JSON, jsonschema.Draft7Validator)
    for version in (document["version"], *(each["version"] for each in document["packages"])):
        assert version != "latest"
        assert not _RANGE.match(version), f"{version} reads as a range of versions"
