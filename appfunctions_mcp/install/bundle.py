"""A bundle for Claude Desktop (`.mcpb`, manifest 0.4, started by uv), and a `server.json`.

The same app with the same packages gives the same bytes: entries are sorted, stored at one
moment and with one mode.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.install.bundle_files import BundleFiles
from appfunctions_mcp.install.toml_values import render_table
from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import AppMetadata, AppSetting
from appfunctions_mcp.records import record

SERVER_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
MAX_DESCRIPTION = 100
"""What the registry takes."""

_REGISTRY_NAME = regex(
    r"[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?/[a-zA-Z0-9](?:[a-zA-Z0-9._-]*[a-zA-Z0-9])?"
)
_EXACT_VERSION = regex(r"[0-9]+\.[0-9]+\.[0-9]+(?:[-+.][0-9A-Za-z.+-]+)?")
_MOMENT = (1980, 1, 1, 0, 0, 0)
_MODE = 0o644 << 16


@record(frozen=True, slots=True)
class Bundle:
    """A finished bundle."""

    content: bytes
    names: tuple[str, ...]
    """What is in it."""

    @property
    def sha256(self) -> str:
        """Its digest, as the registry wants it."""
        return hashlib.sha256(self.content).hexdigest()


def build_bundle(
    metadata: AppMetadata, files: BundleFiles, requirements: Sequence[str], author: str
) -> Bundle:
    """Packs an app.

    Args:
        metadata: What the app says of itself.
        files: Its files.
        requirements: The exact versions it runs with.
        author: Who answers for it.

    Raises:
        SettingsError: The app's version is none that a bundle may have.
    """
    manifest = json.dumps(build_manifest(metadata, files, author), ensure_ascii=False, indent=2)
    contents = {
        "manifest.json": f"{manifest}\n".encode(),
        "pyproject.toml": build_project(metadata, requirements).encode(),
    }
    for name, path in files.files.items():
        if name.lower() in contents:
            raise SettingsError(f"{path}: a bundle has a {name} of its own; move the app's away")
        contents[name] = path.read_bytes()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(contents.items()):
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = _MODE
            archive.writestr(entry, content)
    return Bundle(stream.getvalue(), tuple(sorted(contents)))


def build_manifest(metadata: AppMetadata, files: BundleFiles, author: str) -> dict[str, Any]:
    """The manifest of a bundle.

    Raises:
        SettingsError: The app's version is none that a bundle may have.
    """
    file = f"${{__dirname}}/{files.metadata}"
    start = ["run", "--directory", "${__dirname}", "python", "-P", "-m", "appfunctions_mcp"]
    env = {setting.name: f"${{user_config.{setting.name}}}" for setting in metadata.settings}
    title = {"display_name": metadata.title} if metadata.title else {}
    homepage = {"homepage": metadata.website_url} if metadata.website_url else {}
    icon = {"icon": files.icons[0]} if files.icons else {}
    asked = {setting.name: _user_config(setting) for setting in metadata.settings}
    return {
        "manifest_version": "0.4",
        "name": metadata.name,
        **title,
        "version": _exact_version(metadata),
        "description": short_description(metadata),
        "long_description": metadata.description,
        "author": {"name": author},
        **homepage,
        **icon,
        "server": {
            "type": "uv",
            "entry_point": files.metadata,
            "mcp_config": {"command": "uv", "args": [*start, "run", file], "env": env},
        },
        "tools_generated": True,
        "compatibility": {"runtimes": {"python": ">=3.11"}},
        **({"user_config": asked} if asked else {}),
    }


def build_project(metadata: AppMetadata, requirements: Sequence[str]) -> str:
    """The `pyproject.toml` from which uv makes the environment: exact versions, no package."""
    project = {
        "name": f"{metadata.name}-bundle",
        "version": _exact_version(metadata),
        "requires-python": ">=3.11",
        "dependencies": list(requirements),
    }
    lines = [*render_table(("project",), project), "", *render_table(("tool", "uv"), _NO_PACKAGE)]
    return "".join(f"{line}\n" for line in lines)


_NO_PACKAGE = {"package": False}


def build_server_json(
    metadata: AppMetadata, bundle: Bundle, registry_name: str, address: str
) -> dict[str, Any]:
    """The registry's entry of a bundle that can be loaded from an address.

    Args:
        metadata: What the app says of itself.
        bundle: The bundle that lies at the address.
        registry_name: The name in the registry, `io.github.USER/NAME`.
        address: Where the bundle can be loaded from.

    Raises:
        SettingsError: The name, the address or the version is none that the registry takes.
    """
    if not _REGISTRY_NAME.fullmatch(registry_name) or not 3 <= len(registry_name) <= 200:
        raise SettingsError(
            f"--registry-name {registry_name!r}: the registry takes NAMESPACE/NAME of letters, "
            "digits, dots, - and _, with a letter or digit at both ends of each; write "
            "io.github.USER/NAME"
        )
    _require_registry_address(address)
    if metadata.website_url and not metadata.website_url.startswith("https://"):
        raise SettingsError(
            f"{metadata.path}: the registry takes only https:// as mcp:websiteUrl; correct it"
        )
    package = {
        "registryType": "mcpb",
        "identifier": address,
        "version": _exact_version(metadata),
        "fileSha256": bundle.sha256,
        "transport": {"type": "stdio"},
        "environmentVariables": [_variable(setting) for setting in metadata.settings],
    }
    return {
        "$schema": SERVER_SCHEMA,
        "name": registry_name,
        "description": short_description(metadata),
        **({"title": _short(metadata.title)} if metadata.title else {}),
        "version": _exact_version(metadata),
        **({"websiteUrl": metadata.website_url} if metadata.website_url else {}),
        "packages": [package],
    }


def short_description(metadata: AppMetadata) -> str:
    """The first sentence about the app, as long as the registry takes."""
    texts = (metadata.display_description, metadata.description, metadata.name)
    text = next(each.strip() for each in texts if each and each.strip())
    return _short(text.splitlines()[0].strip().partition(". ")[0])


def _short(text: str) -> str:
    return text if len(text) <= MAX_DESCRIPTION else f"{text[: MAX_DESCRIPTION - 1]}…"


def _require_registry_address(address: str) -> None:
    """Refuses an address under which the registry takes no bundle.

    Raises:
        SettingsError: It is no public address, or does not hold the letters that it looks for.
    """
    if not address.startswith("https://") or any(each.isspace() for each in address):
        raise SettingsError(f"--download-url {address!r}: write https://HOST/…/NAME.mcpb")
    if "mcp" not in address.lower():
        raise SettingsError(
            f"--download-url {address!r}: the registry wants 'mcp' in it; end it in .mcpb"
        )


def _exact_version(metadata: AppMetadata) -> str:
    if not _EXACT_VERSION.fullmatch(metadata.version):
        raise SettingsError(
            f"{metadata.path}: the version {metadata.version!r} is no exact one; "
            'write mcp:version="1.0.0"'
        )
    return metadata.version


def _user_config(setting: AppSetting) -> dict[str, Any]:
    """How the client asks for a setting."""
    asked: dict[str, Any] = {
        "type": setting.type,
        "title": setting.title or setting.name,
        "description": setting.description or setting.title or setting.name,
        "required": setting.required,
    }
    if setting.sensitive:
        asked["sensitive"] = True
    if setting.default is not None:
        asked["default"] = _default(setting.type, setting.default)
    elif not setting.required:
        # Without a default the client would hand over its placeholder as the value.
        asked |= {"type": "string" if setting.type in {"number", "boolean"} else setting.type}
        asked["default"] = ""
    return asked


def _default(kind: str, default: str) -> str | float | bool:
    if kind == "boolean":
        return default.strip().lower() in {"1", "true", "yes", "on"}
    return float(default) if kind == "number" else default


def _variable(setting: AppSetting) -> dict[str, Any]:
    """A setting in the words of the registry."""
    variable: dict[str, Any] = {
        "name": setting.name,
        "description": setting.description or setting.title or setting.name,
        "isRequired": setting.required,
        "isSecret": setting.sensitive,
        "format": {"number": "number", "boolean": "boolean"}.get(setting.type, "filepath")
        if setting.type != "string"
        else "string",
    }
    return variable | ({} if setting.default is None else {"default": setting.default})
