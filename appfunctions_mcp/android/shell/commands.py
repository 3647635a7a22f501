"""`cmd app_function …`: the answers of Android's shell, over the functions of a service.

Options, texts, exit codes and JSON are those of a device, so that what was written against one
runs here. Knows nothing of processes; streams are handed in.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TextIO

from appfunctions_mcp.android.data_types import AndroidFunction
from appfunctions_mcp.android.describing.functions import described_functions
from appfunctions_mcp.android.shell.brief_yaml import brief_yaml
from appfunctions_mcp.android.shell.documents import (
    Document,
    document_from_json,
    json_from_document,
)
from appfunctions_mcp.android.shell.execution import (
    ShellTimeoutError,
    exception_text,
    execute_function,
)
from appfunctions_mcp.android.shell.function_listing import LATEST_API_LEVEL, listed_documents
from appfunctions_mcp.android.shell.help_text import help_text
from appfunctions_mcp.android.shell.org_json import json_text, read_json_object
from appfunctions_mcp.android.shell.words import (
    ShellError,
    ShellWords,
    UnknownOptionError,
    illegal_argument,
    whole_number,
)
from appfunctions_mcp.exceptions import (
    AppFunctionException,
    AppFunctionFunctionNotFoundException,
    AppFunctionInvalidArgumentException,
    StateFileError,
)
from appfunctions_mcp.functions import AppFunction
from appfunctions_mcp.metadata import AppFunctionCaller, AppFunctionState
from appfunctions_mcp.names import nearest_names
from appfunctions_mcp.quoting import quoted
from appfunctions_mcp.service import AppFunctionService

__all__ = ["FAILED", "NO_SERVICE", "SERVICE", "SHELL_CALLER", "missing_service", "run_shell"]

SERVICE = "app_function"
"""The name by which `cmd` knows the service."""
SHELL_CALLER = "com.android.shell"
"""The package as which the shell calls; `root` where that is the user."""
FAILED = 255
"""The exit code of a device's -1."""
NO_SERVICE = 20
"""The exit code of `cmd` itself, where there is no such service."""

FIRST_API_LEVEL = 36
"""Of Android, which has the service since."""
DEFAULT_TIMEOUT_SECONDS = 30

_STATES = {
    "enable": AppFunctionState.ENABLED,
    "disable": AppFunctionState.DISABLED,
    "default": AppFunctionState.DEFAULT,
}
_OF_ACCESS = (
    *("grant-app-function-access", "revoke-app-function-access"),
    *("list-valid-agents", "list-valid-targets"),
    *("set-additional-allowlisted-agents", "clear-additional-allowlisted-agents"),
    *("purge-allowlist-cache", "enable-allowlist", "disable-allowlist"),
)
_USER = 0
_CURRENT_USER = {"current", "cur"}


def missing_service(words: Sequence[str], api_level: int = LATEST_API_LEVEL) -> str | None:
    """What `cmd` says where it cannot find the service that its words name.

    Args:
        words: The words behind `cmd`.
        api_level: Of which Android.

    Returns:
        None where the service is there.
    """
    if not words:
        return "cmd: No service specified; app_function is the one that is here"
    if words[0] != SERVICE or api_level < FIRST_API_LEVEL:
        return f"cmd: Can't find service: {words[0]}"
    return None


async def run_shell(
    words: Sequence[str],
    service: AppFunctionService,
    *,
    stdout: TextIO,
    stderr: TextIO,
    api_level: int = LATEST_API_LEVEL,
    caller: str = SHELL_CALLER,
) -> int:
    """Answers one command as a device does.

    Args:
        words: The words behind `cmd`: the service's name, the command, its options.
        service: The functions.
        stdout: Takes the answer, and what went wrong.
        stderr: Takes what a device writes there, and what only this shell has to say.
        api_level: Of which Android; 36 and later have the service.
        caller: The package that calls.

    Returns:
        The exit code.
    """
    missing = missing_service(words, api_level)
    if missing is not None:
        print(missing, file=stderr)
        return NO_SERVICE
    return await _Shell(service, words[1:], stdout, stderr, api_level, caller).run()


class _Refusal(Exception):  # noqa: N818 - no fault of this program, but an answer
    """What a command prints instead of its answer, and fails."""


class _Shell:
    """One command and where its answer goes."""

    def __init__(
        self,
        service: AppFunctionService,
        words: Sequence[str],
        stdout: TextIO,
        stderr: TextIO,
        api_level: int,
        caller: str,
    ) -> None:
        self._service = service
        self._words = ShellWords(words)
        self._stdout = stdout
        self._stderr = stderr
        self._api_level = api_level
        self._caller = AppFunctionCaller(name=caller, local_user=True)
        self._package = service.metadata.package or service.metadata.name
        self._commands: dict[str, tuple[int, Callable[[], Awaitable[int]]]] = {
            "list-app-functions": (36, self._list),
            "execute-app-function": (36, self._execute),
            "set-enabled": (36, self._set_enabled),
            "is-enabled": (37, self._is_enabled),
            "read-app-description": (37, self._read_description),
            **dict.fromkeys(_OF_ACCESS, (36, self._refuse_access)),
        }

    async def run(self) -> int:
        name = self._words.word()
        level, command = self._commands.get(name or "help", (0, self._help))
        if level > self._api_level or (level == 0 and name not in {None, "help", "-h"}):
            self._print(f"Unknown command: {name}")
            return FAILED
        try:
            return await command()
        except UnknownOptionError as option:
            self._print(f"Unknown option: {option}")
        except _Refusal as refusal:
            self._print(str(refusal))
        except ShellError as fault:
            self._print(f"Exception: {fault}")
        return FAILED

    def _print(self, text: str) -> None:
        print(text, file=self._stdout)

    async def _help(self) -> int:
        self._print(help_text(self._api_level))
        return FAILED

    async def _list(self) -> int:
        names = ("--user",) if self._api_level == FIRST_API_LEVEL else ("--user", "--package")
        options = self._words.options(names)
        packages = self._packages() if _is_user_here(options) else {}
        wanted = options.get("--package")
        if wanted is not None:
            packages = {name: listed for name, listed in packages.items() if name == wanted}
        self._print(json_text(packages, indent=2))
        return 0

    def _packages(self) -> dict[str, list[dict[str, Any]]]:
        """The documents of each package that has functions."""
        left_out: list[str] = []
        document = described_functions(self._service, faults=left_out)
        for fault in left_out:  # as on a device, which says so in its log
            print(fault, file=self._stderr)
        package_by_id = {
            each.names.function_id: self._package_of(each) for each in self._service.registry
        }
        states = {each.id: self._service.manager.state_of(each.id) for each in document.functions}
        by_package: dict[str, list[AndroidFunction]] = {}
        for function in document.functions:
            by_package.setdefault(package_by_id[function.id], []).append(function)
        return {
            package: listed_documents(
                replace(document, functions=tuple(functions)),
                states,
                package=package,
                api_level=self._api_level,
            )
            for package, functions in by_package.items()
        }

    async def _set_enabled(self) -> int:
        options = self._words.options(("--package", "--function", "--state", "--user"))
        _require(options, "--package", "--function")
        state = _STATES.get(options.get("--state", ""))
        if state is None:
            raise _Refusal(
                "Error: --state must be specified. The accepted values are: "
                "`enable`, `disable`, `default`."
            )
        function = self._found(options)
        fault = self._set_state(function, state) if function else _no_function(options)
        self._print(
            f"Error setting app function state: {fault}"
            if fault
            else "App function enabled state updated successfully."
        )
        return 0

    def _set_state(self, function: AppFunction, state: AppFunctionState) -> str | None:
        """Keeps a state; returns what kept it from being kept."""
        try:
            self._service.manager.set_enabled(function.names.function_id, state)
        except StateFileError as fault:
            return _parcelable("java.io.IOException", str(fault))
        store = self._service.store
        if store is not None and not store.is_durable:
            return _parcelable("java.io.IOException", f"the state is {store.describe()}")
        return None

    async def _is_enabled(self) -> int:
        options = self._words.options(("--package", "--function", "--user"))
        _require(options, "--package", "--function")
        function = self._found(options)
        if function is None:
            self._print(f"Error checking app function state: {_no_function(options)}")
            return 0
        self._service.manager.refresh()
        is_on = self._service.manager.is_enabled(function.metadata)
        self._print("true" if is_on else "false")
        return 0

    async def _read_description(self) -> int:
        options = self._words.options(("--package", "--user"))
        _require(options, "--package")
        if options["--package"] != self._package or not _is_user_here(options):
            raise ShellError(
                "android.content.pm.PackageManager$NameNotFoundException", options["--package"]
            )
        self._print(self._service.metadata.description)
        return 0

    async def _refuse_access(self) -> int:
        print(
            "who may call a function is said by 'access' in the metadata here, not per agent; "
            "answered as a device without these commands",
            file=self._stderr,
        )
        return FAILED

    async def _execute(self) -> int:
        options = self._words.options(
            ("--package", "--function", "--parameters", "--user", "--timeout-duration"),
            flags=("--brief-yaml",),
        )
        _require(options, "--package", "--function", "--parameters")
        seconds = self._timeout(options)
        arguments = document_from_json(read_json_object(options["--parameters"]))
        try:
            result = await self._result(options, arguments, seconds)
            is_brief = "--brief-yaml" in options
            text = (
                brief_yaml(result) if is_brief else json_text(json_from_document(result), indent=2)
            )
        except ShellTimeoutError:
            raise _Refusal("Timed out") from None
        except AppFunctionException as failure:
            raise _Refusal(
                f"Error executing app function: {exception_text(failure)}. "
                "See logcat for more details. "
            ) from failure
        except (ValueError, TypeError, RecursionError) as fault:
            print(f"the result has no form on Android: {fault}", file=self._stderr)
            raise _Refusal("Failed to convert the function response to JSON.") from fault
        self._print(text)
        return 0

    def _timeout(self, options: dict[str, str]) -> int:
        text = options.get("--timeout-duration", str(DEFAULT_TIMEOUT_SECONDS))
        try:
            return whole_number(text, bits=64)
        except ValueError:
            self._print(
                f"Invalid timeout duration: {text}. Using default of {DEFAULT_TIMEOUT_SECONDS}s."
            )
            return DEFAULT_TIMEOUT_SECONDS

    async def _result(
        self, options: dict[str, str], arguments: Document, seconds: float
    ) -> Document:
        if not options["--package"]:
            raise AppFunctionInvalidArgumentException("the package is empty")
        function = self._found(options)
        if function is None:
            raise AppFunctionFunctionNotFoundException(
                f"{quoted(options['--package'])} has no function "
                f"{quoted(options['--function'])}{self._near(options)}"
            )
        return await execute_function(
            self._service,
            function,
            arguments,
            caller=self._caller,
            seconds=seconds,
        )

    def _near(self, options: dict[str, str]) -> str:
        """What was perhaps meant: the package that has the function, or the nearest ids."""
        packages = {
            each.names.function_id: self._package_of(each) for each in self._service.registry
        }
        package = packages.get(options["--function"], options["--package"])
        if package != options["--package"]:
            return f"; it is one of --package {package}"
        near = nearest_names(options["--function"], list(packages))
        return f"; near it: {', '.join(near)}" if near else ""

    def _found(self, options: dict[str, str]) -> AppFunction | None:
        """The function that the options name; None where their package or user has none such."""
        function = self._service.registry.find(options["--function"])
        if function is None or not _is_user_here(options):
            return None
        is_named = function.names.function_id == options["--function"]
        is_here = self._package_of(function) == options["--package"]
        return function if is_named and is_here else None

    def _package_of(self, function: AppFunction) -> str:
        return function.metadata.package or self._package


def _require(options: dict[str, str], *names: str) -> None:
    for name in names:
        if name not in options:
            raise _Refusal(f"Error: {name} must be specified.")


def _is_user_here(options: dict[str, str]) -> bool:
    """Whether the options mean the one user that there is.

    Raises:
        ShellError: What they give is no user.
    """
    text = options.get("--user", "current")
    if text in _CURRENT_USER or text == "all":
        return True
    try:
        return whole_number(text, bits=32) == _USER
    except ValueError:
        raise illegal_argument(f"Bad user number: {text}") from None


def _no_function(options: dict[str, str]) -> str:
    return _parcelable(
        "java.lang.IllegalArgumentException", f"Function {options['--function']} does not exist"
    )


def _parcelable(kind: str, message: str) -> str:
    """An exception as it looks after its way from one process of a device to another."""
    return f"android.os.ParcelableException: {kind}: {message}"
