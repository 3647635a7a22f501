"""`cmd app_function` on a device: what is listed there, and executions with their errors.

Everything that goes there is one quoted word of one command; everything that comes back is
text from an app, and is treated so. Knows nothing of MCP.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from appfunctions_mcp import exceptions
from appfunctions_mcp.android.bridge.adb import (
    MAX_WORD_BYTES,
    Adb,
    Answer,
    AnswerLostError,
    DeviceError,
)
from appfunctions_mcp.android.bridge.discovery import DiscoveredApp, ListingError, read_listing
from appfunctions_mcp.android.bridge.hidden_text import visible_text
from appfunctions_mcp.exceptions import (
    AppFunctionAppUnknownException,
    AppFunctionCancelledException,
    AppFunctionException,
    AppFunctionInvalidArgumentException,
    AppFunctionSystemUnknownException,
    AppFunctionUnknownException,
)
from appfunctions_mcp.lazy_regex import regex

__all__ = ["FIRST_API_LEVEL", "DeviceShell", "exception_of"]

FIRST_API_LEVEL = 36
"""The first Android that has app functions: 16."""
_API_LEVEL_WITH_PACKAGES = 37
_SERVICE = ("cmd", "app_function")
_NO_SERVICE = regex(r"Can't find service: app_function")
_UNKNOWN_OPTION = regex(r"Unknown option: (\S+)")
_FAILED = "Error executing app function: "
_END_OF_FAILED = "See logcat for more details."
_CODE = regex(r" ?\(code (-?[0-9]{1,9})\)")
_CLASS = regex(r"(?:[A-Za-z_][\w$]*\.)+[\w$]*(?:Exception|Error)(?::(?: |\Z)|\Z)")
_LEVEL = regex(r"[0-9]{1,6}\Z")
_HALF = regex("[\ud800-\udfff]")
_MESSAGE_LIMIT = 2000
_LOOKED_AT = 4 * _MESSAGE_LIMIT
"""How much of what an app says is looked at; it may have said megabytes."""
_ADB_SECONDS = 5.0
"""What a call may take beyond the time that the app has."""

_CLASSES: dict[int, type[AppFunctionException]] = {
    each.error_code: each
    for each in vars(exceptions).values()
    if isinstance(each, type) and issubclass(each, AppFunctionException) and each.error_code
}


class DeviceShell:
    """The functions of one device, through its shell.

    Args:
        adb: The client, with the device.
    """

    def __init__(self, adb: Adb) -> None:
        self.adb = adb
        self._api_level = 0
        self._knows_timeouts = True
        self._read: dict[tuple[str, ...], tuple[str, dict[str, DiscoveredApp]]] = {}

    @property
    def serial(self) -> str:
        """The device."""
        return self.adb.serial

    async def api_level(self) -> int:
        """The level of the device's Android; asked once.

        Raises:
            DeviceError: It is not known, or too low for app functions.
        """
        if not self._api_level:
            answer = await self.adb.shell(["getprop", "ro.build.version.sdk"])
            level = answer.stdout.strip()
            if not _LEVEL.match(level):
                raise DeviceError(
                    f"the device {self.serial} does not tell its Android; it says {answer.told}"
                )
            self._api_level = int(level)
        if self._api_level < FIRST_API_LEVEL:
            raise DeviceError(
                f"the device {self.serial} has Android API level {self._api_level}; app functions "
                f"need {FIRST_API_LEVEL} (Android 16) or later"
            )
        return self._api_level

    async def apps(self, packages: Sequence[str]) -> dict[str, DiscoveredApp]:
        """What some apps offer; an app that offers nothing is not there.

        An app is the same object as before while the device lists nothing else.

        Args:
            packages: The apps.

        Raises:
            DeviceError: The device, or its list, cannot be used.
        """
        level = await self.api_level()
        found: dict[str, DiscoveredApp] = {}
        if level < _API_LEVEL_WITH_PACKAGES:
            found = await self._listed([])
        else:
            for package in packages:
                found |= await self._listed(["--package", package])
        return {name: app for name, app in found.items() if name in packages}

    async def _listed(self, options: Sequence[str]) -> dict[str, DiscoveredApp]:
        answer = await self.adb.shell([*_SERVICE, "list-app-functions", *options])
        self._require_service(answer)
        if options and answer.exit_code != 0 and _UNKNOWN_OPTION.search(answer.stdout):
            return await self._listed([])
        if answer.exit_code != 0:
            raise DeviceError(
                f"the device {self.serial} does not list its functions; it says {answer.told}"
            )
        known, found = self._read.get(tuple(options), ("", {}))
        if answer.stdout != known or not known:
            try:
                found = read_listing(answer.stdout)
            except ListingError as fault:
                raise DeviceError(f"the device {self.serial}: {fault}") from fault
            self._read[tuple(options)] = answer.stdout, found
        return found

    async def app_description(self, package: str) -> str:
        """What an app says of its functions together; empty where the device cannot tell.

        Raises:
            DeviceError: The device is not there.
        """
        if await self.api_level() < _API_LEVEL_WITH_PACKAGES:
            return ""
        words = [*_SERVICE, "read-app-description", "--package", package]
        answer = await self.adb.shell(words)
        is_told = answer.exit_code == 0 and not answer.stdout.startswith("Exception: ")
        return answer.stdout.strip() if is_told and answer.stdout.strip() != "null" else ""

    async def execute(
        self, package: str, function_id: str, parameters: Mapping[str, Any], seconds: float
    ) -> dict[str, Any]:
        """Executes a function.

        Args:
            package: The app.
            function_id: The function's id there.
            parameters: The shell's JSON.
            seconds: How long it may take.

        Returns:
            What the shell has printed, every property a list.

        Raises:
            AppFunctionException: What the app or Android answered instead, by its code.
            DeviceError: The device was not reached, so that nothing happened there.
        """
        words = [
            *_SERVICE,
            "execute-app-function",
            *("--package", package),
            *("--function", function_id),
            *("--parameters", parameters_text(parameters)),
        ]
        own = max(1, math.floor(seconds))
        if self._knows_timeouts:
            words += ["--timeout-duration", str(own)]
        try:
            answer = await self.adb.shell(words, seconds=own + _ADB_SECONDS)
        except AnswerLostError as fault:
            raise _left_open(str(fault)) from fault
        unknown = _UNKNOWN_OPTION.match(answer.stdout.strip())
        if unknown is not None and unknown[1] == "--timeout-duration" and self._knows_timeouts:
            self._knows_timeouts = False
            return await self.execute(package, function_id, parameters, seconds)
        self._require_service(answer)
        return self._result_in(answer, own)

    def _result_in(self, answer: Answer, seconds: int) -> dict[str, Any]:
        if answer.exit_code == 0:
            return self._printed(answer)
        output = answer.stdout
        begin, end = output.find(_FAILED), output.rfind(_END_OF_FAILED)
        if 0 <= begin < end:
            raise exception_of(output[begin + len(_FAILED) : end].rstrip().removesuffix("."))
        if output.strip().endswith("Timed out"):
            raise AppFunctionCancelledException(
                f"timed out after {seconds} s on the device",
                recovery="It may have happened all the same; look before doing it again.",
            )
        if output.startswith("Failed to convert"):
            raise AppFunctionAppUnknownException(
                "the app answered, but with a value that Android's shell cannot print",
                recovery="It has happened; look before doing it again.",
            )
        if not output.strip() and not answer.stderr.strip():
            raise self._gone_meanwhile()
        raise _left_open(f"the device's shell answered: {answer.told}")

    def _printed(self, answer: Answer) -> dict[str, Any]:
        """The JSON of an execution that has succeeded."""
        output = answer.stdout
        try:
            printed = json.loads(output[max(output.find("{"), 0) :])
        except RecursionError as fault:
            raise _left_open("the app answered with objects that stand too deep") from fault
        except ValueError as fault:
            if not output.rstrip().endswith("}"):
                raise self._gone_meanwhile() from fault
            raise _left_open(f"the device's shell printed what is no JSON: {fault}") from fault
        if not isinstance(printed, dict):
            raise _left_open(f"the device's shell answered: {answer.told}")
        return printed

    def _gone_meanwhile(self) -> AppFunctionSystemUnknownException:
        return _left_open(
            f"the device {self.serial} went away while the function ran; nobody knows whether it "
            "has happened",
            "Ask the user to plug the device in again, then look whether it has happened before "
            "doing it again.",
        )

    def _require_service(self, answer: Answer) -> None:
        if answer.exit_code != 0 and _NO_SERVICE.search(answer.stdout + answer.stderr):
            raise DeviceError(
                f"the device {self.serial} has no service app_function: its Android was built "
                "without app functions; use another device, or an emulator with API 36 or later "
                "and Google Play"
            )


def _left_open(
    message: str, recovery: str = "It may have happened; look before doing it again."
) -> AppFunctionSystemUnknownException:
    """An execution of which nobody knows whether it has happened, so that it is not repeated."""
    fault = AppFunctionSystemUnknownException(message, recovery=recovery)
    fault.retryable = False
    return fault


def parameters_text(parameters: Mapping[str, Any]) -> str:
    """The parameters as JSON: in plain ASCII, so that no shell has any character to mind.

    Text that is too long in that form is written as it is.

    Raises:
        AppFunctionInvalidArgumentException: It is longer than a word of a command may be.
    """
    text = json.dumps(parameters, separators=(",", ":"))
    if len(text) <= MAX_WORD_BYTES:
        return text
    text = json.dumps(parameters, separators=(",", ":"), ensure_ascii=False)
    text = _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text.replace("\x7f", "\\u007f"))
    size = len(text.encode())
    if size > MAX_WORD_BYTES:
        raise AppFunctionInvalidArgumentException(
            f"the arguments have {size} bytes as JSON; Android's shell takes {MAX_WORD_BYTES}, so "
            "nothing was sent; send less"
        )
    return text


def exception_of(told: str) -> AppFunctionException:
    """The exception that a device has told of: `<class>: <message> (code N)`.

    Args:
        told: The text; what the app says in it is cut and freed of what nobody sees.
    """
    codes = list(_CODE.finditer(told, max(len(told) - _LOOKED_AT, 0)))
    code = int(codes[-1][1]) if codes else 0
    before, after = (codes[-1].start(), codes[-1].end()) if codes else (len(told), len(told))
    message = told[: min(before, _LOOKED_AT)] + told[after : after + _LOOKED_AT]
    while (found := _CLASS.match(message)) is not None:
        message = message[found.end() :]
    shown = visible_text(message).strip()
    shown = "" if shown == "null" else shown
    if len(shown) > _MESSAGE_LIMIT:
        shown = shown[:_MESSAGE_LIMIT] + "…"
    known = _CLASSES.get(code)
    if known is not None:
        return known(shown or "the device says no more")
    return AppFunctionUnknownException(code, shown or "the device says no more")
