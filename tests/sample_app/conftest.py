"""A notes database of the test's own, as functions and tests see it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from appfunctions_mcp import AppFunctionContext
from sample_app.storage import NoteStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[NoteStore]:
    """An empty store."""
    with closing(NoteStore(tmp_path / "data" / "notes.db")) as store:
        yield store


@pytest.fixture
def context(store: NoteStore) -> AppFunctionContext:
    """The context of a call that finds the store."""
    return AppFunctionContext(lifespan=store)
