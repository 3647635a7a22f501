"""The rules of a request for Gemini's generateContent, as Google documents and enforces them.

The content behind a model's turn with calls holds exactly their responses. Members are read in
both spellings, `functionCall` and `function_call`, as the API reads them.
"""

from collections.abc import Mapping
from typing import Any

from appfunctions_mcp.formats.gemini.part_rules import check_part, member, parts_of
from appfunctions_mcp.formats.gemini.turn_rules import check_signatures, check_turns
from appfunctions_mcp.formats.model_format import Violation
from appfunctions_mcp.formats.rule_parts import Findings, at, objects, one_of, shown

__all__ = ["request_violations"]

_ROLES = ("user", "model", "function")
_MODES = ("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED")
_RESTRICTED = ("ANY", "VALIDATED")
Json = Mapping[str, Any]


def request_violations(body: Mapping[str, Any], *, model: str = "") -> list[Violation]:
    """Where a request for generateContent breaks a documented rule.

    Args:
        body: The request.
        model: The model that it goes to, which stands in the address and not in the body. Those
            from Gemini 3 on want the signature of a call back; without a model, it is wanted
            where another call of the same turn has one.
    """
    from appfunctions_mcp.formats.gemini.tool_rules import tool_violations

    findings = Findings()
    if not findings.is_object(body, "", "the request"):
        return findings.violations
    contents = body.get("contents")
    listed = [contents] if isinstance(contents, Mapping) else contents
    if findings.is_list(listed, "/contents", "the member 'contents'"):
        for i, content in enumerate(listed):
            if findings.is_object(content, at("/contents", i), "the content"):
                _check_content(at("/contents", i), content, findings)
        turns = list(objects(listed))
        check_turns(turns, findings)
        check_signatures(turns, model, findings)
    _check_system(member(body, "systemInstruction"), findings)
    tools = body.get("tools")
    tools = [tools] if isinstance(tools, Mapping) else tools
    if tools:
        findings.add_below("/tools", tool_violations(tools))
    _check_choice(member(body, "toolConfig"), _declared(tools), findings)
    return findings.violations


def _check_content(path: str, content: Json, findings: Findings) -> None:
    role = content.get("role", "user")
    if role not in _ROLES:
        text = f"the role is {shown(role)}; accepted are 'user' and 'model'."
        findings.add(at(path, "role"), "role", text)
    if not findings.is_list(content.get("parts"), at(path, "parts"), "the member 'parts'"):
        return
    for i, part in enumerate(content["parts"]):
        if findings.is_object(part, at(path, "parts", i), "the part"):
            check_part(at(path, "parts", i), part, str(role), findings)
    if all(_is_empty(part) for _, part in parts_of(content)):
        text = "all parts are empty text; one with content or a signature is accepted."
        findings.add(at(path, "parts"), "content", text)


def _is_empty(part: Json) -> bool:
    return part.get("text") == "" and not member(part, "thoughtSignature")


def _check_system(system: Any, findings: Findings) -> None:
    if system is None:
        return
    path = "/systemInstruction"
    if not findings.is_object(system, path, "the system instruction"):
        return
    if not findings.is_list(system.get("parts"), at(path, "parts"), "the member 'parts'"):
        return
    for i, part in enumerate(system["parts"]):
        text = part.get("text") if isinstance(part, Mapping) else None
        findings.is_text(at(path, "parts", i, "text"), text, "part", "the text")


def _declared(tools: Any) -> list[str]:
    return [
        str(declaration.get("name"))
        for _, tool in objects(tools)
        for _, declaration in objects(member(tool, "functionDeclarations"))
    ]


def _check_choice(settings: Any, declared: list[str], findings: Findings) -> None:
    choice = member(settings, "functionCallingConfig") if isinstance(settings, Mapping) else None
    if not isinstance(choice, Mapping):
        return
    path = "/toolConfig/functionCallingConfig"
    mode, names = choice.get("mode", "MODE_UNSPECIFIED"), member(choice, "allowedFunctionNames")
    if not declared:
        text = "the request says how functions are called and declares none; both or none."
        findings.add(path, "choice-without-tools", text)
    elif mode not in _MODES:
        text = f"the mode is {shown(mode)}; accepted are {one_of(_MODES)}."
        findings.add(at(path, "mode"), "choice", text)
    elif names and mode not in _RESTRICTED:
        text = f"names are allowed in the mode {shown(mode)}; {one_of(_RESTRICTED)} take names."
        findings.add(at(path, "allowedFunctionNames"), "choice", text)
    if names is None or not declared:
        return
    if not findings.is_list(names, at(path, "allowedFunctionNames"), "the list of names"):
        return
    for i, name in enumerate(names):
        if name not in declared:
            text = f"the name is {shown(name)}; declared are {one_of(declared)}."
            findings.add(at(path, "allowedFunctionNames", i), "choice", text)
