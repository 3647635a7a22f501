"""How many tokens a text costs a model, estimated without any model's own tokenizer.

Tokenizers cut common words whole, long and rare ones into pieces, numbers by three digits, and
marks one by one or in common pairs; other scripts cost more. What is counted here is within a
fifth of what the tokenizers of large models give for tools. Knows no rule.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from appfunctions_mcp.lazy_regex import regex
from appfunctions_mcp.metadata import AppFunctionMetadata

__all__ = ["function_tokens", "tokens_of"]

_PIECE = regex(r"_?[A-Za-z]+|[\u0400-\u04ff]+|\d{1,3}|\s+|[^\w\s]{1,4}|_|[^\W\d_]|.")
_LATIN_LETTERS_A_TOKEN = 8
_CYRILLIC_LETTERS_A_TOKEN = 4


@lru_cache(maxsize=1024)
def tokens_of(text: str) -> int:
    """How many tokens a text costs, about.

    Args:
        text: Any text.
    """
    return sum(map(_cost, _PIECE.findall(text)))


def _cost(piece: str) -> int:
    first = piece[0]
    if first.isspace():
        # A blank goes with the word behind it; a line break, or many blanks, is a token.
        return 0 if piece == " " else 1
    if piece.isascii() and piece[-1].isalpha():
        return -(-len(piece) // _LATIN_LETTERS_A_TOKEN)
    if "\u0400" <= first <= "\u04ff":
        return -(-len(piece) // _CYRILLIC_LETTERS_A_TOKEN)
    return 1


def function_tokens(function: AppFunctionMetadata) -> int:
    """How many tokens a function costs in each request, about: name, description, parameters.

    What it returns is not counted, since most clients do not show it to the model.

    Args:
        function: In the form that a model gets it.
    """
    tool: Mapping[str, Any] = {
        "name": function.tool_name,
        "description": function.description,
        "input_schema": function.input_schema,
    }
    return tokens_of(json.dumps(tool, ensure_ascii=False, separators=(",", ":"), default=str))
