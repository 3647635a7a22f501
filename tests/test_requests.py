"""The records of one call."""

import base64

import pytest

from appfunctions_mcp.media import Audio, BlobResource, Image, Media, ResourceLink, TextResource
from appfunctions_mcp.requests import (
    ExecuteAppFunctionRequest,
    ExecuteAppFunctionResponse,
    SilentChannel,
)


@pytest.mark.parametrize(
    ("media", "size"),
    [
        (Image(b"12345", "image/png"), len(base64.b64encode(b"12345"))),
        (Audio(b"", "audio/wav"), 0),
        (BlobResource("a:b", b"1", "application/octet-stream"), len(base64.b64encode(b"1"))),
        (TextResource("a:b", "é", "text/plain"), 2),
        (ResourceLink("file:///é", "name"), 10),
    ],
)
def test_media_count_as_they_go_out(media: Media, size: int) -> None:
    assert ExecuteAppFunctionResponse(media=(media,)).size == size
    assert ExecuteAppFunctionResponse(text="é", media=(media, media)).size == 2 + 2 * size


def test_a_request_without_more_is_that_of_the_local_user() -> None:
    request = ExecuteAppFunctionRequest("add")
    assert dict(request.parameters) == {}
    assert request.caller.local_user
    assert isinstance(request.channel, SilentChannel)
    request.channel.report_progress(1, None, None)
    request.channel.log("info", "dropped", {})
