"""Log lines on the screen."""

import logging
import sys
from typing import Any


def log_handler(**_ignored: Any) -> logging.Handler:
    """Log lines on standard error, so that results alone go to standard output; plain where no terminal shows them.

    Takes and ignores what Hydra's own console handler is configured with.
    """
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.logging import RichHandler

        return RichHandler(
            console=Console(stderr=True), show_path=False, omit_repeated_times=False, log_time_format="[%H:%M:%S]"
        )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%H:%M:%S"))
    return handler
