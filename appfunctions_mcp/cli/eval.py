"""`appfunctions-mcp eval`: how well functions are reached by what users say."""

import argparse
import asyncio
import fnmatch
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from appfunctions_mcp.cli.arguments import DEFAULT_FILES, add_service_arguments
from appfunctions_mcp.cli.lint_targets import Target, open_target
from appfunctions_mcp.cli.opening import read_settings
from appfunctions_mcp.cli.output import modules_print_on_stderr, print_json
from appfunctions_mcp.exceptions import SettingsError
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted

if TYPE_CHECKING:
    from appfunctions_mcp.assistant.models import Model
    from appfunctions_mcp.lint.evaluation import Evaluation, Outcome
    from appfunctions_mcp.lint.utterances import Utterance

USAGE = "[FILE] [UTTERANCES]"
SUMMARY = (
    "Tells which functions what users say would reach: by the functions' texts, or with --provider "
    "by a real model, which executes nothing."
)
EXAMPLE = """appfunctions-mcp eval metadata/app_metadata.xml --html report.html
         appfunctions-mcp eval tools.json utterances.yaml
         appfunctions-mcp eval --provider openai:gpt-5.5 --at-least 90"""

UTTERANCES = "utterances.yaml"
"""Looked for beside the metadata file."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds FILE, UTTERANCES and the options of the command."""
    add = parser.add_argument
    words = f"what lint takes as FILE, and YAML (default: {UTTERANCES} beside FILE)"
    add("words", nargs="*", metavar="FILE UTTERANCES", help=words)
    add("--command", metavar="COMMAND", help="the MCP server that this starts, in place of FILE")
    add("--url", metavar="URL", help="the MCP server at this address, in place of FILE")
    add("--name", metavar="NAME", help="what the server is called")
    add("--only", action="append", metavar="GLOB", help="only these tool names or ids (repeatable)")
    add("--provider", metavar="PROVIDER:MODEL", help="let this model choose, as chat names it")
    add("--base-url", metavar="URL", help="another server that speaks as the provider does")
    add("--limit", metavar="COUNT", help="ask only so many of the utterances, spread evenly")
    add("--json", action="store_true", help="print JSON")
    add("--html", metavar="PAGE", help="write one HTML page too")
    add("--at-least", metavar="PERCENT", help="exit code 1 where fewer are reached at once")
    add_service_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Evaluates; exit code 1 below --at-least, or where a server or provider is not there."""
    from appfunctions_mcp.lint.targets import TargetError

    if args.base_url is not None and args.provider is None:
        raise SettingsError("--base-url has no effect alone; give --provider PROVIDER:MODEL too")
    args.file, utterances = _split(args.words)
    least = _number(args.at_least, "--at-least", 0, 100)
    most = _number(args.limit, "--limit", 1, 99_999)
    if utterances is None and (args.command is not None or args.url is not None):
        raise SettingsError("give UTTERANCES, a YAML file, beside the server")
    try:
        with modules_print_on_stderr(), open_target(args) as target:
            for warning in target.warnings:
                print(f"warning: {warning}", file=sys.stderr)
    except TargetError as unreachable:
        for line in unreachable.faults:
            print(line, file=sys.stderr)
        return 1
    evaluation, fault = _evaluated(args, target, utterances or _beside(args), most)
    if evaluation.outcomes:
        _report(args, evaluation, target.subject.server_name or target.name)
    if fault:
        print(fault, file=sys.stderr)
        return 1
    return 0 if _reached(evaluation) >= least else 1


def _split(words: list[str]) -> tuple[str | None, Path | None]:
    """FILE and UTTERANCES; a single word is what its ending says."""
    if len(words) > 2:
        raise SettingsError(f"{quoted(words[2])} is one word too many; give FILE and UTTERANCES")
    *before, last = words or [""]
    if before or last.endswith((".yaml", ".yml")):
        return (before[0] if before else None), Path(last)
    return last or None, None


def _beside(args: argparse.Namespace) -> Path:
    """Where the utterances are that nobody has named."""
    given = Path(args.file or read_settings(args).file or ".")
    if not given.is_dir():
        return given.parent / UTTERANCES
    found = [given / place for place in DEFAULT_FILES if (given / place).is_file()]
    return (found[0].parent if found else given) / UTTERANCES


def _evaluated(
    args: argparse.Namespace, target: Target, path: Path, most: int
) -> "tuple[Evaluation, str]":
    """The evaluation of so many utterances, 0 for all, and why it is not whole."""
    from appfunctions_mcp.lint.evaluation import evaluate_texts
    from appfunctions_mcp.lint.utterances import read_utterances

    # With those that are switched off: their texts too have to tell them from the others.
    functions = _chosen(target.subject.functions, args.only)
    if not functions:
        raise SettingsError(f"{quoted(target.name)} has no function that could be reached")
    utterances = _spread(read_utterances(path), most)
    if args.provider is None:
        return evaluate_texts(functions, utterances), ""
    from appfunctions_mcp.assistant.providers.named import model_named

    model = model_named(args.provider, base_url=args.base_url)
    system = target.subject.instructions
    return asyncio.run(_asked(model, args.provider, functions, utterances, system))


def _spread(utterances: "list[Utterance]", most: int) -> "list[Utterance]":
    """So many of a list, of its beginning, middle and end, in its order."""
    if not most or most >= len(utterances):
        return utterances
    return [utterances[place * len(utterances) // most] for place in range(most)]


def _chosen(
    functions: Sequence[AppFunctionMetadata], only: list[str] | None
) -> list[AppFunctionMetadata]:
    """The functions that are asked for, each name once."""
    wanted = [
        each
        for each in functions
        if only is None
        or any(
            fnmatch.fnmatchcase(name, glob)
            for name in (each.tool_name, each.function_id)
            for glob in only
        )
    ]
    return list({each.tool_name: each for each in wanted}.values())


async def _asked(
    model: "Model",
    name: str,
    functions: Sequence[AppFunctionMetadata],
    utterances: "Sequence[Utterance]",
    system: str,
) -> "tuple[Evaluation, str]":
    from appfunctions_mcp.assistant.models import ClosingModel
    from appfunctions_mcp.cli.eval_model import evaluate_model

    is_shown = sys.stderr.isatty()
    done: list[Outcome] = []

    def show(outcome: "Outcome") -> None:
        done.append(outcome)
        if is_shown:
            print(f"\r{len(done)} of {len(utterances)}", end="", file=sys.stderr, flush=True)

    try:
        return await evaluate_model(
            model, name, functions, utterances, system=system, on_outcome=show
        )
    finally:
        if is_shown and done:
            print(file=sys.stderr)
        if isinstance(model, ClosingModel):
            await model.close()


def _report(args: argparse.Namespace, evaluation: "Evaluation", name: str) -> None:
    if args.html is not None:
        from appfunctions_mcp.lint.evaluation_page import evaluation_page

        try:
            Path(args.html).write_text(evaluation_page(evaluation, name), encoding="utf-8")
        except OSError as fault:
            raise SettingsError(f"--html {args.html}: {fault.strerror or fault}") from fault
    if args.json:
        from appfunctions_mcp.lint.evaluation_json import evaluation_as_json

        print_json(evaluation_as_json(evaluation))
        return
    from appfunctions_mcp.cli.eval_text import print_evaluation

    print_evaluation(evaluation, name)


def _reached(evaluation: "Evaluation") -> float:
    """How many percent are right: reached at once, with a model with their arguments too."""
    right = sum(outcome.is_right for outcome in evaluation.outcomes)
    return 100 * right / len(evaluation.outcomes)


def _number(text: str | None, option: str, least: int, most: int) -> int:
    """The whole number that an option was given, 0 where it was not."""
    if text is None:
        return 0
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if not is_number or not least <= int(text) <= most:
        raise SettingsError(f"{option}: {quoted(text)}; give a whole number from {least} to {most}")
    return int(text)
