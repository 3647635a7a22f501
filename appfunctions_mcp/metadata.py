"""Frozen records of what a function is, and of what an app is.

Reflection on Python functions, the metadata XML and foreign schemas all end here; MCP tools,
lint, Android XML and provider formats are pure functions of these records. Knows nothing of
how a record was made, nor of who reads it.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum
from pathlib import Path
from typing import Any, Literal

from appfunctions_mcp.records import record

JsonSchema = dict[str, Any]
OptionalDefaults = Literal["type", "declared"]
UnknownArguments = Literal["refuse", "warn", "ignore"]
Thread = Literal["worker", "main"]

DEFAULT_TIMEOUT_SECONDS = 30.0
DEFAULT_MAX_CONCURRENT = 64
DEFAULT_MAX_RESULT_BYTES = 1_000_000


class AppFunctionState(Enum):
    """Whether a function may be executed: as declared, or as somebody has set it."""

    DEFAULT = "default"
    ENABLED = "enabled"
    DISABLED = "disabled"


class AppFunctionAccessLevel(Enum):
    """Android's levels of callers (AppFunctionAccessLevel), narrowest first; each has the last."""

    SELF = "self"
    """The local user alone."""
    SYSTEM = "system"
    """The local user, and callers with the scope `appfunctions:system`."""
    ANDROID_TRUSTED = "androidTrusted"
    """Every caller whom the server admits."""


class AppFunctionScope(Enum):
    """Android's scopes: one implementation for the app, or one for each activity."""

    GLOBAL = "global"
    """Called by its name alone."""
    ACTIVITY = "activity"
    """Called with the id of an activity, such as a window, which has registered a body for it."""


@record(frozen=True, slots=True)
class AppFunctionSchema:
    """A predefined schema that a function implements, shared between apps and agents."""

    category: str
    name: str
    version: int


@record(frozen=True, slots=True)
class AppFunctionCaller:
    """Who calls: the local user on stdio, an authenticated principal over HTTP."""

    name: str = "local"
    """The principal; `local` on stdio, `anonymous` over HTTP without a token."""
    scopes: frozenset[str] = frozenset()
    connection: str | None = None
    """What counters are kept by: a stdio connection or an authenticated principal, else None."""
    local_user: bool = False
    """Whether this is the user of this machine, on stdio or in process: every scope is theirs."""


LOCAL_CALLER = AppFunctionCaller(local_user=True)


Access = str | Callable[[AppFunctionCaller], bool]
"""A scope that the caller must have, or a predicate on the caller."""


@record(frozen=True, slots=True)
class AppFunctionParameterMetadata:
    """One parameter as a caller sees it."""

    name: str
    description: str
    required: bool
    schema: JsonSchema
    """The published JSON Schema of the parameter, with its description."""


@record(frozen=True, slots=True)
class AppFunctionResponseMetadata:
    """What a function returns."""

    description: str = ""
    schema: JsonSchema | None = None
    """The published output schema, always of an object; None for text and media."""


@record(frozen=True, slots=True)
class AppFunctionMetadata:
    """Everything that a listing, a linter or an exporter needs to know of one function."""

    function_id: str
    tool_name: str
    description: str = ""
    is_described: bool = True
    """Whether somebody wrote the description; else it is the name in words."""
    told: Mapping[str, bool] = field(default_factory=dict)
    """Whether Android's files tell of `enabled_by_default`, `scope`, `access_level` and
    `access_level_compat`, so far as the author says; else they tell what is no default."""
    title: str | None = None
    parameters: tuple[AppFunctionParameterMetadata, ...] = ()
    input_schema: JsonSchema = field(
        default_factory=lambda: {
            "type": "object",
            "properties": {},
            "additionalProperties": False,
        }
    )
    response: AppFunctionResponseMetadata = AppFunctionResponseMetadata()
    raises: Mapping[str, str] = field(default_factory=dict)
    """Exception class name to the text of the docstring's `Raises:` section."""
    enabled_by_default: bool = True
    deprecated: str | None = None
    schema: AppFunctionSchema | None = None
    scope: AppFunctionScope = AppFunctionScope.GLOBAL
    access: Access | None = None
    access_level: AppFunctionAccessLevel = AppFunctionAccessLevel.ANDROID_TRUSTED
    access_level_compat: bool = True
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    requires_confirmation: bool = False
    timeout_seconds: float | None = None
    """The function's own deadline; None takes the app's."""
    max_result_bytes: int | None = None
    """The function's own limit; None takes the app's."""
    thread: Thread = "worker"
    package: str = ""
    """The Android package that it belongs to; empty for one of the app's own."""
    module: str = ""
    source: str = ""
    """`FILE:LINE` of the declaration, for messages to the author."""


@record(frozen=True, slots=True)
class AppResourceMetadata:
    """What a listing needs to know of one resource, or of one template of resources."""

    uri: str
    """The address; of a template, the RFC 6570 template."""
    name: str
    title: str | None = None
    description: str = ""
    mime_type: str | None = None
    size: int | None = None
    """How many bytes stand there, where that is known without reading."""
    is_template: bool = False
    parameters: tuple[AppFunctionParameterMetadata, ...] = ()
    """The template's variables."""
    access: Access | None = None
    module: str = ""
    source: str = ""
    """`FILE:LINE` of the declaration, for messages to the author."""


@record(frozen=True, slots=True)
class AppPromptMetadata:
    """What a listing needs to know of one prompt."""

    name: str
    title: str | None = None
    description: str = ""
    parameters: tuple[AppFunctionParameterMetadata, ...] = ()
    access: Access | None = None
    module: str = ""
    source: str = ""
    """`FILE:LINE` of the declaration, for messages to the author."""


@record(frozen=True, slots=True)
class AppFunctionSearchSpec:
    """Filters of a search, which all have to admit a function; None does not filter.

    Raises:
        ValueError: A set of names is empty, or the version is negative.
    """

    function_ids: frozenset[str] | None = None
    """Functions with one of these ids."""
    schema_category: str | None = None
    """Functions that implement a schema of exactly this category."""
    schema_name: str | None = None
    """Functions that implement a schema of exactly this name."""
    min_schema_version: int = 0
    """Functions that implement a schema of this version or a later one; 0 does not filter."""
    scopes: frozenset[AppFunctionScope] | None = None
    """Functions of one of these scopes."""
    package_names: frozenset[str] | None = None
    """Functions of one of these packages: Android's names, or the server's where it has none."""

    def __post_init__(self) -> None:
        if self.min_schema_version < 0:
            raise ValueError(
                f"min_schema_version is {self.min_schema_version}; 0 or more is accepted"
            )
        for name in ("function_ids", "package_names"):
            given = getattr(self, name)
            if given is not None and not given:
                raise ValueError(f"{name} is empty; name at least one, or leave it None")


@record(frozen=True, slots=True)
class MetadataChanged:
    """Functions were added, removed or redefined."""

    function_ids: frozenset[str]


@record(frozen=True, slots=True)
class StatesChanged:
    """Functions were enabled or disabled."""

    function_ids: frozenset[str]


AppFunctionsChangeEvent = MetadataChanged | StatesChanged


@record(frozen=True, slots=True)
class ResourcesChanged:
    """Resources or templates were added or removed."""

    uris: frozenset[str]


@record(frozen=True, slots=True)
class ResourceUpdated:
    """What stands at an address is another than before."""

    uri: str


@record(frozen=True, slots=True)
class PromptsChanged:
    """Prompts were added or removed."""

    names: frozenset[str]


AppChangeEvent = AppFunctionsChangeEvent | ResourcesChanged | ResourceUpdated | PromptsChanged
"""Everything that listeners of a service are told."""


@record(frozen=True, slots=True)
class FunctionsModule:
    """`<mcp:functions>`: a Python module whose functions are served."""

    module: str
    prefix: str | None = None
    optional_defaults: OptionalDefaults | None = None
    on_error: Literal["fail", "skip"] = "fail"
    line: int = 0


@record(frozen=True, slots=True)
class FunctionOverride:
    """`<mcp:function>`: what the metadata says of one function; None leaves the declaration."""

    function_id: str
    title: str | None = None
    description: str | None = None
    enabled_by_default: bool | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    requires_confirmation: bool | None = None
    timeout_seconds: float | None = None
    access: str | None = None
    line: int = 0


@record(frozen=True, slots=True)
class LintIgnore:
    """`<mcp:lint>`: rules whose findings the author has looked at and lets stand."""

    rules: tuple[str, ...]
    """Their ids."""
    function_id: str | None = None
    """Of which function; None means everywhere."""
    line: int = 0


@record(frozen=True, slots=True)
class AppSetting:
    """`<mcp:setting>`: a value that the user supplies in the environment variable `name`."""

    name: str
    type: Literal["string", "number", "boolean", "file", "directory"] = "string"
    title: str = ""
    description: str = ""
    required: bool = False
    sensitive: bool = False
    default: str | None = None
    line: int = 0


@record(frozen=True, slots=True)
class ExecutionLimits:
    """What one call and one process may cost.

    `calls_per_minute` 0 means no rate limit.
    """

    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    max_concurrent: int = DEFAULT_MAX_CONCURRENT
    max_waiting: int = 256
    calls_per_minute: int = 0
    max_result_bytes: int = DEFAULT_MAX_RESULT_BYTES
    max_threads: int = 64
    max_stuck_threads: int = 32
    loop_guard: bool = True


@record(frozen=True, slots=True)
class AppIcon:
    """`<mcp:icon>`: a picture of the app, resolved to a URL or an absolute file."""

    src: str
    mime_type: str | None = None
    sizes: str | None = None


@record(frozen=True, slots=True)
class AppMetadata:
    """What the metadata XML says of the app."""

    name: str
    description: str
    display_description: str = ""
    title: str | None = None
    version: str = "0.0.0"
    website_url: str | None = None
    package: str | None = None
    """The app's name on an Android device; None for one that has none there."""
    icons: tuple[AppIcon, ...] = ()
    path: Path | None = None
    """The metadata file; None for an app made in code."""
    locale: str | None = None
    python_path: Path | None = None
    optional_defaults: OptionalDefaults = "type"
    unknown_arguments: UnknownArguments = "refuse"
    manifest: bool = True
    modules: tuple[FunctionsModule, ...] = ()
    overrides: tuple[FunctionOverride, ...] = ()
    settings: tuple[AppSetting, ...] = ()
    limits: ExecutionLimits = ExecutionLimits()
    lifespan: str | None = None
    """`module:name` of the lifespan."""
    lifespan_line: int = 0
    lint_ignores: tuple[LintIgnore, ...] = ()
    depends_on: tuple[Path, ...] = ()
    sources: tuple[Path, ...] = ()
    """The files that were read: the metadata and the strings."""
    warnings: tuple[str, ...] = ()
    """What the author should know, `FILE:LINE: …`, though the file is served."""
