"""`cmd app_function` on a device: what is listed there, and executions with their errors.

Everything that goes there is one quoted word of one command; everything that comes back is
text from an app, and is treated so. Knows nothing of MCP.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from appfunctions_mcp import exceptions
from appfunctions_mcp.android.adb import MAX_WORD_BYTES, Adb, Answer, DeviceError
from appfunctions_mcp.android.discovery import DiscoveredApp, ListingError, read_listing
from appfunctions_mcp.android.hidden_text import first_lines, visible_text
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
_FAILED = regex(
    r"Error executing app function: (.*?)\.? See logcat for more details\.?\s*\Z", re.DOTALL
)
_CODE = regex(r" ?\(code (-?[0-9]{1,9})\)")
_CLASS = regex(r"(?:[A-Za-z_][\w$]*\.)+[\w$]*(?:Exception|Error)(?:: |\Z)")
_MESSAGE_LIMIT = 2000
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
            if not level.isdecimal():
                shown = first_lines(answer.stdout + answer.stderr)
                raise DeviceError(f"the device {self.serial} does not tell its Android: {shown}")
            self._api_level = int(level)
        if self._api_level < FIRST_API_LEVEL:
            raise DeviceError(
                f"the device {self.serial} has Android API level {self._api_level}; app functions "
                f"need {FIRST_API_LEVEL} (Android 16) or later"
            )
        return self._api_level

    async def apps(self, packages: Sequence[str]) -> dict[str, DiscoveredApp]:
        """What some apps offer; an app that offers nothing is not there.

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
        if options and _UNKNOWN_OPTION.search(answer.stdout):
            return await self._listed([])
        try:
            return read_listing(answer.stdout)
        except ListingError as fault:
            raise DeviceError(f"the device {self.serial}: {fault}") from fault

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
        answer = await self.adb.shell(words, seconds=own + _ADB_SECONDS)
        unknown = _UNKNOWN_OPTION.match(answer.stdout.strip())
        if unknown is not None and unknown[1] == "--timeout-duration" and self._knows_timeouts:
            self._knows_timeouts = False
            return await self.execute(package, function_id, parameters, seconds)
        self._require_service(answer)
        return self._result_in(answer, own)

    def _result_in(self, answer: Answer, seconds: int) -> dict[str, Any]:
        output = answer.stdout
        failed = _FAILED.search(output)
        if failed is not None and answer.exit_code != 0:
            raise exception_of(failed[1])
        if output.strip().endswith("Timed out") and answer.exit_code != 0:
            raise AppFunctionCancelledException(
                f"timed out after {seconds} s on the device",
                recovery="It may have happened all the same; look before doing it again.",
            )
        if output.startswith("Failed to convert"):
            raise AppFunctionAppUnknownException(
                "the app answered, but with a value that Android's shell cannot print",
                recovery="It has happened; look before doing it again.",
            )
        if answer.exit_code == 0:
            try:
                printed = json.loads(output[max(output.find("{"), 0) :])
            except (ValueError, RecursionError):
                raise self._gone_meanwhile() from None
            if isinstance(printed, dict):
                return printed
        if not output.strip() and not answer.stderr.strip():
            raise self._gone_meanwhile()
        shown = first_lines(output + " " + answer.stderr, _MESSAGE_LIMIT)
        raise AppFunctionSystemUnknownException(f"the device's shell answered: {shown}")

    def _gone_meanwhile(self) -> AppFunctionSystemUnknownException:
        gone = AppFunctionSystemUnknownException(
            f"the device {self.serial} went away while the function ran; nobody knows whether it "
            "has happened",
            recovery="Ask the user to plug the device in again, then look whether it has happened "
            "before doing it again.",
        )
        gone.retryable = False
        return gone

    def _require_service(self, answer: Answer) -> None:
        if answer.exit_code != 0 and _NO_SERVICE.search(answer.stdout + answer.stderr):
            raise DeviceError(
                f"the device {self.serial} has no service app_function: its Android was built "
                "without app functions; use another device, or an emulator with API 36 or later "
                "and Google Play"
            )


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
    text = text.replace("\x7f", "\\u007f")
    size = len(text.encode(errors="replace"))
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
    codes = list(_CODE.finditer(told))
    code = int(codes[-1][1]) if codes else 0
    message = told[: codes[-1].start()] + told[codes[-1].end() :] if codes else told
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
