"""Questions to the plain dictionaries that go over MCP, and the check of what comes back.

Pure functions, for every engine. Knows nothing of connections, nor of what an answer means.
"""

import base64
from collections.abc import Iterable, Mapping
from typing import Any

from appfunctions_mcp.context import MissingClientCapabilityException
from appfunctions_mcp.exceptions import AppFunctionDeniedException, AppFunctionException
from appfunctions_mcp.media import is_mime_type
from appfunctions_mcp.questions import (
    Question,
    RootsRequest,
    SampleRequest,
    UserQuestion,
)
from appfunctions_mcp.quoting import as_it_is_read, quoted
from appfunctions_mcp.server.protocol_errors import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    ProtocolError,
)
from appfunctions_mcp.server.wire import Json, modern_result
from appfunctions_mcp.server.wire_media import content_block

CAPABILITIES = ("elicitation", "sampling", "roots")
"""The client capabilities that questions need."""

_ACTIONS = ("accept", "decline", "cancel")
_MEDIA = {"image": "image/", "audio": "audio/"}


def askable(capabilities: Mapping[str, Any]) -> frozenset[str]:
    """The kinds of questions that a client takes.

    Args:
        capabilities: What the client has declared; `elicitation` that names modes, but not
            `form`, is of no use for a form.
    """
    return frozenset(name for name in CAPABILITIES if _is_declared(name, capabilities.get(name)))


def question_request(question: Question) -> Json:
    """The MCP request that a question is: its method and params."""
    if isinstance(question, UserQuestion):
        params = {
            "message": as_it_is_read(question.message),
            "requestedSchema": dict(question.schema),
        }
        return {"method": "elicitation/create", "params": params}
    if isinstance(question, SampleRequest):
        return {"method": "sampling/createMessage", "params": _sampling_params(question)}
    return {"method": "roots/list", "params": {}}


def answer_fault(question: Question, answer: object) -> str | None:
    """What is wrong with an answer's shape; None where it has the one of its question."""
    if not isinstance(answer, dict):
        return f"it is of the kind {type(answer).__name__}; an object is accepted"
    if isinstance(question, UserQuestion):
        return _elicitation_fault(answer)
    if isinstance(question, RootsRequest):
        return _roots_fault(answer.get("roots"))
    return _sample_fault(answer)


def read_answers(params: Mapping[str, Any] | None) -> dict[str, Json]:
    """The answers to questions of an earlier round; those to none are left out in time.

    Raises:
        ProtocolError: They are no objects by key.
    """
    answers = (params or {}).get("inputResponses")
    if answers is None:
        return {}
    if not isinstance(answers, dict) or not all(isinstance(a, dict) for a in answers.values()):
        raise ProtocolError(
            INVALID_PARAMS, "Invalid params: inputResponses must be an object of objects"
        )
    return answers


def read_state(params: Mapping[str, Any] | None) -> str | None:
    """The sealed state of an earlier round, None where there is none.

    Raises:
        ProtocolError: It is no text.
    """
    state = (params or {}).get("requestState")
    if state is not None and not isinstance(state, str):
        raise ProtocolError(INVALID_PARAMS, "Invalid params: requestState must be a string")
    return state


def input_required_result(pending: Mapping[str, Question], state: str, info: Json) -> Json:
    """The modern result that puts questions instead of an answer.

    Args:
        pending: The questions by key.
        state: What the client sends back together with the answers.
        info: What `server_info` returned.
    """
    requests = {key: question_request(question) for key, question in pending.items()}
    result = modern_result({"inputRequests": requests, "requestState": state}, info)
    return {**result, "resultType": "input_required"}


def refused(question: Question, error: object) -> AppFunctionException:
    """What a function gets where a client answers a question with a JSON-RPC error."""
    code = error.get("code") if isinstance(error, dict) else None
    text = error.get("message") if isinstance(error, dict) else None
    if code in (METHOD_NOT_FOUND, INVALID_REQUEST):
        return MissingClientCapabilityException(question.capability)
    said = f": {quoted(text)}" if isinstance(text, str) and text else ""
    return AppFunctionDeniedException(f"the client refused {question.capability}{said}")


def _is_declared(name: str, declared: object) -> bool:
    if declared is None or declared is False:
        return False
    if name != "elicitation" or not isinstance(declared, dict):
        return True
    return not declared or declared.get("form") is not None or "url" not in declared


def _sampling_params(request: SampleRequest) -> Json:
    messages = [{"role": m.role, "content": content_block(m.content)} for m in request.messages]
    hints = [{"name": name} for name in request.hints]
    params: Json = {
        "messages": messages,
        "modelPreferences": {"hints": hints} if hints else None,
        "systemPrompt": request.system,
        "temperature": request.temperature,
        "maxTokens": request.max_tokens,
        "stopSequences": list(request.stop_sequences) or None,
    }
    return {name: value for name, value in params.items() if value is not None}


def _elicitation_fault(answer: Json) -> str | None:
    action, content = answer.get("action"), answer.get("content")
    if action not in _ACTIONS:
        return f"its action is {_shown(action)}; accepted are {', '.join(_ACTIONS)}"
    if content is not None and not isinstance(content, dict):
        return f"its content is of the kind {type(content).__name__}; an object is accepted"
    return None


def _roots_fault(roots: object) -> str | None:
    if not isinstance(roots, list):
        return "it has no list of roots"
    for root in roots:
        if not isinstance(root, dict) or not isinstance(root.get("uri"), str):
            return "a root has no uri"
        if not isinstance(root.get("name"), str | None):
            return "the name of a root is no text"
    return None


def _sample_fault(answer: Json) -> str | None:
    for name in ("role", "model"):
        if not isinstance(answer.get(name), str):
            return f"its {name} is {_shown(answer.get(name))}; a text is accepted"
    if not isinstance(answer.get("stopReason"), str | None):
        return "its stopReason is no text"
    content = answer.get("content")
    blocks: Iterable[object] = content if isinstance(content, list) else [content]
    return next((fault for block in blocks if (fault := _block_fault(block))), None)


def _block_fault(block: object) -> str | None:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or kind not in ("text", *_MEDIA):
        return (
            f"its content has a block of the type {_shown(kind)}; text, image and audio are known"
        )
    if kind == "text":
        return None if isinstance(block.get("text"), str) else "a text block has no text"
    mime_type, encoded = block.get("mimeType"), block.get("data")
    if not is_mime_type(mime_type, _MEDIA[kind]):
        return f"a block has the mimeType {_shown(mime_type)}; {_MEDIA[kind]}… is accepted"
    return None if _is_base64(encoded) else f"the data of a block of the type {kind} is no base64"


def _is_base64(encoded: object) -> bool:
    try:
        base64.b64decode(encoded if isinstance(encoded, str) else "?", validate=True)
    except ValueError:
        return False
    return True


def _shown(value: object) -> str:
    return quoted(value) if isinstance(value, str) else f"of the kind {type(value).__name__}"
