"""Finds the corpus of real files, which is not part of the project."""

import os
from pathlib import Path

import pytest

_PROJECT = Path(__file__).resolve().parents[2]
# Read once: tests run without any variable that begins like those of the program.
_FOLDER = Path(os.environ.get("APPFUNCTIONS_CORPUS") or _PROJECT.parent / "shared" / "corpus")


def corpus(*parts: str) -> Path:
    """A file or folder of the corpus; the test is skipped where there is none."""
    path = _FOLDER.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no corpus at {path}; set APPFUNCTIONS_CORPUS")
    return path
