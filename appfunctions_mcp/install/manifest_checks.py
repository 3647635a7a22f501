"""What `doctor` looks at in manifests: whether they say what the app says."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from appfunctions_mcp.install.checks import Finding
from appfunctions_mcp.manifest import Manifest, manifest_folder, read_manifest


def check_manifests(file: Path, functions: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Checks the manifests of an app that count as fresh.

    Args:
        file: The metadata file.
        functions: What `list --all --json` says of its functions.
    """
    schemas = {each.get("tool_name"): each.get("input_schema") for each in functions}
    if None in schemas:  # another version of this program, which lists in another form
        return
    for manifest in _fresh_manifests(file):
        tools = json.loads(b"[%b]" % manifest.tools)
        old = [tool["name"] for tool in tools if tool["inputSchema"] != schemas.get(tool["name"])]
        if old:
            yield Finding(
                "stale-manifest",
                "warning",
                f"the server's first list of tools is old: {', '.join(old)}",
                "name the files that its modules read at import with <mcp:dependsOn>, and remove "
                f"{manifest.path}",
            )


def _fresh_manifests(file: Path) -> Iterator[Manifest]:
    folder = manifest_folder()
    if folder is None or not Path(folder).is_dir():
        return
    for path in sorted(Path(folder).iterdir()):
        manifest = read_manifest(str(path))
        if manifest is not None and os.path.realpath(manifest.metadata_file) == os.path.realpath(
            file
        ):
            yield manifest
