"""The way from a running request to its client, over the SDK: reports, and questions."""

from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError, NoBackChannelError

from appfunctions_mcp.context import MissingClientCapabilityException
from appfunctions_mcp.exceptions import AppFunctionSystemUnknownException
from appfunctions_mcp.json_text import read_json, write_json
from appfunctions_mcp.questions import Question
from appfunctions_mcp.requests import SilentChannel
from appfunctions_mcp.server.channel import LogMessage, ProgressReport, Report
from appfunctions_mcp.server.sdk.request_contexts import Context, client_capabilities
from appfunctions_mcp.server.wire import Json
from appfunctions_mcp.server.wire_questions import (
    answer_fault,
    askable,
    question_request,
    refused,
)


class SdkQuestions(SilentChannel):
    """Questions to a client of the handshake era, as requests beside the answer.

    Args:
        ctx: The request during which they are put.
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def can_ask(self, capability: str, /) -> bool:
        """Whether the client takes questions of that kind, and there is a way to it."""
        is_taken = capability in askable(client_capabilities(self._ctx))
        return is_taken and self._ctx.session.can_send_request

    async def ask(self, question: Question) -> dict[str, Any]:
        """Puts a question and waits for the answer; cancelling that takes the question back.

        Raises:
            MissingClientCapabilityException: The client takes no such question.
            AppFunctionDeniedException: The client has refused it.
            AppFunctionSystemUnknownException: The answer cannot be used, or the client is gone.
        """
        if not self.can_ask(question.capability):
            raise MissingClientCapabilityException(question.capability)
        request = question_request(question)
        # The public way reads the answer into models, and so loses what they do not know.
        outbound = self._ctx.session._request_outbound  # noqa: SLF001 - as said above
        try:
            answer = await outbound.send_raw_request(request["method"], _clean(request["params"]))
        except NoBackChannelError as error:
            raise MissingClientCapabilityException(question.capability) from error
        except MCPError as error:
            if error.code == types.CONNECTION_CLOSED:
                raise AppFunctionSystemUnknownException(
                    "the client left before it answered"
                ) from error
            raise refused(question, {"code": error.code, "message": error.message}) from error
        fault = answer_fault(question, answer)
        if fault is not None:
            raise AppFunctionSystemUnknownException(
                f"the client's answer to {question.capability} cannot be used: {fault}"
            )
        return answer


def report_sender(ctx: Context, logger: str) -> Callable[[Report], Awaitable[None]]:
    """How a request's reports go out: beside its answer, on the same stream.

    Args:
        ctx: The request.
        logger: The name that log messages carry.
    """

    async def send(report: Report) -> None:
        if isinstance(report, ProgressReport):
            await ctx.session.report_progress(report.progress, report.total, report.message)
        else:
            await ctx.session.send_notification(_log_notification(report, logger), ctx.request_id)

    return send


def _log_notification(report: LogMessage, logger: str) -> types.LoggingMessageNotification:
    params = types.LoggingMessageNotificationParams(
        level=report.level, logger=logger, data=report.body
    )
    return types.LoggingMessageNotification(params=params)


def _clean(params: Json) -> Json:
    """Params that the SDK's HTTP transport can write; it would drop the question, and wait."""
    cleaned: Json = read_json(write_json(params))
    return cleaned
