"""Which names and addresses mean this machine, and which URLs may be trusted on the way."""

from functools import lru_cache


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Whether a name or an address means this machine alone."""
    name = host.strip().lower().removesuffix(".").removeprefix("[").removesuffix("]")
    if name == "localhost":
        return True
    import ipaddress

    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def require_safe_url(text: str) -> str:
    """Returns a URL that nobody on the way can answer for: https, or http to this machine.

    Args:
        text: The URL.

    Raises:
        ValueError: It is none; says what is accepted.
    """
    from urllib.parse import urlsplit

    accepted = "an https:// URL (http:// to this machine only) without user, password or fragment"
    if not text.isascii() or not text.isprintable() or any(c in text for c in ' "\\<>'):
        raise ValueError(accepted)
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port  # reading the port checks it
    except ValueError:
        raise ValueError(accepted) from None
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host or ""))
    if not host or not is_safe or "@" in parts.netloc or "#" in text:
        raise ValueError(accepted)
    return text
