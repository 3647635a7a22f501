"""Finds the corpus of real files, which is not part of the project."""

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]


def corpus(*parts: str) -> Path:
    """A file or folder of the corpus; the test is skipped where there is none."""
    folder = Path(os.environ.get("APPFUNCTIONS_CORPUS") or _ROOT.parent / "shared" / "corpus")
    path = folder.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no corpus at {path}; set APPFUNCTIONS_CORPUS")
    return path
