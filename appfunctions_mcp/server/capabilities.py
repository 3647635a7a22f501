"""What a server says that it can do: exactly what its app has."""

from appfunctions_mcp.server.wire import Json
from appfunctions_mcp.service import AppFunctionService


def capabilities_of(service: AppFunctionService, *, has_channel: bool = True) -> Json:
    """The `capabilities` of a handshake and of `server/discover`.

    Functions may be added at any time, so that there is always a list of tools.

    Args:
        service: What is served.
        has_channel: Whether there is a way on which a client can hear of single resources.
    """
    capabilities: Json = {"logging": {}, "tools": {"listChanged": True}}
    if service.has_prompts:
        capabilities["prompts"] = {"listChanged": True}
    if service.has_resources:
        capabilities["resources"] = {"subscribe": has_channel, "listChanged": True}
    if completes(service):
        capabilities["completions"] = {}
    return capabilities


def completes(service: AppFunctionService) -> bool:
    """Whether there is anything that can be completed: a prompt, or a template of resources."""
    return service.has_prompts or (service.has_resources and bool(service.resources.templates()))
