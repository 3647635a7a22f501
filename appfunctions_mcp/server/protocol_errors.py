"""JSON-RPC's error codes, and the exception that becomes such an error.

Imports nothing, since the first answers of a process are made before anything else is imported.
"""

from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
MISSING_CLIENT_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022


class ProtocolError(Exception):
    """A request that is answered with a JSON-RPC error; no model sees it as a result.

    Args:
        code: JSON-RPC's number.
        message: What was wrong.
        data: More of it.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
