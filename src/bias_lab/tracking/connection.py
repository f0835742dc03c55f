"""Whether W&B can be reached, found out within seconds; wandb itself would ask for a key, or wait for minutes."""

import os
import socket
from urllib.parse import urlparse

NETWORK_TIMEOUT = 3.0  # seconds


def choose_mode(asked: str) -> str:
    """`online` or `offline` (or W&B's `disabled`): $WANDB_MODE, else what was asked, else what is possible."""
    forced = os.environ.get("WANDB_MODE", "").strip()
    if forced:
        return forced
    if asked != "auto":
        return asked
    return "online" if has_key() and is_reachable() else "offline"


def base_url() -> str:
    """The server's address: $WANDB_BASE_URL, or W&B's own."""
    return os.environ.get("WANDB_BASE_URL", "https://api.wandb.ai")


def has_key() -> bool:
    """Whether W&B would find a key without asking for one at the terminal."""
    if os.environ.get("WANDB_API_KEY"):
        return True
    import netrc

    try:
        return netrc.netrc().authenticators(urlparse(base_url()).hostname or "") is not None
    except (OSError, netrc.NetrcParseError):
        return False


def is_reachable() -> bool:
    """Whether the server takes a connection within a few seconds."""
    url = urlparse(base_url())
    port = url.port or (80 if url.scheme == "http" else 443)
    try:
        socket.create_connection((url.hostname or "", port), timeout=NETWORK_TIMEOUT).close()
    except OSError:
        return False
    return True
