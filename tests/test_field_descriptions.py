"""Where the descriptions of a model's fields come from."""

import importlib
import sys
from dataclasses import dataclass, make_dataclass
from pathlib import Path

import pytest
from pydantic import BaseModel, create_model

from appfunctions_mcp.docstrings import field_descriptions
from tests.support import described_models as models


@pytest.mark.parametrize(
    ("cls", "texts"),
    [
        (
            models.Attachment,
            {"name": "Its name.", "size": "Its size,\nin bytes.", "kind": "Its kind."},
        ),
        (
            models.Picture,
            {
                "name": "Its caption.",
                "size": "Its size,\nin bytes.",
                "kind": "Its kind.",
                "width": "How wide.",
            },
        ),
        (models.Picture.Frame, {"colour": "Its colour."}),
        (models.Bare, {}),
        (models.Page, {"items": "What is on it.", "total": "How many there are on all pages."}),
        (
            models.Page[int],
            {"items": "What is on it.", "total": "How many there are on all pages."},
        ),
        (models.KotlinNote, {"title": "The Note's title.", "content": "Its text."}),
        (models.Point, {"x": "The first number."}),
        (models.Place, {"x": "The first number.", "name": "Its name."}),
        (models.NewPlace, {"x": "The first number.", "y": "The second number."}),
        (models.Conditional, {"value": "Found below an `if`."}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_fields_are_described_by_their_class_and_by_what_stands_under_them(
    cls: type, texts: dict[str, str]
) -> None:
    """F85: class-level `@property` tags; the Android page, section 4.3, for what wins."""
    assert field_descriptions(cls) == texts


def test_a_class_within_a_function_is_found() -> None:
    @dataclass
    class Local:
        value: int
        """Described here."""

    assert field_descriptions(Local) == {"value": "Described here."}


def test_the_same_answer_comes_again_and_is_not_shared() -> None:
    field_descriptions(models.Attachment)["name"] = "spoiled"

    assert field_descriptions(models.Attachment)["name"] == "Its name."


def test_a_class_without_source_has_its_docstring() -> None:
    described = type("Made", (), {"__doc__": "Made.\n\nAttributes:\n    x: The x."})
    namespace: dict[str, type] = {}
    exec("class Typed:\n    x: int\n    'lost'", {"__name__": "nowhere"}, namespace)  # noqa: S102 - a class typed into a shell has no source

    assert field_descriptions(described) == {"x": "The x."}
    assert field_descriptions(namespace["Typed"]) == {}
    assert field_descriptions(create_model("Model", x=(int, ...))) == {}
    assert field_descriptions(make_dataclass("Data", ["x"])) == {}
    assert field_descriptions(BaseModel) == {}
    assert field_descriptions(int) == {}


def test_a_docstring_that_is_no_text_is_passed_over() -> None:
    odd = type("Odd", (), {"__doc__": property(lambda _: "text")})

    assert field_descriptions(odd) == {}


def test_a_source_that_no_longer_parses_or_exists_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "edited_model.py"
    path.write_text("class Edited:\n    x: int\n    'The x.'\n", encoding="utf-8")
    import edited_model  # type: ignore[import-not-found] # written by this test

    assert field_descriptions(edited_model.Edited) == {"x": "The x."}

    path.write_text("class Edited:\n    x: int\n    'The x, edited", encoding="utf-8")
    assert field_descriptions(edited_model.Edited) == {}

    path.unlink()
    assert field_descriptions(edited_model.Edited) == {}
    del sys.modules["edited_model"]


SLICED = '''
"""A module; class Plain stands in a text, too, but not at the beginning of a line."""

class Plain:
    """Has fields."""

    first: int
    """The first."""

# A remark between.
    second: int
    """The second."""


def function_between() -> None: ...


class Odd:
    """A docstring
whose second line is not indented.
    """

    third: int
    """The third."""


class Twice:
    old: int
    """The old one."""


class Twice:
    new: int
    """The new one."""
'''


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("Plain", {"first": "The first.", "second": "The second."}),
        ("Odd", {"third": "The third."}),
        ("Twice", {"new": "The new one."}),
    ],
)
def test_a_class_is_found_however_its_module_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, texts: dict[str, str]
) -> None:
    (tmp_path / "sliced_module.py").write_text(SLICED)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sliced_module", raising=False)
    module = importlib.import_module("sliced_module")

    assert field_descriptions(getattr(module, name)) == texts
