"""The models of Android's library: their shape, and what goes out beside the JSON."""

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel, Field, ValidationError, computed_field

from appfunctions_mcp import (
    AppFunctionResourceContainer,
    AppFunctionTextResource,
    AppFunctionUriGrant,
    PendingIntent,
    ResourceLink,
    TextResource,
)
from appfunctions_mcp.exceptions import AppFunctionAppUnknownException
from appfunctions_mcp.marks import serializable_mark
from tests.support.arguments import published, received, refusal
from tests.support.result_types import response_of, sent_as

NOTE = AppFunctionTextResource(mime_type="text/markdown", content="# Note")
GRANT = AppFunctionUriGrant(uri="report://7", mode_flags=AppFunctionUriGrant.READ)
MARKDOWN = TextResource("result:/resources/1", "# Note", "text/markdown")
STEP = PendingIntent("https://example.org/pay", "Pay.", expires_in=60)


class Report(AppFunctionResourceContainer):
    """A report."""

    pages: int = 0


class Everything(BaseModel):
    """One of each."""

    step: PendingIntent
    grant: AppFunctionUriGrant
    texts: list[AppFunctionTextResource]
    by_name: dict[str, Report]
    none: AppFunctionUriGrant | None = None
    hidden: AppFunctionTextResource | None = Field(None, exclude=True)


@dataclass
class Plain:
    """A dataclass that holds a text."""

    text: AppFunctionTextResource


def test_their_names_and_keys_are_androids() -> None:
    """The golden documents of androidx: neither has a description there."""
    for model in (AppFunctionTextResource, AppFunctionResourceContainer, AppFunctionUriGrant):
        mark = serializable_mark(model)
        assert mark.name == f"androidx.appfunctions.{model.__name__}"
        assert mark.description == ""
    assert serializable_mark(AppFunctionResourceContainer).inline
    assert published(AppFunctionTextResource) == {
        "type": "object",
        "properties": {"mimeType": {"type": "string"}, "content": {"type": "string"}},
        "required": ["mimeType", "content"],
        "additionalProperties": False,
    }
    assert list(published(AppFunctionUriGrant)["properties"]) == ["uri", "modeFlags"]
    assert published(Report)["properties"]["resources"]["type"] == "array"
    assert "resources" not in published(Report).get("required", ())


def test_as_arguments_they_are_objects() -> None:
    sent: dict[str, Any] = {"uri": "content://a/1", "modeFlags": 129}

    assert received(AppFunctionUriGrant, sent) == AppFunctionUriGrant(
        uri="content://a/1", mode_flags=129
    )
    assert received(Report, {"pages": 2, "resources": []}) == Report(pages=2)
    assert (
        received(AppFunctionTextResource, {"mimeType": "text/plain", "content": ""}).content == ""
    )
    assert "READ (1) or WRITE (2)" in refusal(AppFunctionUriGrant, {**sent, "modeFlags": 192})
    assert "text/markdown" in refusal(
        AppFunctionTextResource, {"mimeType": "markdown", "content": ""}
    )


@pytest.mark.parametrize("mode_flags", [0, 64, 128, 192])
def test_a_grant_gives_leave_to_read_or_to_write(mode_flags: int) -> None:
    """AppFunctionUriGrant: else an IllegalArgumentException."""
    with pytest.raises(ValidationError, match="that include READ"):
        AppFunctionUriGrant(uri="content://a/1", mode_flags=mode_flags)


@pytest.mark.parametrize(
    ("mode_flags", "may_read", "is_prefix", "is_persistable"),
    [
        (1, True, False, False),
        (2, False, False, False),
        (67, True, False, True),
        (130, False, True, False),
    ],
)
def test_the_flags_of_a_grant_are_androids(
    mode_flags: int, may_read: bool, is_prefix: bool, is_persistable: bool
) -> None:
    grant = AppFunctionUriGrant(uri="content://a/1", mode_flags=mode_flags)

    assert (grant.may_read, grant.is_prefix, grant.is_persistable) == (
        may_read,
        is_prefix,
        is_persistable,
    )


def test_texts_of_a_result_go_out_in_the_json_and_as_resources() -> None:
    sent = sent_as(Report, Report(pages=1, resources=[NOTE, NOTE.model_copy()]))

    assert sent.structured == {
        "pages": 1,
        "resources": [{"mimeType": "text/markdown", "content": "# Note"}] * 2,
    }
    assert sent.media == (
        TextResource("result:/resources/1", "# Note", "text/markdown"),
        TextResource("result:/resources/2", "# Note", "text/markdown"),
    )
    assert not response_of(Report).hands_out


def test_a_result_without_such_parts_is_its_json_alone() -> None:
    sent = sent_as(Report, Report(pages=1))

    assert (sent.media, sent.handed_out) == ((), ())
    assert sent.structured == {"pages": 1, "resources": []}


def test_parts_are_found_wherever_they_stand_in_their_order() -> None:
    value = Everything(
        step=STEP, grant=GRANT, texts=[NOTE], by_name={"a": Report(resources=[NOTE])}, hidden=NOTE
    )
    sent = sent_as(Everything, value)

    assert sent.structured is not None
    assert sent.structured["step"] == "https://example.org/pay"
    assert sent.structured["grant"] == {"uri": "report://7", "modeFlags": 1}
    assert sent.media == (
        ResourceLink(
            "https://example.org/pay",
            "pending_intent",
            description="Pay. It works within 1 minute.",
        ),
        ResourceLink("report://7", "granted_2"),
        TextResource("result:/resources/3", "# Note", "text/markdown"),
    )
    assert sent.handed_out == (STEP, GRANT)
    assert response_of(Everything).hands_out


def test_parts_come_out_of_dictionaries_and_dataclasses_too() -> None:
    raw = {"uri": "report://7", "mode_flags": 1}

    assert sent_as(AppFunctionUriGrant, raw).handed_out == (GRANT,)
    assert sent_as(Plain, Plain(NOTE)).media == (MARKDOWN,)
    assert sent_as(list[Report | None], [None, Report(resources=[NOTE])]).media == (MARKDOWN,)


def test_parts_that_the_declared_type_leaves_out_are_not_sent() -> None:
    class Inside(Report):
        granted: AppFunctionUriGrant
        internal: AppFunctionTextResource

    sent = sent_as(Report, Inside(resources=[NOTE], granted=GRANT, internal=NOTE.model_copy()))

    assert sent.structured == {
        "pages": 0,
        "resources": [{"mimeType": "text/markdown", "content": "# Note"}],
    }
    assert sent.media == (MARKDOWN,)
    assert sent.handed_out == ()


def test_a_step_that_is_made_when_it_is_read_is_the_one_of_the_json() -> None:
    class Bill(BaseModel):
        note: str

        @computed_field  # type: ignore[prop-decorator] # pydantic's own way
        @property
        def step(self) -> PendingIntent:
            return PendingIntent(action=lambda: "paid")

    for note in ("x", "\ud800"):
        sent = sent_as(Bill, Bill.model_construct(note=note))
        (step,) = sent.handed_out
        assert sent.structured is not None
        assert sent.structured["step"] == step.uri


def test_parts_in_a_union_keep_their_own_form() -> None:
    sent = sent_as(list[PendingIntent | AppFunctionUriGrant | int], [GRANT, STEP, 5])

    assert sent.value == [{"uri": "report://7", "modeFlags": 1}, "https://example.org/pay", 5]
    assert sent.handed_out == (GRANT, STEP)


def test_a_grant_to_write_alone_is_no_link() -> None:
    """MCP has no way for a client to write a resource."""
    sent = sent_as(AppFunctionUriGrant, AppFunctionUriGrant(uri="a:b", mode_flags=2))

    assert sent.media == ()
    assert sent.structured == {"uri": "a:b", "modeFlags": 2}


def test_texts_beside_the_json_are_valid_utf_8() -> None:
    """F102."""
    half = AppFunctionTextResource(mime_type="text/plain", content="\ud800")

    (block,) = sent_as(AppFunctionTextResource, half).media
    assert block == TextResource("result:/resources/1", "\ufffd", "text/plain")


def test_a_result_of_no_declared_type_holds_no_step() -> None:
    """Nobody would have handed it out, so that its address led nowhere."""
    with pytest.raises(AppFunctionAppUnknownException, match="the return type declares it"):
        sent_as(dict[str, Any], {"step": STEP})
