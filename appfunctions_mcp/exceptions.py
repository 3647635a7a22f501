"""The exceptions of a call, and the errors of an author.

AppFunctionException                            category   code
├── AppFunctionRequestException                 request
│   ├── AppFunctionDeniedException                         1000
│   ├── AppFunctionInvalidArgumentException                1001
│   ├── AppFunctionDisabledException                       1002
│   ├── AppFunctionFunctionNotFoundException               1003
│   ├── AppFunctionElementNotFoundException                1500
│   ├── AppFunctionLimitExceededException                  1501
│   └── AppFunctionElementAlreadyExistsException           1502
├── AppFunctionSystemException                  system
│   ├── AppFunctionSystemUnknownException                  2000
│   └── AppFunctionCancelledException                      2001
├── AppFunctionAppException                     app
│   ├── AppFunctionAppUnknownException                     3000
│   ├── AppFunctionPermissionRequiredException             3500
│   └── AppFunctionNotSupportedException                   3501
└── AppFunctionUnknownException                 by range   any other

AppFunctionsError                               an author's mistake, never sent to a client
├── AppFunctionDeclarationError
├── MetadataXmlError
├── SettingsError
└── StateFileError

Names and codes are Android's (androidx.appfunctions, `AppFunctionException`), so that logs,
documents and models see one vocabulary. Knows nothing of MCP.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from typing import Self

Category = Literal["request", "system", "app", "unknown"]


class AppFunctionException(Exception):
    """The root of everything that a call may answer instead of a value.

    Functions raise the leaves below it. Type and message reach the agent, so the message says
    what is wrong and what can be done; it never holds internals. Raised without a message, the
    class name stands alone.

    Args:
        message: What happened, for the agent.
        recovery: What the agent can do next; without it, the `Raises:` text of the function's
            docstring for this class is used.
        extras: Further JSON members of the error record.
    """

    category: ClassVar[Category] = "unknown"
    error_code: int = 0
    retryable: bool = False
    message: str = ""
    recovery: str | None = None
    note: str | None = None
    """A further line for the agent, added by the manager: the loop guard's warning."""
    refusal: str | None = None
    """Why the call never began, in one word, for those who count; None where it did."""
    extras: Mapping[str, Any] = MappingProxyType({})

    def __init__(
        self,
        message: str = "",
        *,
        recovery: str | None = None,
        extras: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = str(message)
        self.recovery = recovery
        if extras:
            self.extras = extras

    @property
    def kind(self) -> str:
        """The Android class name: the nearest class of this module for an author's subclass."""
        return self._known_class().__name__

    def text(self) -> str:
        """What an agent reads: `<ClassName>: <message>`, then recovery and note, a line each."""
        message = self.message or str(self)
        lines = [f"{self.kind}: {message}" if message else self.kind]
        if self.recovery:
            lines.append(f"Recovery: {self.recovery}")
        if self.note:
            lines.append(self.note)
        return "\n".join(lines)

    def structured(self) -> dict[str, Any]:
        """The error record: `type`, `code`, `category`, `message`, `retryable` and any extras."""
        return {
            "type": self.kind,
            "code": self.error_code,
            "category": self.category,
            "message": self.message or str(self),
            "retryable": self.retryable,
            **self.extras,
        }

    def as_refusal(self, reason: str) -> "Self":
        """Marks what is raised before a function is called, with the reason in one word."""
        self.refusal = reason
        return self

    def restated(
        self, *, recovery: str | None = None, note: str | None = None
    ) -> "AppFunctionException":
        """The same error as a fresh exception of the nearest Android class.

        What an author raises may be one shared object, so advice is never added to it.

        Args:
            recovery: The recovery line, where this exception has none of its own.
            note: A further line for the agent.

        Returns:
            The new exception, whose cause is this one.
        """
        known = self._known_class()
        fresh = known.__new__(known)
        AppFunctionException.__init__(
            fresh, self.message or str(self), recovery=self.recovery or recovery, extras=self.extras
        )
        fresh.error_code, fresh.retryable = self.error_code, self.retryable
        fresh.note = note or self.note
        fresh.refusal = self.refusal
        fresh.__cause__ = self
        return fresh

    def _known_class(self) -> "type[AppFunctionException]":
        return next(c for c in type(self).__mro__ if c.__module__ == __name__)


class AppFunctionRequestException(AppFunctionException):
    """The caller's request cannot be served; codes 1000 to 1999."""

    category = "request"


class AppFunctionDeniedException(AppFunctionRequestException):
    """The caller may not execute the function, or a confirmation is missing."""

    error_code = 1000


class AppFunctionInvalidArgumentException(AppFunctionRequestException):
    """An argument is missing, of the wrong type, or breaks a constraint."""

    error_code = 1001


class AppFunctionDisabledException(AppFunctionRequestException):
    """The function exists but is switched off."""

    error_code = 1002


class AppFunctionFunctionNotFoundException(AppFunctionRequestException):
    """No function has this name."""

    error_code = 1003


class AppFunctionElementNotFoundException(AppFunctionRequestException):
    """The thing that the arguments name does not exist."""

    error_code = 1500


class AppFunctionLimitExceededException(AppFunctionRequestException):
    """Too many calls; the same call may succeed later."""

    error_code = 1501
    retryable = True


class AppFunctionElementAlreadyExistsException(AppFunctionRequestException):
    """What should be created exists already."""

    error_code = 1502


class AppFunctionSystemException(AppFunctionException):
    """The system around the function failed; codes 2000 to 2999."""

    category = "system"


class AppFunctionSystemUnknownException(AppFunctionSystemException):
    """An unexpected fault of the system around the function."""

    error_code = 2000
    retryable = True


class AppFunctionCancelledException(AppFunctionSystemException):
    """The execution was cancelled or ran past its deadline."""

    error_code = 2001


class AppFunctionAppException(AppFunctionException):
    """The app behind the function failed; codes 3000 to 3999."""

    category = "app"


class AppFunctionAppUnknownException(AppFunctionAppException):
    """The function crashed: it raised something that is no AppFunctionException."""

    error_code = 3000


class AppFunctionPermissionRequiredException(AppFunctionAppException):
    """The app itself lacks a permission that its user has to grant."""

    error_code = 3500


class AppFunctionNotSupportedException(AppFunctionAppException):
    """The app cannot do this."""

    error_code = 3501


class AppFunctionUnknownException(AppFunctionException):
    """An error with a code that has no class here; the category follows from the code's range.

    Args:
        error_code: Android's number.
        message: What happened, for the agent.
        recovery: What the agent can do next.
    """

    def __init__(self, error_code: int, message: str = "", *, recovery: str | None = None) -> None:
        super().__init__(message, recovery=recovery)
        self.error_code = error_code

    def structured(self) -> dict[str, Any]:
        """The error record, with the category of the code's range."""
        categories: dict[int, Category] = {1: "request", 2: "system", 3: "app"}
        return super().structured() | {
            "category": categories.get(self.error_code // 1000, "unknown")
        }


def answer_in(raised: BaseException) -> AppFunctionException | None:
    """What a call answers for what its function raised; None where that is a crash.

    A group that holds nothing but answers, as a TaskGroup raises it, is its first one.
    """
    if isinstance(raised, AppFunctionException):
        return raised
    if not isinstance(raised, ExceptionGroup):
        return None
    answers = list(map(answer_in, raised.exceptions))
    return answers[0] if all(answers) else None


class AppFunctionsError(Exception):
    """An author's mistake, found at import, registration or start; never sent to a client.

    Args:
        faults: One text a fault, `FILE:LINE: what; fix`; the code of a fix may follow on
            further lines, indented.
    """

    def __init__(self, faults: str | Iterable[str]) -> None:
        self.faults: tuple[str, ...] = (faults,) if isinstance(faults, str) else tuple(faults)
        super().__init__("\n".join(self.faults))


class AppFunctionDeclarationError(AppFunctionsError):
    """A function, or a module of functions, cannot be served as it is declared."""


class MetadataXmlError(AppFunctionsError):
    """The metadata XML, or a string that it names, cannot be used; begins `FILE:LINE:`."""


class SettingsError(AppFunctionsError):
    """An option, a variable or a setting has a value that is not accepted, or is missing."""


class StateFileError(AppFunctionsError):
    """A file that this program keeps cannot be used: another version's, or not readable."""
