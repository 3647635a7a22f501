"""Android AppFunctions for Python: declare functions once, serve them to every MCP client.

The public names are resolved when they are first used, so that importing the package costs
next to nothing.
"""

TYPE_CHECKING = False  # the real one is in `typing`, which costs more than all the rest here

__version__ = "0.1.0"

if TYPE_CHECKING:  # what type checkers see of the names below
    from appfunctions_mcp.assistant.assistant import (
        Assistant as Assistant,
    )
    from appfunctions_mcp.assistant.conversation import (
        Conversation as Conversation,
    )
    from appfunctions_mcp.assistant.dispatcher import (
        ToolDispatcher as ToolDispatcher,
    )
    from appfunctions_mcp.context import (
        AppFunctionContext as AppFunctionContext,
    )
    from appfunctions_mcp.declaration import (
        app_function as app_function,
    )
    from appfunctions_mcp.exceptions import (
        AppFunctionAppException as AppFunctionAppException,
        AppFunctionAppUnknownException as AppFunctionAppUnknownException,
        AppFunctionCancelledException as AppFunctionCancelledException,
        AppFunctionDeclarationError as AppFunctionDeclarationError,
        AppFunctionDeniedException as AppFunctionDeniedException,
        AppFunctionDisabledException as AppFunctionDisabledException,
        AppFunctionElementAlreadyExistsException as AppFunctionElementAlreadyExistsException,
        AppFunctionElementNotFoundException as AppFunctionElementNotFoundException,
        AppFunctionException as AppFunctionException,
        AppFunctionFunctionNotFoundException as AppFunctionFunctionNotFoundException,
        AppFunctionInvalidArgumentException as AppFunctionInvalidArgumentException,
        AppFunctionLimitExceededException as AppFunctionLimitExceededException,
        AppFunctionNotSupportedException as AppFunctionNotSupportedException,
        AppFunctionPermissionRequiredException as AppFunctionPermissionRequiredException,
        AppFunctionRequestException as AppFunctionRequestException,
        AppFunctionsError as AppFunctionsError,
        AppFunctionSystemException as AppFunctionSystemException,
        AppFunctionSystemUnknownException as AppFunctionSystemUnknownException,
        AppFunctionUnknownException as AppFunctionUnknownException,
        MetadataXmlError as MetadataXmlError,
        SettingsError as SettingsError,
        StateFileError as StateFileError,
    )
    from appfunctions_mcp.fields import (
        SetField as SetField,
        apply_fields as apply_fields,
    )
    from appfunctions_mcp.functions import (
        AppFunction as AppFunction,
    )
    from appfunctions_mcp.library_models import (
        AppFunctionResourceContainer as AppFunctionResourceContainer,
        AppFunctionTextResource as AppFunctionTextResource,
        AppFunctionUriGrant as AppFunctionUriGrant,
    )
    from appfunctions_mcp.manager import (
        AppFunctionManager as AppFunctionManager,
    )
    from appfunctions_mcp.marks import (
        AppFunctionOneOf as AppFunctionOneOf,
        AppFunctionParameterName as AppFunctionParameterName,
        AppFunctionParcelable as AppFunctionParcelable,
        AppFunctionTypeDescription as AppFunctionTypeDescription,
        app_function_serializable as app_function_serializable,
    )
    from appfunctions_mcp.media import (
        Audio as Audio,
        BlobResource as BlobResource,
        Image as Image,
        PendingIntent as PendingIntent,
        ResourceLink as ResourceLink,
        TextResource as TextResource,
    )
    from appfunctions_mcp.metadata import (
        AppFunctionAccessLevel as AppFunctionAccessLevel,
        AppFunctionCaller as AppFunctionCaller,
        AppFunctionMetadata as AppFunctionMetadata,
        AppFunctionParameterMetadata as AppFunctionParameterMetadata,
        AppFunctionResponseMetadata as AppFunctionResponseMetadata,
        AppFunctionSchema as AppFunctionSchema,
        AppFunctionScope as AppFunctionScope,
        AppFunctionSearchSpec as AppFunctionSearchSpec,
        AppFunctionState as AppFunctionState,
        AppMetadata as AppMetadata,
        AppPromptMetadata as AppPromptMetadata,
        AppResourceMetadata as AppResourceMetadata,
        ExecutionLimits as ExecutionLimits,
        MetadataChanged as MetadataChanged,
        PromptsChanged as PromptsChanged,
        ResourcesChanged as ResourcesChanged,
        ResourceUpdated as ResourceUpdated,
        StatesChanged as StatesChanged,
    )
    from appfunctions_mcp.oauth_settings import (
        OAuthSettings as OAuthSettings,
    )
    from appfunctions_mcp.prompt_declaration import (
        app_prompt as app_prompt,
    )
    from appfunctions_mcp.prompt_messages import (
        AssistantMessage as AssistantMessage,
        UserMessage as UserMessage,
    )
    from appfunctions_mcp.prompting import (
        AppPrompts as AppPrompts,
    )
    from appfunctions_mcp.questions import (
        Choices as Choices,
        Root as Root,
        Sample as Sample,
    )
    from appfunctions_mcp.reading import (
        AppResources as AppResources,
    )
    from appfunctions_mcp.registrations import (
        AppFunctionRegistration as AppFunctionRegistration,
        AppRegistration as AppRegistration,
    )
    from appfunctions_mcp.requests import (
        AppPromptResponse as AppPromptResponse,
        Completion as Completion,
        ExecuteAppFunctionRequest as ExecuteAppFunctionRequest,
        ExecuteAppFunctionResponse as ExecuteAppFunctionResponse,
        GetAppPromptRequest as GetAppPromptRequest,
        ReadAppResourceRequest as ReadAppResourceRequest,
    )
    from appfunctions_mcp.resource_declaration import (
        app_resource as app_resource,
    )
    from appfunctions_mcp.service import (
        AppFunctionService as AppFunctionService,
        load_service as load_service,
    )
    from appfunctions_mcp.state import (
        InMemoryStateStore as InMemoryStateStore,
        JsonFileStateStore as JsonFileStateStore,
        StateStore as StateStore,
    )
    from appfunctions_mcp.values import (
        AppFunctionIntValueConstraint as AppFunctionIntValueConstraint,
        AppFunctionPatternMatcher as AppFunctionPatternMatcher,
        AppFunctionStringValueConstraint as AppFunctionStringValueConstraint,
        AppFunctionUriValueConstraint as AppFunctionUriValueConstraint,
        Float32 as Float32,
        Instant as Instant,
        Int32 as Int32,
        LocalDate as LocalDate,
        LocalDateTime as LocalDateTime,
        LocalTime as LocalTime,
        PatternType as PatternType,
        Uri as Uri,
        ZoneId as ZoneId,
    )

_HOME = {
    "assistant.assistant": "Assistant",
    "assistant.conversation": "Conversation",
    "assistant.dispatcher": "ToolDispatcher",
    "context": "AppFunctionContext",
    "declaration": "app_function",
    "exceptions": "AppFunctionAppException AppFunctionAppUnknownException "
    "AppFunctionCancelledException AppFunctionDeclarationError AppFunctionDeniedException "
    "AppFunctionDisabledException AppFunctionElementAlreadyExistsException "
    "AppFunctionElementNotFoundException AppFunctionException "
    "AppFunctionFunctionNotFoundException AppFunctionInvalidArgumentException "
    "AppFunctionLimitExceededException AppFunctionNotSupportedException "
    "AppFunctionPermissionRequiredException AppFunctionRequestException "
    "AppFunctionSystemException AppFunctionSystemUnknownException AppFunctionUnknownException "
    "AppFunctionsError MetadataXmlError SettingsError StateFileError",
    "fields": "SetField apply_fields",
    "functions": "AppFunction",
    "library_models": "AppFunctionResourceContainer AppFunctionTextResource AppFunctionUriGrant",
    "manager": "AppFunctionManager",
    "marks": "AppFunctionOneOf AppFunctionParameterName AppFunctionParcelable "
    "AppFunctionTypeDescription app_function_serializable",
    "media": "Audio BlobResource Image PendingIntent ResourceLink TextResource",
    "metadata": "AppFunctionAccessLevel AppFunctionCaller AppFunctionMetadata "
    "AppFunctionParameterMetadata AppFunctionResponseMetadata AppFunctionSchema "
    "AppFunctionScope AppFunctionSearchSpec AppFunctionState AppMetadata AppPromptMetadata "
    "AppResourceMetadata ExecutionLimits MetadataChanged PromptsChanged ResourceUpdated "
    "ResourcesChanged StatesChanged",
    "oauth_settings": "OAuthSettings",
    "prompt_declaration": "app_prompt",
    "prompt_messages": "AssistantMessage UserMessage",
    "prompting": "AppPrompts",
    "questions": "Choices Root Sample",
    "reading": "AppResources",
    "registrations": "AppFunctionRegistration AppRegistration",
    "requests": "AppPromptResponse Completion ExecuteAppFunctionRequest "
    "ExecuteAppFunctionResponse GetAppPromptRequest ReadAppResourceRequest",
    "resource_declaration": "app_resource",
    "service": "AppFunctionService load_service",
    "state": "InMemoryStateStore JsonFileStateStore StateStore",
    "values": "AppFunctionIntValueConstraint AppFunctionPatternMatcher "
    "AppFunctionStringValueConstraint AppFunctionUriValueConstraint Float32 Instant Int32 "
    "LocalDate LocalDateTime LocalTime PatternType Uri ZoneId",
}
_MODULE_OF = {
    name: f"{__name__}.{module}" for module, names in _HOME.items() for name in names.split()
}
__all__ = tuple(sorted(_MODULE_OF))


def __getattr__(name: str) -> object:
    """Imports the module of a public name when the name is first used."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> "list[str]":
    return sorted({*globals(), *__all__})
