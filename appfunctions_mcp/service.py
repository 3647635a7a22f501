"""`AppFunctionService`: an app's metadata and functions, ready to be served.

`load_service` makes one of a metadata file, `AppFunctionService.from_functions` of functions in
code. Knows nothing of MCP; the engines under `server/` serve it.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from appfunctions_mcp.compiling import (
    Compiled,
    compile_declared,
    compile_prompt,
    compile_resource,
)
from appfunctions_mcp.confirmation import Confirmations, shared_confirmations
from appfunctions_mcp.exceptions import AppFunctionDeclarationError
from appfunctions_mcp.functions import AppFunction, MetadataCall
from appfunctions_mcp.lifespans import Lifespan, lifespan_name, opened
from appfunctions_mcp.loading import import_lifespan, load_functions
from appfunctions_mcp.manager import AppFunctionManager, ExecutionHook
from appfunctions_mcp.metadata import (
    AppFunctionMetadata,
    AppMetadata,
    ExecutionLimits,
    MetadataChanged,
    OptionalDefaults,
    StatesChanged,
    UnknownArguments,
)
from appfunctions_mcp.records import replaced
from appfunctions_mcp.registrations import AppFunctionRegistration, register_functions
from appfunctions_mcp.registry import AppFunctionRegistry
from appfunctions_mcp.secret_values import keep_settings_secret
from appfunctions_mcp.selection import selected, unmatched
from appfunctions_mcp.settings import read_app_settings
from appfunctions_mcp.state import StateStore, watching_soon
from appfunctions_mcp.telemetry import ExecutionLog, configured_spans, warn

if TYPE_CHECKING:
    from appfunctions_mcp.prompting import AppPrompts
    from appfunctions_mcp.reading import AppResources

_TELL_SECONDS = 1.0
"""When warnings of functions are logged: a client has listed them by then, and they are read."""


class AppFunctionService:
    """One app: what it says of itself, its functions, and how they are executed.

    Args:
        metadata: What the app says of itself.
        functions: The compiled functions.
        lifespan: What is open while the service runs; its value is `context.lifespan`.
        settings: The user's values by setting name.
        store: Where states are kept; in memory when left out.
        confirmations: Makes and redeems confirmation tokens; with the keys of
            `APPFUNCTIONS_STATE_KEYS` when left out, or random ones.
        log: Gets a record of each execution.
        debug: A crash's traceback goes to the caller too.
        warnings: What the author should know.
        skipped: Modules that failed to load and were left out, with the reason.

    Raises:
        AppFunctionDeclarationError: Two functions share an id or a tool name.
    """

    def __init__(
        self,
        metadata: AppMetadata,
        functions: Sequence[AppFunction],
        *,
        lifespan: Lifespan | None = None,
        settings: Mapping[str, Any] | None = None,
        store: StateStore | None = None,
        confirmations: Confirmations | None = None,
        log: ExecutionLog | None = None,
        debug: bool = False,
        warnings: Sequence[str] = (),
        skipped: Mapping[str, str] | None = None,
    ) -> None:
        self.metadata = metadata
        self.registry = AppFunctionRegistry()
        self.registry.add(functions)
        self._known_warnings = (
            *metadata.warnings,
            *warnings,
            *self.registry.long_names(metadata.name),
        )
        self._warns_when_served = False
        self.skipped = dict(skipped or {})
        self.manager = AppFunctionManager(
            self.registry,
            limits=metadata.limits,
            store=store,
            confirmations=confirmations or shared_confirmations(metadata.name, metadata.path),
            log=log,
            debug=debug,
        )
        self.manager.executor.settings = dict(settings or {})
        keep_settings_secret(metadata.settings, settings or {})
        self.store = store
        self._lifespan = lifespan
        self._hooks: list[ExecutionHook] = []
        self._running = 0
        self._stack = AsyncExitStack()
        self._connect()

    @property
    def has_resources(self) -> bool:
        """Whether there is anything to read; asking imports nothing."""
        return self.registry.hands_out or ("resources" in self.__dict__ and bool(self.resources))

    @property
    def has_prompts(self) -> bool:
        """Whether there is any prompt; asking imports nothing."""
        return "prompts" in self.__dict__ and bool(self.prompts)

    @cached_property
    def resources(self) -> "AppResources":
        """What clients may read by address; false where there is nothing."""
        from appfunctions_mcp.reading import AppResources

        rule = self.metadata.optional_defaults
        return AppResources(self.manager, partial(compile_resource, optional_defaults=rule))

    @cached_property
    def prompts(self) -> "AppPrompts":
        """What users may pick and fill in; false where there is nothing."""
        from appfunctions_mcp.prompting import AppPrompts

        return AppPrompts(self.manager, partial(compile_prompt, metadata=self.metadata))

    @classmethod
    def from_functions(
        cls,
        functions: Sequence[Callable[..., Any]],
        *,
        name: str,
        description: str,
        version: str = "0.0.0",
        optional_defaults: OptionalDefaults = "type",
        unknown_arguments: UnknownArguments = "refuse",
        limits: ExecutionLimits | None = None,
        lifespan: Lifespan | None = None,
        settings: Mapping[str, Any] | None = None,
        store: StateStore | None = None,
    ) -> "AppFunctionService":
        """Makes a service of functions in code, without a metadata file.

        Args:
            functions: Declared functions, resources and prompts, or any callables.
            name: The server's name.
            description: What the app does, for agents: its domain, tasks and order of calls.
            version: The app's version.
            optional_defaults: `"type"` is Android's rule, `"declared"` Python's.
            unknown_arguments: What happens to arguments that are not declared.
            limits: What one call and the process may cost.
            lifespan: What is open while the service runs.
            settings: Values for `context.settings`.
            store: Where states are kept; in memory when left out.

        Returns:
            The service.

        Raises:
            AppFunctionDeclarationError: Names every function that cannot be served, and why.
        """
        metadata = AppMetadata(
            name=name,
            description=description,
            version=version,
            optional_defaults=optional_defaults,
            unknown_arguments=unknown_arguments,
            limits=limits or ExecutionLimits(),
        )
        compiled = compile_declared(functions, metadata)
        service = cls(
            metadata,
            compiled.functions,
            lifespan=lifespan,
            settings=settings,
            store=store,
        )
        return service._with_parts(compiled)

    @classmethod
    def from_metadata(
        cls,
        metadata: AppMetadata,
        *,
        only: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        require_settings: bool = True,
        **kept: Any,
    ) -> "AppFunctionService":
        """Imports the modules that an app's metadata names and makes a service of them.

        Args:
            metadata: The app.
            only: Globs of tool names, ids, addresses and prompts; what none of them matches is
                not served.
            environ: Where settings are read from; the process's environment when left out.
            require_settings: Whether missing settings are an error; a listing needs none.
            kept: `store`, `confirmations`, `log` and `debug` of the constructor.

        Returns:
            The service.

        Raises:
            AppFunctionDeclarationError: A module or function cannot be served.
            SettingsError: A setting that the user must supply is missing.
        """
        if not metadata.modules:
            raise AppFunctionDeclarationError(
                f"{metadata.path}: names no module; add <mcp:functions module=…/> or --module NAME"
            )
        settings = _read_settings(metadata, environ, is_required=require_settings)
        loaded = load_functions(metadata)
        wanted = selected(loaded, only)
        service = cls(
            metadata,
            wanted.functions,
            lifespan=import_lifespan(metadata),
            settings=settings,
            warnings=[*loaded.warnings, *unmatched(only, loaded)],
            skipped=loaded.skipped,
            **kept,
        )
        return service._with_parts(wanted)

    def _with_parts(self, compiled: Compiled) -> "AppFunctionService":
        if compiled.resources:
            self.resources.take(compiled.resources)
        if compiled.prompts:
            self.prompts.take(compiled.prompts)
        return self

    def register(
        self, metadata: AppFunctionMetadata, call: MetadataCall
    ) -> AppFunctionRegistration:
        """Adds one function at run time (registerAppFunction).

        Args:
            metadata: What is published; the schema is used as it stands.
            call: Gets arguments and context; returns a JSON value, or an awaitable of one.

        Returns:
            The registration; `unregister` takes the function away again.

        Raises:
            AppFunctionDeclarationError: The id or the tool name is taken.
        """
        return self.register_all([(metadata, call)])

    def register_all(
        self, batch: Sequence[tuple[AppFunctionMetadata, MetadataCall]]
    ) -> AppFunctionRegistration:
        """Adds several functions at run time, all of them or none (registerAppFunctions).

        Raises:
            ValueError: The batch is empty.
            AppFunctionDeclarationError: Names every id and tool name that is taken.
        """
        return register_functions(self.registry, batch, self._announce)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the author should know, of the app and of each function."""
        return (*self._known_warnings, *self._function_warnings())

    def tell_warnings(self) -> None:
        """Logs what the author should know: of the app now, of the functions while it is served.

        What docstrings lack is found by reading them, for which the first client does not wait.
        """
        self._warns_when_served = True
        for warning in self._known_warnings:
            warn(warning)

    def _function_warnings(self) -> list[str]:
        resources = self.resources.registry if self.has_resources else ()
        prompts = self.prompts.all if self.has_prompts else ()
        return [w for part in (*self.registry, *resources, *prompts) for w in part.warnings]

    def _tell_function_warnings(self) -> None:
        if self._warns_when_served:
            self._warns_when_served = False
            for warning in self._function_warnings():
                warn(warning)

    def around(self, hook: ExecutionHook) -> None:
        """Puts a hook around every execution, to observe or to refuse.

        Args:
            hook: `async (request, proceed) -> response`; awaits `proceed(request)` to go on, or
                raises an AppFunctionException to refuse. The first hook added is outermost.

        Raises:
            RuntimeError: The service runs already.
        """
        if self._running:
            raise RuntimeError("hooks are compiled when the service starts; add them before")
        self._hooks.append(hook)
        self.manager.use_hooks(self._hooks)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["AppFunctionService"]:
        """Keeps the app's lifespan and its watch on other processes' changes open.

        Entered again while it is open, it opens nothing twice.
        """
        self._running += 1
        try:
            if self._running == 1:
                await self._open()
                self.manager.use_spans(self.manager.log.spans or configured_spans())
            yield self
        finally:
            self._running -= 1
            if not self._running:
                self.manager.executor.lifespan = None
                await self._stack.aclose()

    async def _open(self) -> None:
        self._stack = AsyncExitStack()
        timer = asyncio.get_running_loop().call_later(_TELL_SECONDS, self._tell_function_warnings)
        self._stack.callback(self._tell_function_warnings)
        self._stack.callback(timer.cancel)
        if self.store is not None:
            self._stack.enter_context(watching_soon(self.store, self.manager.refresh))
        if self._lifespan is None:
            return
        self.manager.executor.lifespan = await self._stack.enter_async_context(
            opened(
                self._lifespan,
                self.manager.executor.settings,
                lifespan_name(self._lifespan, self.metadata),
            )
        )

    def _connect(self) -> None:
        """Gives the manager what it needs of the service."""
        self.manager.package = self.metadata.package or self.metadata.name
        self.manager.executor.announce = self.manager.announce
        self.manager.executor.hand_out = self._hand_out

    def _hand_out(self, *given: Any) -> None:
        self.resources.hand_out(*given)

    def _announce(self, ids: frozenset[str]) -> None:
        """Android's order: what a function is comes before whether it may be called."""
        self.manager.announce(MetadataChanged(ids))
        self.manager.announce(StatesChanged(ids))


def load_service(
    path: str | Path,
    *,
    modules: Sequence[str] = (),
    locale: str | None = None,
    resources: str | Path | None = None,
    store: StateStore | None = None,
) -> AppFunctionService:
    """Loads an app from its metadata XML: strings, settings, modules, functions.

    Args:
        path: The metadata file.
        modules: Further modules, `NAME` or `NAME:PREFIX`.
        locale: Which translation of the strings is used, such as `ru` or `pt-BR`.
        resources: The folder that holds `values*/`, when it does not lie beside the file.
        store: Where states are kept; in memory when left out.

    Returns:
        The service.

    Raises:
        MetadataXmlError: The metadata or a string cannot be used.
        AppFunctionDeclarationError: A module or function cannot be served; names every fault.
        SettingsError: A setting that the user must supply is missing; names all of them.
    """
    from appfunctions_mcp.metadata_xml import parse_metadata

    folder = Path(resources) if resources is not None else None
    metadata = parse_metadata(Path(path), modules=modules, locale=locale, resources=folder)
    return AppFunctionService.from_metadata(metadata, store=store)


def _read_settings(
    metadata: AppMetadata, environ: Mapping[str, str] | None, *, is_required: bool
) -> dict[str, Any]:
    settings = metadata.settings
    if not is_required:
        settings = tuple(replaced(s, required=False) for s in settings)
    return dict(read_app_settings(settings, os.environ if environ is None else environ))
