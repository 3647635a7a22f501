"""All rules: which of them apply, and what they find.

Each module of this package whose name begins with `rules_` holds some of them, as `RULES`. They
are imported when somebody asks for rules, not before.
"""

import importlib
import pkgutil
from collections.abc import Iterator, Sequence

from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.lint.rules import Fault, Finding, FunctionRule, Rule, SetRule
from appfunctions_mcp.lint.subjects import LintSubject
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted

__all__ = ["PROFILES", "AnyRule", "all_rules", "findings_in", "selected_rules"]

AnyRule = FunctionRule | SetRule

PROFILES = ("guidelines", "skill")
"""Google's quality guidelines, and the text that its coding agents follow; they disagree."""


def all_rules() -> tuple[AnyRule, ...]:
    """Every rule, by id.

    Raises:
        ValueError: Two rules have one id, or one name.
    """
    package = importlib.import_module(__name__.rpartition(".")[0])
    found: list[AnyRule] = []
    for module in pkgutil.iter_modules(package.__path__):
        if module.name.startswith("rules_"):
            found += importlib.import_module(f"{package.__name__}.{module.name}").RULES
    _require_unique([each.rule.id for each in found])
    _require_unique([each.rule.name for each in found])
    return tuple(sorted(found, key=lambda each: each.rule.id))


def _require_unique(words: Sequence[str]) -> None:
    twice = sorted({word for word in words if words.count(word) > 1})
    if twice:
        raise ValueError(f"more than one rule is called {', '.join(twice)}; rename all but one")


def selected_rules(
    rules: Sequence[AnyRule],
    *,
    profile: str = "guidelines",
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> tuple[AnyRule, ...]:
    """The rules that apply.

    Args:
        rules: Those that there are.
        profile: One of `PROFILES`.
        select: Ids, beginnings of ids such as `AF1`, or names; without any, every rule that
            applies by default in the profile.
        ignore: The same for rules that do not apply.

    Raises:
        SettingsError: Something names no rule, or none is left.
    """
    if profile not in PROFILES:
        raise SettingsError(
            f"there is no profile {quoted(profile)}; accepted is {' or '.join(PROFILES)}"
        )
    for word in (*select, *ignore):
        _require_known(word, rules)
    wanted = [
        each
        for each in rules
        if (_is_meant(each.rule, select) if select else _is_usual(each.rule, profile))
    ]
    left = tuple(each for each in wanted if not _is_meant(each.rule, ignore))
    if not left:
        raise SettingsError("no rule is left to apply; ignore fewer of those that are selected")
    return left


def _is_usual(rule: Rule, profile: str) -> bool:
    return rule.is_default and profile in rule.profiles


def _is_meant(rule: Rule, words: Sequence[str]) -> bool:
    return any(rule.name == word or rule.id.startswith(word.upper()) for word in words if word)


def _require_known(word: str, rules: Sequence[AnyRule]) -> None:
    if any(_is_meant(each.rule, [word]) for each in rules):
        return
    known = [text for each in rules for text in (each.rule.id, each.rule.name)]
    near = nearest_names(word, known, limit=1)
    hint = f"; perhaps {near[0]}" if near else ""
    raise SettingsError(
        f"there is no rule {quoted(word)}{hint}; accepted is an id, the beginning of one such as "
        "AF1, or a name such as description-missing"
    )


def findings_in(subject: LintSubject, rules: Sequence[AnyRule]) -> tuple[Finding, ...]:
    """What rules find, in the order of the functions, what matters most first.

    What is about the app or the whole set comes before what is about single functions.

    Args:
        subject: What is judged.
        rules: Those that apply.
    """
    found = [finding for each in rules for finding in _findings_of(each, subject)]
    order = {function.function_id: place for place, function in enumerate(subject.functions)}
    found.sort(key=lambda f: (order.get(f.function_id, -1), -f.severity, f.rule.id))
    return tuple({(f.rule.id, f.function_id, f.fault): f for f in found}.values())


def _findings_of(each: AnyRule, subject: LintSubject) -> Iterator[Finding]:
    if isinstance(each, SetRule):
        by_id = {function.function_id: function for function in subject.functions}
        for function_id, fault in each.check(subject):
            yield _finding(each.rule, fault, function_id, by_id.get(function_id), subject)
        return
    for function in subject.functions:
        for fault in each.check(function, subject):
            yield _finding(each.rule, fault, function.function_id, function, subject)


def _finding(
    rule: Rule,
    fault: Fault,
    function_id: str,
    function: AppFunctionMetadata | None,
    subject: LintSubject,
) -> Finding:
    if function is None:
        return Finding(rule, fault, function_id, "", fault.source or subject.instructions_source)
    source = fault.source or function.source
    return Finding(rule, fault, function_id, function.tool_name, source)
