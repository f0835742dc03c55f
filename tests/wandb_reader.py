"""Reads back the file of an offline W&B run: LevelDB's log format, protobuf records."""

import json
import struct
import time
from pathlib import Path
from typing import Any

BLOCK, FILE_HEADER, RECORD_HEADER = 32_768, 7, 7
FULL, FIRST, LAST = 1, 2, 4


def offline_runs(folder: Path) -> list[Path]:
    """The run files under a folder, oldest first."""
    return sorted(folder.glob("**/*.wandb"))


def read_run(path: Path, *, patience: float = 10.0) -> dict[str, Any]:
    """Identity, configuration, history, summary and exit code of one run file.

    W&B's own process may still be writing the last records when `finish` has returned, so this waits for them.
    """
    deadline = time.monotonic() + patience
    while (found := _read(path))["exit_code"] is None and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def _read(path: Path) -> dict[str, Any]:
    from wandb.proto.wandb_internal_pb2 import Record

    found: dict[str, Any] = {"history": [], "summary": {}, "config": {}, "exit_code": None, "bytes": path.read_bytes()}
    for data in _records(found["bytes"]):
        record = Record()
        record.ParseFromString(data)
        kind = record.WhichOneof("record_type")
        if kind == "run":
            run = record.run
            found |= {"id": run.run_id, "name": run.display_name, "group": run.run_group, "job_type": run.job_type}
            found["project"], found["tags"] = run.project, list(run.tags)
            found["config"] |= {item.key: json.loads(item.value_json) for item in run.config.update}
        elif kind == "history":
            found["history"].append({_key(item): json.loads(item.value_json) for item in record.history.item})
        elif kind == "summary":
            found["summary"] |= {_key(item): json.loads(item.value_json) for item in record.summary.update}
        elif kind == "exit":
            found["exit_code"] = record.exit.exit_code
    return found


def _key(item: Any) -> str:
    return item.key or ".".join(item.nested_key)


def _records(content: bytes) -> list[bytes]:
    records, part, at = [], b"", FILE_HEADER
    while at + RECORD_HEADER <= len(content):
        room = BLOCK - at % BLOCK
        if room < RECORD_HEADER:
            at += room
            continue
        _, length, kind = struct.unpack_from("<IHB", content, at)
        data = content[at + RECORD_HEADER : at + RECORD_HEADER + length]
        at += RECORD_HEADER + length
        part = data if kind in (FULL, FIRST) else part + data
        if kind in (FULL, LAST):
            records.append(part)
    return records
