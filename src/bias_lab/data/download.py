"""One download, through a cache, with a message instead of a traceback."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from bias_lab.errors import DataError

TIMEOUT_S = (4.0, 20.0)  # to connect, and between two pieces of data: offline must be told within seconds
RETRIES = 1


def download(url: str, *, by_hand: str) -> Path:
    """The file at a URL, from the download cache or the network; `by_hand` ends the message of a `DataError`."""
    import pooch
    import requests

    root = Path(os.environ.get("BIAS_LAB_CACHE") or pooch.os_cache("bias_lab")).expanduser() / "downloads"
    name = pooch.utils.unique_file_name(url)
    # No hash: a server may pack an archive anew or change line ends, so the content is what is verified.
    downloads = pooch.create(path=root, base_url="", registry={name: None}, urls={name: url}, retry_if_failed=RETRIES)
    progress = sys.stderr.isatty() and find_spec("tqdm") is not None
    try:
        fetcher = pooch.HTTPDownloader(progressbar=progress, timeout=TIMEOUT_S)
        return Path(downloads.fetch(name, downloader=fetcher))
    except (requests.exceptions.ConnectionError, requests.exceptions.Timeout):
        cause = "no connection, or it broke off; is this machine offline?"
    except (requests.exceptions.RequestException, ValueError) as error:
        cause = f"{error}."
    except OSError as error:
        raise DataError(
            f"the download cache {root} cannot be written ({error.strerror or error}); "
            "set BIAS_LAB_CACHE to a folder that can"
        ) from error
    raise DataError(f"cannot download {url}: {cause} {by_hand}")
