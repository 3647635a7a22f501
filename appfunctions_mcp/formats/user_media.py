"""Pictures and sound in messages: as base64, as addresses that hold them, or told in words.

Knows no provider.
"""

import base64
import binascii
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.media import Audio, Image

__all__ = [
    "base64_of",
    "data_address",
    "media_of",
    "media_of_address",
    "sound_format",
    "told_media",
]

_DATA_ADDRESS = regex(r"data:([^;,\s]+);base64,(.*)\Z")
_FORMATS_OF_SOUND = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}


def base64_of(media: Image | Audio) -> str:
    """The content as base64."""
    return base64.b64encode(media.data).decode("ascii")


def data_address(media: Image | Audio) -> str:
    """A `data:` address that holds the content."""
    return f"data:{media.mime_type};base64,{base64_of(media)}"


def sound_format(media: Audio) -> str:
    """`wav` or `mp3`, or nothing for any other sound."""
    return _FORMATS_OF_SOUND.get(media.mime_type.partition(";")[0].lower(), "")


def told_media(media: Image | Audio) -> str:
    """A line that stands for what a provider does not take."""
    kind = "picture" if isinstance(media, Image) else "sound"
    return f"[{kind}: {media.mime_type}, {len(media.data):,} bytes]"


def media_of(content: Any, mime_type: Any) -> Image | Audio | None:
    """A picture or a sound out of base64; None where it is neither.

    Args:
        content: Base64, in either alphabet.
        mime_type: Such as `image/png`.
    """
    if not isinstance(content, str) or not isinstance(mime_type, str):
        return None
    try:
        plain = content.replace("-", "+").replace("_", "/")
        data = base64.b64decode(plain, validate=True)
        return Image(data, mime_type) if mime_type.startswith("image/") else Audio(data, mime_type)
    except (binascii.Error, ValueError):
        return None


def media_of_address(address: Any) -> Image | Audio | None:
    """What a `data:` address holds; None for any other address, and where it is neither."""
    found = _DATA_ADDRESS.match(address) if isinstance(address, str) else None
    return media_of(found[2], found[1]) if found else None
