"""Asks a real model each utterance, and takes down which function it calls, and how.

No function is executed: what a model may rightly call first gets the result that the utterance
gives, and the first other call is the model's choice.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

from appfunctions_mcp.assistant.conversation import Conversation
from appfunctions_mcp.assistant.models import Model, ModelRequest, ProviderError
from appfunctions_mcp.formats.argument_fits import Fits
from appfunctions_mcp.formats.exported_tools import ExportedTools
from appfunctions_mcp.formats.messages import FunctionCall, FunctionResult, ModelReply
from appfunctions_mcp.formats.model_format import ReplyError
from appfunctions_mcp.formats.schema_trees import plain_schema
from appfunctions_mcp.lint.evaluation import Evaluation, Outcome, functions_meant
from appfunctions_mcp.lint.expected_arguments import argument_faults
from appfunctions_mcp.lint.utterances import Utterance
from appfunctions_mcp.metadata import AppFunctionMetadata
from appfunctions_mcp.quoting import quoted

__all__ = ["evaluate_model"]

MOST_ROUNDS = 4
"""How often a model may call what it may call before, and still be on its way."""
MOST_AT_ONCE = 4


async def evaluate_model(
    model: Model,
    name: str,
    functions: Sequence[AppFunctionMetadata],
    utterances: Sequence[Utterance],
    *,
    system: str = "",
    on_outcome: Callable[[Outcome], None] = lambda _: None,
) -> tuple[Evaluation, str]:
    """Lets a model choose for each utterance, a few at a time.

    Args:
        model: Who chooses.
        name: What reports call it.
        functions: What it may call.
        utterances: What users say.
        system: What the app tells a model of itself.
        on_outcome: Told of each outcome as soon as it is there.

    Returns:
        The outcomes in the order of the utterances, and why some are missing: the provider refused
        or was gone, after which nothing more is asked. Empty where none is.

    Raises:
        UtterancesError: An utterance names a function that there is none of.
    """
    meant = functions_meant(functions, utterances)
    tools = model.format.export_tools(functions)
    run = _Run(model, tools, {f.tool_name: f for f in functions}, system, on_outcome)
    expected = [function.tool_name for function in meant]
    asked = [run.outcome(*each) for each in zip(utterances, expected, strict=True)]
    outcomes = await asyncio.gather(*asked)
    known = tuple(each for each in outcomes if each is not None)
    fault = run.fault
    if fault:
        fault = f"{fault}; {len(known)} of {len(utterances)} utterances were answered"
    return Evaluation(tuple(functions), known, chosen_by=name), fault


class _Run:
    """The utterances of one evaluation, asked side by side.

    Args:
        model: Who chooses.
        tools: The functions in its form.
        functions: The functions by tool name.
        system: What holds for each conversation.
        on_outcome: Told of each outcome.
    """

    def __init__(
        self,
        model: Model,
        tools: ExportedTools,
        functions: dict[str, AppFunctionMetadata],
        system: str,
        on_outcome: Callable[[Outcome], None],
    ) -> None:
        self.fault = ""
        """Why the provider could not be asked any more; empty while it can."""
        self._model = model
        self._tools = tools
        self._functions = functions
        self._ids = {function.function_id: name for name, function in functions.items()}
        self._system = system
        self._on_outcome = on_outcome
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)

    async def outcome(self, utterance: Utterance, expected: str) -> Outcome | None:
        """What came of an utterance; None where the provider could not be asked."""
        async with self._slots:
            if self.fault:
                return None
            try:
                outcome = await self._asked(utterance, expected)
            except ProviderError as fault:
                self.fault = str(fault)
                return None
            except ReplyError as fault:
                outcome = Outcome(utterance, expected, (), None, note=str(fault))
        self._on_outcome(outcome)
        return outcome

    async def _asked(self, utterance: Utterance, expected: str) -> Outcome:
        conversation = Conversation(self._system)
        conversation.add_user(utterance.text)
        before = {self._ids.get(name, name): r for name, r in utterance.before.items()}
        form = self._model.format
        for _ in range(MOST_ROUNDS):
            history = conversation.history(form.name)
            reply = await self._model.reply(ModelRequest(history, self._tools))
            decisive = [c for c in reply.calls if c.name == expected or c.name not in before]
            if decisive or not reply.calls:
                return self._judged(utterance, expected, reply, decisive)
            conversation.add_reply(reply)
            conversation.add_results([_result(call, before[call.name]) for call in reply.calls])
        last = reply.calls[0].name
        return Outcome(utterance, expected, (last,), None, note=f"it called {last} again and again")

    def _judged(
        self,
        utterance: Utterance,
        expected: str,
        reply: ModelReply,
        decisive: Sequence[FunctionCall],
    ) -> Outcome:
        if not decisive:
            said = (
                f"it said {quoted(reply.text)}" if reply.text else f"it ended: {reply.stop.value}"
            )
            return Outcome(utterance, expected, (), None, note=said)
        first = decisive[0]
        others = [call.name for call in decisive[1:]]
        note = f"it called {', '.join(others)} beside" if others else ""
        if first.name != expected:
            return Outcome(utterance, expected, (first.name,), None, note=note)
        own = [call for call in decisive if call.name == expected]
        # Of several calls of the function, one for each note, the best one counts.
        faults = min((self._faults_of(utterance, call) for call in own), key=len)
        return Outcome(utterance, expected, (expected,), 1, argument_faults=faults, note=note)

    def _faults_of(self, utterance: Utterance, call: FunctionCall) -> tuple[str, ...]:
        if call.fault:
            return (call.fault,)
        faults = argument_faults(utterance, call.arguments)
        schema = plain_schema(self._functions[call.name].input_schema, union_root=True)
        if not Fits(schema.get("$defs", {})).value(dict(call.arguments), schema):
            return (*faults, "the arguments do not fit the function's schema")
        return faults


def _result(call: FunctionCall, value: Any) -> FunctionResult:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return FunctionResult(call.id, call.name, text, structured=value)
