"""Google's sample chat app: its own manifest and texts, and functions as its table has them.

The functions XML of the app is generated when it is built; this one says the same of each
function's parameters and results, in words of its own.
"""

import shutil
from dataclasses import replace
from pathlib import Path

from appfunctions_mcp.android.data_types import (
    AndroidFunction,
    AndroidParameter,
    AndroidResponse,
    ArrayType,
    DataType,
    ParcelableType,
    ScalarType,
    TypeNumber,
)
from appfunctions_mcp.android.uri_forms import uri_type
from appfunctions_mcp.android.xml.functions_xml_writing import functions_xml
from tests.support.android_documents import LONG, STRING, document, object_type, parameter
from tests.support.corpus import corpus

_SERVICE = "com.example.chatapp.appfunctions.BaseChatAppFunctionService"


def chat_app(folder: Path) -> Path:
    """Writes the app's `src/main` and returns it; skips where there is no corpus."""
    for source, place in (
        ("chatapp.AndroidManifest.xml", "AndroidManifest.xml"),
        ("chatapp.app_metadata.xml", "res/xml/app_metadata.xml"),
        ("chatapp.strings.xml", "res/values/strings.xml"),
    ):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(corpus("app_metadata", source), folder / place)
    (folder / "assets").mkdir()
    text = functions_xml(document(*_functions()))
    (folder / "assets/chat_app_function_service.xml").write_text(text, encoding="utf-8")
    return folder


def _functions() -> list[AndroidFunction]:
    endpoint = parameter("endpointValue", description="The chat's id, as searchContacts gives it.")
    query = parameter("query", description="The words to look for.")
    contact = object_type(
        "ContactSearchResult",
        contactDisplayName=STRING,
        contactType=STRING,
        endpointValue=STRING,
        endpointDisplayName=STRING,
    )
    message = object_type("Message", messageBody=STRING, timestamp=LONG, senderDisplayName=STRING)
    found = object_type(
        "MessagesSearchResult", endpointValue=STRING, messages=ArrayType(items=message)
    )
    kind = ScalarType(kind=TypeNumber.STRING, enum_values=("INDIVIDUAL", "GROUP", "ANY"))
    truth = ScalarType(kind=TypeNumber.BOOLEAN)
    images = replace(ArrayType(items=uri_type()), nullable=True)
    return [
        _function(
            "searchContacts",
            "Searches people and groups by name.",
            [query, parameter("contactType", kind, description="Whom to look for.")],
            ArrayType(items=contact),
            "The people and groups that match.",
        ),
        _function(
            "sendMessage",
            "Sends a message to a person or a group.",
            [
                endpoint,
                parameter("messageBody", description="The text of the message."),
                parameter("imageUris", images, required=False, description="Pictures to attach."),
            ],
            STRING,
            "To whom the message was sent.",
        ),
        _function(
            "makeCall",
            "Calls a person.",
            [endpoint],
            ParcelableType(),
            "What starts the call when the user agrees.",
        ),
        _function(
            "updateChatWallpaper",
            "Changes the picture behind a chat.",
            [
                parameter("chatId", description="The chat's id, as searchContacts gives it."),
                parameter("wallpaperUri", uri_type(), description="The picture."),
            ],
            truth,
            "",
        ),
        _function(
            "searchMessages",
            "Searches messages by their words.",
            [
                query,
                parameter(
                    "endpointValue",
                    replace(STRING, nullable=True),
                    required=False,
                    description="The chat to look in; all of them when left out.",
                ),
            ],
            ArrayType(items=found),
            "The messages that match, by chat.",
        ),
    ]


def _function(
    name: str, says: str, parameters: list[AndroidParameter], returns: DataType, returned: str
) -> AndroidFunction:
    return AndroidFunction(
        id=f"{_SERVICE}#{name}",
        enabled_by_default=True,
        description=says,
        parameters=tuple(parameters),
        response=AndroidResponse(type=returns, description=returned),
    )
