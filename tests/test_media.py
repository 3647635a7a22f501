"""Media, resources and links: what they hold, and what they refuse."""

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from appfunctions_mcp.media import (
    Audio,
    BlobResource,
    Image,
    Media,
    PendingIntent,
    ResourceLink,
    TextResource,
)


@pytest.mark.parametrize(
    ("name", "mime_type"),
    [("a.png", "image/png"), ("a.JPG", "image/jpeg"), ("a.svg", "image/svg+xml")],
)
def test_a_picture_from_a_file_is_typed_by_its_ending(
    tmp_path: Path, name: str, mime_type: str
) -> None:
    file = tmp_path / name
    file.write_bytes(b"\x89PNG")

    assert Image.from_file(file) == Image(b"\x89PNG", mime_type)
    assert Image.from_file(str(file)) == Image(b"\x89PNG", mime_type)


def test_a_sound_from_a_file_is_typed_by_its_ending(tmp_path: Path) -> None:
    file = tmp_path / "a.mp3"
    file.write_bytes(b"ID3")

    assert Audio.from_file(file) == Audio(b"ID3", "audio/mpeg")


def test_a_given_type_wins_over_the_ending(tmp_path: Path) -> None:
    file = tmp_path / "camera.raw"
    file.write_bytes(b"x")

    assert Image.from_file(file, "image/x-adobe-dng").mime_type == "image/x-adobe-dng"


@pytest.mark.parametrize(
    ("make", "name", "says"),
    [
        (Image.from_file, "a.txt", r"give mime_type, or use one of the endings .*\.png"),
        (Image.from_file, "a.mp3", r"the kind of Image cannot be told from the name 'a\.mp3'"),
        (Audio.from_file, "a", r"give mime_type, or use one of the endings .*\.wav"),
    ],
)
def test_an_ending_of_another_kind_is_refused(
    tmp_path: Path, make: Callable[[Path], object], name: str, says: str
) -> None:
    (tmp_path / name).write_bytes(b"x")

    with pytest.raises(ValueError, match=says):
        make(tmp_path / name)


def test_a_missing_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Image.from_file(tmp_path / "none.png")


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: Image("text"), TypeError, "Image.data takes bytes, not str"),  # type: ignore[arg-type] # what is refused
        (lambda: Image(b"", "audio/wav"), ValueError, "such as 'image/"),
        (lambda: Audio(b"", "wav"), ValueError, "Audio.mime_type is 'wav'"),
        (lambda: TextResource("notes", "x"), ValueError, "TextResource.uri is 'notes'"),
        (lambda: TextResource("a:b", b"x"), TypeError, "TextResource.text takes a str, not bytes"),  # type: ignore[arg-type] # what is refused
        (lambda: TextResource("a:b", "x", ""), ValueError, "TextResource.mime_type is ''"),
        (lambda: BlobResource("file:///x", "x"), TypeError, "BlobResource.data takes bytes"),  # type: ignore[arg-type] # what is refused
        (lambda: BlobResource("a b:c", b""), ValueError, "an absolute address such as"),
        (lambda: ResourceLink("https://a/b c", "n"), ValueError, "ResourceLink.uri"),
        (lambda: ResourceLink("https://a", ""), ValueError, "ResourceLink.name is empty"),
        (lambda: ResourceLink("a:b", "n", mime_type="x"), ValueError, "ResourceLink.mime_type"),
        (lambda: ResourceLink("a:b", "n", title=5), TypeError, "ResourceLink.title"),  # type: ignore[arg-type] # authors do
        (lambda: ResourceLink("a:b", "n", description=b""), TypeError, "ResourceLink.description"),  # type: ignore[arg-type] # authors do
        (lambda: ResourceLink("a:b", "n", size="5"), TypeError, "ResourceLink.size"),  # type: ignore[arg-type] # authors do
        (lambda: ResourceLink("a:b", "n", size=True), TypeError, "ResourceLink.size"),
        (lambda: PendingIntent("pay"), ValueError, "PendingIntent.uri is 'pay'"),
    ],
)
def test_what_has_no_valid_form_is_refused(
    make: Callable[[], object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        make()


def test_media_are_values() -> None:
    assert Image(b"x") == Image(b"x")
    assert len({Image(b"x"), Image(b"x"), Audio(b"x")}) == 2
    assert set(get_args(Media)) == {Image, Audio, TextResource, BlobResource, ResourceLink}


def test_a_pending_intent_is_a_link_with_instructions() -> None:
    """Android's PendingIntent is a step that only the user can take."""
    intent = PendingIntent("https://example.org/pay/7", "Pay the bill.", title="Pay")

    assert intent.to_resource_link() == ResourceLink(
        "https://example.org/pay/7", "pending_intent", title="Pay", description="Pay the bill."
    )
