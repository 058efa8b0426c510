"""The bytes of a checkpoint's tensors, from its files: headers and indices, never the weights."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from doctor.memory.errors import ModelError
from doctor.records import dataclass
from doctor.text import Text, _
from doctor.untrusted import visible

_HEADER_LIMIT = 100_000_000  # safetensors' own
_JSON_LIMIT = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """``bytes`` of all tensors; ``source`` says which files told."""

    bytes: int
    source: Text


def read_json(path: Path) -> Any:
    """A file of the model's. Raises ``ModelError`` with the place."""
    try:
        if path.stat().st_size > _JSON_LIMIT:
            raise ModelError(_("{path} is larger than 32 MiB", path=visible(str(path))))
        return json.loads(path.read_bytes())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ModelError(_("{path}: {reason}", path=visible(str(path)), reason=reason)) from None
    except (ValueError, RecursionError) as error:
        raise ModelError(
            _(
                "{path} is not JSON: {reason}",
                path=visible(str(path)),
                reason=visible(str(error), 200),
            )
        ) from None


def checkpoint(folder: Path) -> Checkpoint | None:
    """Of safetensors, else of PyTorch files; None where a folder holds neither.

    Raises ``ModelError`` for files that are damaged.
    """
    for name, suffix in (
        ("model.safetensors.index.json", ".safetensors"),
        ("pytorch_model.bin.index.json", ".bin"),
    ):
        index = folder / name
        if index.is_file():
            return _by_index(folder, index, suffix)
    single = sorted(folder.glob("*.safetensors"))
    # Mistral ships the same weights twice, under another name.
    single = [path for path in single if not path.name.startswith("consolidated")] or single
    if single:
        return Checkpoint(_headers(single), _told(len(single)))
    loose = sorted(folder.glob("pytorch_model*.bin"))
    if loose:
        size = sum(path.stat().st_size for path in loose)
        return Checkpoint(size, _("sizes of the .bin files"))
    return None


def _by_index(folder: Path, index: Path, suffix: str) -> Checkpoint:
    content = read_json(index)
    mapped = content.get("weight_map") if isinstance(content, dict) else None
    names = (
        {n for n in mapped.values() if isinstance(n, str)} if isinstance(mapped, dict) else set()
    )
    files = [folder / name for name in sorted(names) if "/" not in name and "\\" not in name]
    if files and suffix == ".safetensors" and all(path.is_file() for path in files):
        return Checkpoint(_headers(files), _told(len(files)))
    metadata = content.get("metadata") if isinstance(content, dict) else None
    total = metadata.get("total_size") if isinstance(metadata, dict) else None
    if isinstance(total, int | float) and 0 < total < 1e18:
        return Checkpoint(int(total), _("total_size of {file}", file=index.name))
    raise ModelError(_("{file} names no total_size", file=visible(str(index))))


def _told(count: int) -> Text:
    if count == 1:
        return _("header of the safetensors file")
    return _("headers of {count} safetensors files", count=count)


def _headers(files: Iterable[Path]) -> int:
    return sum(_tensor_bytes(path) for path in files)


def _tensor_bytes(path: Path) -> int:
    """The sum of a safetensors file's tensors, from its header alone."""
    try:
        with path.open("rb") as stream:
            head = stream.read(8)
            if len(head) < 8:
                raise ValueError(_("it is too short"))
            (length,) = struct.unpack("<Q", head)
            if length > _HEADER_LIMIT:
                raise ValueError(_("its header claims {count} bytes", count=length))
            header = json.loads(stream.read(length))
        if not isinstance(header, dict):
            raise ValueError(_("its header is not an object"))
        total = 0
        for name, tensor in header.items():
            if name == "__metadata__":
                continue
            begin, end = tensor["data_offsets"]
            if not 0 <= begin <= end:
                raise ValueError(_("a tensor has impossible offsets"))
            total += end - begin
        return total
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelError(
            _(
                "{file} is no safetensors file that can be read: {reason}",
                file=visible(str(path)),
                reason=visible(str(error), 120),
            )
        ) from None
