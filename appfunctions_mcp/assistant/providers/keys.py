"""Which key a request is sent with."""

__all__ = ["key_to_send"]

# Servers of one's own want none, and the clients want something.
_NO_KEY = "none"


def key_to_send(api_key: str | None, base_url: str | None) -> str | None:
    """The key that is given; None, for that of the environment, only where the provider gets it.

    Args:
        api_key: As it was given, if it was.
        base_url: Of another server, to which the environment's key is not told.
    """
    return api_key if api_key is not None or base_url is None else _NO_KEY
