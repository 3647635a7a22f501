"""What the params of each of the protocol's requests must look like, in either era.

The shapes are those of the protocol's own schemas. They are checked by pydantic_core, compiled
when a request first needs them: a wrong shape is answered before anything else is looked at.
Knows nothing of what a method does.
"""

from functools import cache
from typing import Any

from pydantic_core import SchemaValidator, ValidationError

from appfunctions_mcp.server.eras import (
    CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    LOG_LEVEL_KEY,
    LOG_LEVELS,
    VERSION_KEY,
    Era,
    Params,
)
from appfunctions_mcp.server.protocol_errors import INVALID_PARAMS, ProtocolError

_Shape = dict[str, Any]

_TEXT: _Shape = {"type": "str"}
_FLAG: _Shape = {"type": "bool"}
_OBJECT: _Shape = {"type": "dict"}
_TOKEN: _Shape = {"type": "union", "choices": [_TEXT, {"type": "int"}]}
_MEDIA = ("image", "audio")
_LEVEL: _Shape = {"type": "literal", "expected": list(LOG_LEVELS)}


def check_params(era: Era, method: str, params: Params) -> dict[str, Any]:
    """Checks the params of a request; those of a method without a known shape pass.

    Args:
        era: Whose shapes hold.
        method: The method of the request.
        params: As they came.

    Returns:
        The known members, in their types.

    Raises:
        ProtocolError: They have the wrong shape.
    """
    validator = _validator(era, method)
    if validator is None or (params is None and (era, method) in _OPTIONAL):
        return {}
    try:
        known: dict[str, Any] = validator.validate_python(params)
    except ValidationError:
        raise ProtocolError(INVALID_PARAMS, "Invalid request parameters", "") from None
    return known


@cache
def _validator(era: Era, method: str) -> SchemaValidator | None:
    shape = _shapes(era).get(method)
    return None if shape is None else SchemaValidator(shape)


def _shapes(era: Era) -> dict[str, _Shape]:
    return _handshake_shapes() if era == "handshake" else _modern_shapes()


_LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
_OPTIONAL = {("handshake", m) for m in ("ping", *_LISTS)}
"""Where the params may be absent altogether."""


def _members(required: dict[str, _Shape], **optional: _Shape) -> _Shape:
    """An object with some members, each of the optional ones null or absent; others pass."""
    fields = {n: {"type": "typed-dict-field", "schema": s} for n, s in required.items()}
    for name, shape in optional.items():
        fields[name] = _absent_or(_or_null(shape))
    return {"type": "typed-dict", "fields": fields, "extra_behavior": "ignore"}


def _absent_or(shape: _Shape) -> _Shape:
    return {"type": "typed-dict-field", "schema": shape, "required": False}


def _or_null(shape: _Shape) -> _Shape:
    return {"type": "nullable", "schema": shape}


def _list_of(shape: _Shape) -> _Shape:
    return {"type": "list", "items_schema": shape}


def _map_of(shape: _Shape) -> _Shape:
    return {"type": "dict", "keys_schema": _TEXT, "values_schema": shape}


def _handshake_shapes() -> dict[str, _Shape]:
    meta = _members({}, progressToken=_TOKEN)
    served = _served_meta(meta)
    page = _members({}, _meta=meta, cursor=_TEXT)
    uri = _members({"uri": _TEXT}, _meta=meta)
    task = _members({}, ttl={"type": "int"})
    client = {"protocolVersion": _TEXT, "capabilities": _capabilities(), "clientInfo": _CLIENT}
    return {
        "initialize": _members(client, _meta=served),
        "ping": _members({}, _meta=served),
        "logging/setLevel": _members({"level": _LEVEL}, _meta=served),
        "tools/call": _members({"name": _TEXT}, _meta=meta, arguments=_OBJECT, task=task),
        "prompts/get": _members({"name": _TEXT}, _meta=meta, arguments=_map_of(_TEXT)),
        "completion/complete": _completion({}, _meta=meta),
        "resources/read": uri,
        "resources/subscribe": uri,
        "resources/unsubscribe": uri,
        **dict.fromkeys(_LISTS, page),
    }


def _modern_shapes() -> dict[str, _Shape]:
    meta = _members(
        {VERSION_KEY: _TEXT, CAPABILITIES_KEY: _modern_capabilities()},
        **{CLIENT_INFO_KEY: _CLIENT, LOG_LEVEL_KEY: _LEVEL, "progressToken": _TOKEN},
    )
    served = {"_meta": _served_meta(meta)}
    either = {"_meta": meta}
    answers = {"inputResponses": _map_of(_answer()), "requestState": _TEXT}
    page = _members(either, cursor=_TEXT)
    wanted = _members(
        {},
        toolsListChanged=_FLAG,
        promptsListChanged=_FLAG,
        resourcesListChanged=_FLAG,
        resourceSubscriptions=_list_of(_TEXT),
    )
    return {
        "server/discover": _members(served),
        "subscriptions/listen": _members({**served, "notifications": wanted}),
        "tools/call": _members({**either, "name": _TEXT}, arguments=_OBJECT, **answers),
        "prompts/get": _members({**either, "name": _TEXT}, arguments=_map_of(_TEXT), **answers),
        "completion/complete": _completion(either),
        "resources/read": _members({**either, "uri": _TEXT}, **answers),
        **dict.fromkeys(_LISTS, page),
    }


def _answer() -> _Shape:
    """An answer to a question of the server's: of a user, of a model, or the client's roots."""
    value = _either(_list_of(_TEXT), _TEXT, {"type": "int"}, {"type": "float"}, _FLAG)
    action: _Shape = {"type": "literal", "expected": ["accept", "cancel", "decline"]}
    filled_in = _members({"action": action}, content=_map_of(_or_null(value)))
    roots = _members({"roots": _list_of(_members({"uri": _TEXT}, name=_TEXT))})
    role: _Shape = {"type": "literal", "expected": ["assistant", "user"]}
    block = _either(
        _members({"type": _just("text"), "text": _TEXT}),
        *(_members({"type": _just(k), "data": _TEXT, "mimeType": _TEXT}) for k in _MEDIA),
        _members({"type": _just("tool_use"), "id": _TEXT, "name": _TEXT, "input": _OBJECT}),
        _members({"type": _just("tool_result"), "toolUseId": _TEXT}),
    )
    content = _either(block, _list_of(block))
    sample = _members({"role": role, "model": _TEXT, "content": content}, stopReason=_TEXT)
    return _either(sample, roots, filled_in)


def _either(*shapes: _Shape) -> _Shape:
    return {"type": "union", "choices": list(shapes)}


def _served_meta(meta: _Shape) -> _Shape:
    """The `_meta` of a method that the server has: a progress token may be absent, never null."""
    fields = {**meta["fields"], "progressToken": _absent_or(_TOKEN)}
    return {**meta, "fields": fields}


def _capabilities() -> _Shape:
    created = {"create": _OBJECT, "createMessage": _OBJECT}
    requests = _members({}, elicitation=_members({}, **created), sampling=_members({}, **created))
    return _members(
        {},
        elicitation=_members({}, form=_OBJECT, url=_OBJECT),
        experimental=_map_of(_OBJECT),
        extensions=_map_of(_OBJECT),
        roots=_members({}, listChanged=_FLAG),
        sampling=_members({}, context=_OBJECT, tools=_OBJECT),
        tasks=_members({}, cancel=_OBJECT, list=_OBJECT, requests=requests),
    )


def _modern_capabilities() -> _Shape:
    return _members(
        {},
        elicitation=_members({}, form=_OBJECT, url=_OBJECT),
        experimental=_map_of(_OBJECT),
        extensions=_map_of(_OBJECT),
        roots=_OBJECT,
        sampling=_members({}, context=_OBJECT, tools=_OBJECT),
    )


def _completion(required: dict[str, _Shape], **optional: _Shape) -> _Shape:
    prompt = _members({"type": _just("ref/prompt"), "name": _TEXT}, title=_TEXT)
    resource = _members({"type": _just("ref/resource"), "uri": _TEXT})
    argument = _members({"name": _TEXT, "value": _TEXT})
    return _members(
        {
            **required,
            "argument": argument,
            "ref": {"type": "union", "choices": [prompt, resource]},
        },
        context=_members({}, arguments=_map_of(_TEXT)),
        **optional,
    )


def _just(text: str) -> _Shape:
    return {"type": "literal", "expected": [text]}


_ICON = _members({"src": _TEXT}, mimeType=_TEXT, sizes=_list_of(_TEXT), theme={
    "type": "literal", "expected": ["light", "dark"],
})  # fmt: skip
_CLIENT = _members(
    {"name": _TEXT, "version": _TEXT},
    title=_TEXT,
    description=_TEXT,
    websiteUrl=_TEXT,
    icons=_list_of(_ICON),
)
