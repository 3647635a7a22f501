"""pydantic's search for plugins: spared where none is installed, made where one may be."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = """\
seen = []

class Plugin:
    def new_schema_validator(self, *args, **kwargs):
        seen.append(args)
        return None, None, None

plugin = Plugin()
"""
CODE = """\
import sys
from appfunctions_mcp.plugin_search import skip_plugin_search
skip_plugin_search()
from pydantic import BaseModel
class Note(BaseModel):
    title: str
Note(title="x")
print("importlib.metadata" in sys.modules, "noting_plugin" in sys.modules)
"""


def run(place: Path, code: str = CODE, **env: str) -> list[str]:
    """What code prints where this place is searched for modules, and `site-packages` holds none."""
    path = os.pathsep.join([str(place), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path, **env},
    )
    return done.stdout.split()


def install(place: Path, entry_points: str, folder: str = "noting-1.0.dist-info") -> None:
    """Installs a distribution with these entry points."""
    (place / folder).mkdir()
    (place / folder / "METADATA").write_text("Metadata-Version: 2.1\nName: noting\nVersion: 1.0\n")
    (place / folder / "entry_points.txt").write_text(entry_points)
    (place / "noting_plugin.py").write_text(PLUGIN)


def test_nothing_is_searched_where_no_plugin_is_installed(tmp_path: Path) -> None:
    install(tmp_path, "[console_scripts]\nnoting = noting_plugin:plugin\n")

    assert run(tmp_path) == ["False", "False"]


@pytest.mark.parametrize("header", ["[pydantic]", "[ pydantic]"])
def test_a_plugin_that_is_installed_is_found(tmp_path: Path, header: str) -> None:
    install(tmp_path, f"{header}\nnoting = noting_plugin:plugin\n")

    assert run(tmp_path)[0] == "True"
    if header == "[pydantic]":
        assert run(tmp_path)[1] == "True"


def test_plugins_that_the_user_switched_off_are_not_searched(tmp_path: Path) -> None:
    install(tmp_path, "[pydantic]\nnoting = noting_plugin:plugin\n")

    assert run(tmp_path, PYDANTIC_DISABLE_PLUGINS="__all__") == ["False", "False"]


def test_an_archive_may_hold_a_plugin(tmp_path: Path) -> None:
    (tmp_path / "packages.zip").write_bytes(b"PK\5\6" + bytes(18))

    assert run(tmp_path / "packages.zip")[0] == "True"


def test_whoever_needs_the_rest_of_pydantic_s_module_gets_it(tmp_path: Path) -> None:
    code = CODE + "from pydantic.plugin._loader import PYDANTIC_ENTRY_POINT_GROUP as group\n"

    assert run(tmp_path, f"{code}print(group)") == ["False", "False", "pydantic"]
