"""What ends an installation: a client, a file or a server that is not as it must be."""

from appfunctions_mcp.exceptions import AppFunctionsError


class InstallError(AppFunctionsError):
    """The entry cannot be written, removed or checked; what was there before is untouched."""
