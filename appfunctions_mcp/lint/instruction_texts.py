# ruff: noqa: RUF001 - Russian words look like English ones
"""What a text says to turn an agent against its own instructions, its user, or other functions.

Also where it is written in base64, which models read and people do not. Knows no rule.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from appfunctions_mcp.lazy_regex import regex

__all__ = ["AGENT_RULES", "EXFILTRATES", "override_in", "shadowing_in"]

_SUBJECTS = r"(?:instructions?|prompts?|rules?|guidelines?|policies)"
_OVERRIDES = regex(
    r"\b(?:ignore|disregard|forget|bypass)\s+(?:(?:all|any|the|your|of|my)\s+){0,3}"
    r"(?:previous|prior|above|earlier|preceding|other|system|safety|original)\s+(?:\w+\s+)?"
    + _SUBJECTS
    + r"|\b(?:ignore|disregard)\s+(?:\w+\s+){0,3}?"
    + _SUBJECTS
    + r"\s+(?:above|before|below|from\s+the\s+(?:user|system|developer))\b"
    r"|\b(?:ignore|disregard)\s+(?:all|any|your|every)\s+(?:instructions?|prompts?|guidelines?)\b"
    r"|\b(?:ignore|disregard)\s+the\s+user(?:'s|s)?\s+(?:request|wish|instruction|question|message)"
    r"|\b(?:override|bypass|circumvent|disable)\s+your\s+(?:\w+\s+)?(?:" + _SUBJECTS + r"|filters?)"
    r"|\bforget\s+(?:everything|all|what)\s+(?:that\s+)?you\s+(?:were|know|have|learned)\b"
    r"|\b(?:reveal|repeat)\s+(?:the\s+|your\s+)?(?:system\s+prompt|"
    r"hidden\s+instructions?)|\byou\s+are\s+now\s+(?:an?|in)\s+(?:\w+\s+){0,3}?(?:assistant|agent|"
    r"mode|expert|bot|ai|administrator)\b|\bnew\s+(?:system\s+)?instructions?\s*:"
    r"|\bdo\s+anything\s+now\b|(?:^|[.!\n])[ \t]{0,20}(?:system|assistant)\s*:\s*you\b"
    r"|\b(?:without|never|don['’]t|do\s+not|must\s+not)\s+(?:\w+\s+){0,2}?(?:tell|telling|inform|"
    r"informing|mention|mentioning|reveal|revealing)\s+(?:(?:this|it|that|anything)\s+)?(?:to\s+)?"
    r"the\s+user\b"
    r"|\b(?:keep|hide|conceal)\s+(?:this|it|that)\s+(?:\w+\s+)?from\s+the\s+user\b"
    r"|<\s*/?\s*(?:important|system|instructions?)\s*>"
    r"|<\|(?:im_start|im_end|system|user|assistant)\|>|\[/?(?:INST|SYS)\]"
    r"|\bигнорируй(?:те)?\s+(?:все\s+)?(?:предыдущ|прежн|остальн|системн)\w+\s+\w+"
    r"|\bзабудь(?:те)?\s+(?:все\s+)?(?:предыдущ|прежн)\w+"
    r"|\bне\s+(?:говори|сообщай|рассказывай|упоминай)(?:те)?\s+(?:об\s+этом\s+)?пользовател\w+"
    r"|\bскрой(?:те)?\s+(?:это|эту|его)\s+от\s+пользовател\w+"
    r"|\bнов(?:ая|ые)\s+(?:системн\w+\s+)?(?:инструкци|указани)\w+\s*:",
    re.IGNORECASE,
)
AGENT_RULES = regex(
    r"\b(?:originally|previously)\s+you\s+(?:did|were|had|could)\b|\byou\s+(?:were|are)\s+"
    r"(?:advised|told|instructed|trained|allowed)\s+(?:to|not)\b|\bnow\s+grants\s+you\b|"
    r"\byou\s+now\s+have\s+(?:access|permission)\b|\b(?:your|the)\s+(?:default|built[- ]in)\s+"
    r"(?:behaviour|behavior|instructions?|knowledge)\s+(?:is|are|must|should)\b"
    r"|\bact\s+as\s+(?:an?\s+|the\s+)?(?:administrator|admin|root|system)\b|\bpretend\s+(?:that|you)\b"
    r"|[.!;]\s+(?:skip|bypass)\s+(?:the\s+|any\s+)?(?:user(?:'s)?\s+)?(?:confirmation|approval|consent)\b"
    r"|\bвед(?:и|ите)\s+себя\s+как\b",
    re.IGNORECASE,
)
"""What tells an agent who it is, or what it may."""
_PRIVATE = (
    r"(?:~/\.(?:ssh|aws|gnupg|netrc|kube|cursor|claude|docker|npmrc)\b|\bid_rsa\b"
    r"|/etc/(?:passwd|shadow)\b|\bcontents?\s+of\s+(?:the\s+)?\.env\b)"
)
_HAND_OVER = r"\b(?:include|pass|provide|attach|put|send)\b"
EXFILTRATES = regex(
    r"\b(?:include|pass|provide|copy|attach|put)\s+(?:\w+\s+){0,3}?"
    r"(?:(?:full|entire|whole|complete)\s+)?(?:conversation|chat)\s+(?:history|log|so\s+far)"
    r"|\b(?:include|pass|provide|copy|attach|put|send)\s+your\s+(?:full|entire|whole|complete)\s+"
    r"(?:context|conversation|memory|prompt)\b"
    r"|\bconversation\s+(?:history|log)\s+(?:must|should|has\s+to)\b"
    rf"|{_HAND_OVER}[^.\n]{{0,60}}?{_PRIVATE}|{_PRIVATE}[^\n]{{0,80}}?{_HAND_OVER}"
    r"|\bsystem\s+prompt\s+(?:as|in|into|of\s+the\s+(?:model|assistant))\b",
    re.IGNORECASE,
)
"""What asks for what a function has no business with."""
_OTHERS = (
    r"(?:\w+\s+)?(?:other|built[- ]in|native|default|standard)\s+(?:\w+\s+)?"
    r"(?:tools?|functions?|commands?)\b"
)
_SNAKE_NAME = r"['\"`]?\b(?P<{0}>[a-z]\w*_\w+)\b['\"`]?"
_SHADOWS = regex(
    r"\b(?:instead\s+of|rather\s+than|over|replaces?|in\s+place\s+of)\s+(?:using\s+)?(?:the\s+)?"
    r"(?:['\"`]\w+[_-][\w-]+['\"`](?!\s*(?:parameter|argument|field|value|property))|"
    + _OTHERS
    + r"|"
    r"(?:analysis|REPL|search|web|bash|shell|terminal|file)\s*(?:/\w+)?\s+tools?)"
    r"|\b(?:instead\s+of|rather\s+than|in\s+place\s+of|replaces?)\s+(?:using\s+|calling\s+)?(?:the\s+)?"
    + _SNAKE_NAME.format("replaced")
    + r"|\bwhen(?:ever)?\s+(?:the\s+)?"
    + _SNAKE_NAME.format("called")
    + r"\s+(?:tool\s+|function\s+)?is\s+(?:called|invoked)\b"
    r"|\bbefore\s+(?:using|calling|invoking)\s+(?:the\s+)?"
    + _SNAKE_NAME.format("later")
    + r"|\b(?:supersedes?|takes?\s+precedence\s+over|overrides?)\s+(?:all|any|every)\s+"
    r"(?:other\s+)?(?:tool|function)s?\b"
    r"|\bother\s+(?:\w+\s+)?(?:tools?|functions?)\s+(?:are|is)\s+(?:deprecated|broken|obsolete|unsafe|"
    r"unreliable|disabled)\b"
    r"|\b(?:never(?:\s+ever)?:?|do\s+not|don['’]t|cannot|instead\s+of)\s+use\s+(?:(?:the|any|all)"
    r"\s+)?(?:\w+(?:/\w+)?\s+)?(?:other\s+)?tools?\b(?!\s+(?:to|when|if|unless|for|with|on|in)\b)"
    r"|\bbefore\s+(?:using|calling)\s+any\s+other\s+(?:tool|function)"
    r"|\b(?:the\s+)?(?:only|primary)\s+(?:correct\s+)?tool\s+(?:for|to)\b"
    r"|\b(?:always\s+)?prefer\s+(?:this|it)(?:\s+(?:tool|function))?\s+(?:over|to|instead)\b"
    r"|\bвместо\s+(?:других\s+)?(?:функци|инструмент)\w+"
    r"|\b(?:остальн|друг|проч)\w+\s+(?:инструмент|функци)\w+\s+(?:устаре|слома|не\s+работа)\w+"
    r"|\bне\s+используй(?:те)?\s+(?:другие|другой|остальные)\s+(?:инструмент|функци)\w+",
    re.IGNORECASE,
)
_BASE64 = regex(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,4000}={0,2}")
_MOST_DECODED = 100


def override_in(text: str) -> str:
    """The words of a text that work against the agent's instructions; empty without any.

    Args:
        text: Any text that reaches a model.
    """
    found = _OVERRIDES.search(text)
    if found is not None:
        return found[0].strip(" \n.!")
    for written, decoded in _decoded_in(text):
        if _OVERRIDES.search(decoded) or EXFILTRATES.search(decoded):
            return written
    return ""


def _decoded_in(text: str) -> Iterator[tuple[str, str]]:
    """The texts that stand in a text in base64, each with how it is written there."""
    for count, found in enumerate(_BASE64.finditer(text)):
        if count == _MOST_DECODED:
            return
        plain = found[0].rstrip("=").replace("-", "+").replace("_", "/")
        try:
            decoded = base64.b64decode(plain + "=" * (-len(plain) % 4)).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue  # a long word, or other data
        yield found[0], decoded


def shadowing_in(text: str, is_known: Callable[[str], bool]) -> str:
    """The words of a description that draw calls away from other functions; empty without any.

    Args:
        text: The description.
        is_known: Whether a name is no foreign function, but one of its server, or a parameter.
    """
    for found in _SHADOWS.finditer(text):
        named = found["replaced"] or found["called"] or found["later"]
        if named is None or not is_known(named):
            return found[0]
    return ""
